"""Targets: the captured instructions as an object file for one kind of machine, with functions that C can call."""

import json
import re
from dataclasses import dataclass

from kinematch.errors import KinematchError, unknown
from kinematch.export.entries import ENTRIES, digest_records
from kinematch.export.format import ERRORS

PREFIX = "kinematch_"
# what pages call rather than inline: inlined, some of these would stand in the code fifty times
CALLED = (
    "measure_root_rates", "unpack_root", "_find_best", "unpack_one", "measure_warp", "open_row", "find_pair", "advance",
    "locate_root", "find_clip", "make_springs", "fill_query", "measure_root_motion",
)  # fmt: skip


@dataclass(frozen=True)
class MachineTarget:
    """A kind of machine as LLVM names it."""

    triple: str
    cpu: str
    features: str = ""
    bits: int = 64

    @property
    def is_page(self) -> bool:
        return self.triple.startswith("wasm32")


WEB = "web"
TARGETS = {
    WEB: MachineTarget(
        "wasm32-unknown-unknown", "generic",
        "+simd128,+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals", 32,
    ),
    # without fused multiply-add, which rounds once less: every target computes the same bits
    "linux-x64": MachineTarget("x86_64-unknown-linux-gnu", "x86-64-v2"),
    "linux-arm64": MachineTarget("aarch64-unknown-linux-gnu", "generic"),
    "windows-x64": MachineTarget("x86_64-pc-windows-gnu", "x86-64-v2"),
    "macos-arm64": MachineTarget("arm64-apple-macosx11.0.0", "apple-m1"),
}  # fmt: skip


def compile_object(instructions: str, name: str) -> bytes:
    """The object file of a target, from what `capture` wrote."""
    import llvmlite.binding as llvm

    if name not in TARGETS:
        raise KinematchError(unknown("target", name, TARGETS))
    target = TARGETS[name]
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    head, _, text = instructions.partition("\n")
    symbols = json.loads(head.removeprefix("; "))
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="default" if target.is_page else "pic",
        codemodel="default",
    )  # fmt: skip
    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{target.triple}"\n'
    wrappers = [wrap(entry, symbols[entry], target) for entry in ENTRIES if entry in list_entries(target)]
    module = llvm.parse_assembly(
        layout + (keep_calls(text) if target.is_page else text) + "\n".join([*wrappers, write_errors(target)])
    )
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name.startswith(PREFIX) else "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def keep_calls(text: str) -> str:
    """The instructions with some functions not inlined, which makes two fifths less code of them."""
    for name in CALLED:
        own = rf'^(define .*@"?_ZN9kinematch\w*?{len(name)}{name}B.*) #\d+ \{{$'
        text, found = re.subn(own, r"\1 noinline {", text, flags=re.MULTILINE)
        if not found:
            raise KinematchError(f"no function {name} is compiled")
    return text


def list_entries(target: MachineTarget) -> list[str]:
    return [name for name, entry in ENTRIES.items() if entry.in_pages or not target.is_page]


def wrap(name: str, symbol: str, target: MachineTarget) -> str:
    """A function for C around one as numba calls it; an error there is none of ours, and cannot happen."""
    word, lines, given, takes = f"i{target.bits}", [], [], []
    for i, kind in enumerate(ENTRIES[name].parameters):
        if kind == "r":
            given.append(f"i64 {digest_records()}")
            continue
        takes.append(f"{'ptr' if kind == 'p' else 'double' if kind == 'd' else word} %p{i}")
        if kind == "d":
            given.append(f"double %p{i}")
        elif kind == "p":
            lines.append(f"  %a{i} = ptrtoint ptr %p{i} to i64")
            given.append(f"i64 %a{i}")
        else:
            lines.append(f"  %a{i} = sext {word} %p{i} to i64" if target.bits < 64 else f"  %a{i} = add i64 %p{i}, 0")
            given.append(f"i64 %a{i}")
    cut = f"  %cut = trunc i64 %done to {word}" if target.bits < 64 else "  %cut = add i64 %done, 0"
    export = f' "wasm-export-name"="{PREFIX}{name}"' if target.is_page else ""
    return "\n".join([
        f"define {word} @{PREFIX}{name}({', '.join(takes)}){export} {{",
        "  %result = alloca i64", "  %error = alloca ptr", "  store i64 0, ptr %result", *lines,
        f'  %status = call i32 @"{symbol}"(ptr %result, ptr %error, {", ".join(given)})',
        "  %done = load i64, ptr %result", cut, f"  ret {word} %cut", "}",
    ])  # fmt: skip


def write_errors(target: MachineTarget) -> str:
    """The function that returns the text of an error."""
    if target.is_page:  # kinematch.js has them
        return ""
    texts, cases = [], []
    for code, text in [(0, "no error"), *ERRORS.items(), (1, "an unknown error")]:
        value = text.encode() + b"\0"
        data = "".join(f"\\{byte:02X}" for byte in value)
        label = f"e{abs(code)}" if code <= 0 else "other"
        texts.append(f'@{PREFIX}text_{label} = constant [{len(value)} x i8] c"{data}"')
        cases.append((code, label))
    switch = " ".join(f"i64 {code}, label %{label}" for code, label in cases if code <= 0)
    body = "\n".join(f"{label}:\n  ret ptr @{PREFIX}text_{label}" for _, label in cases)
    return "\n".join(texts) + (
        f"\ndefine ptr @{PREFIX}error_text(i64 %code) {{\n  switch i64 %code, label %other [ {switch} ]\n{body}\n}}\n"
    )
