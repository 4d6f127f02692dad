"""Ahead of time: the compiled step for pages and libraries, made once for each version of its text and kept on disk.

`python -m kinematch.export.ahead TARGET... -o FOLDER` makes it by itself; `kinematch export` does when nothing is kept.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kinematch.code_folder import SHIPPED, find_code_folder, load_entry, save_entry
from kinematch.compile.code_cache import VERSIONS
from kinematch.compile.jit import digest_sources
from kinematch.errors import KinematchError, unknown
from kinematch.export.capture import GENERIC
from kinematch.export.entries import digest_records
from kinematch.export.targets import TARGETS, WEB, compile_object
from kinematch.export.wasm import finish_module

Say = Callable[[str], None]
CAPTURE = ("capture", "entries")  # what decides on instructions besides the kernels
OWN = (*CAPTURE, "targets", "wasm")  # and on code


def make_code(target: str, say: Say = lambda text: None) -> bytes:
    """The step for a target: a module for pages, or an object file. It takes a minute where none is kept."""
    if target not in TARGETS:
        raise KinematchError(unknown("target", target, TARGETS))
    name = name_code(target)
    code = _load(name)
    if code is None:
        instructions = _make_instructions(say)
        say(f"compiling the step for {target}, about half a minute")
        code = compile_object(instructions, target)
        code = finish_module(code) if target == WEB else code
        _save(name, code)
    return code


def name_code(target: str) -> str:
    """The name that the step for a target is kept under."""
    return f"step-{target}-{_digest(OWN)}"


def _make_instructions(say: Say) -> str:
    name = f"step-instructions-{_digest(CAPTURE)}"
    kept = _load(name)
    if kept is not None:
        return zlib.decompress(kept).decode()
    say("compiling the step without a machine in mind, about half a minute")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.ll"
        # a process of its own: numba takes the processor to compile for from the environment it starts in
        done = subprocess.run(
            [sys.executable, "-m", "kinematch.export.capture", str(path)],
            env={**os.environ, **GENERIC}, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise KinematchError(f"the step was not compiled: {done.stderr.strip()[-2000:]}")
        text = path.read_text()
    _save(name, zlib.compress(text.encode(), 6))
    return text


@cache
def _digest(files: tuple[str, ...]) -> str:
    here = Path(__file__).parent
    own = [(here / f"{name}.py").read_bytes() for name in files]
    return hashlib.sha256(repr((VERSIONS, digest_sources(here), digest_records(), own)).encode()).hexdigest()[:32]


def _load(name: str) -> bytes | None:
    folder = find_code_folder()
    kept = None if folder is None else load_entry(folder, name)
    return load_entry(SHIPPED, name) if kept is None else kept


def _save(name: str, content: bytes) -> None:
    if folder := find_code_folder():
        save_entry(folder, name, content)


def main(arguments: list[str]) -> int:
    folder = None
    if "-o" in arguments:
        at = arguments.index("-o")
        folder = Path(arguments[at + 1])
        folder.mkdir(parents=True, exist_ok=True)
        arguments = arguments[:at] + arguments[at + 2 :]
    for target in arguments or [WEB]:
        code = make_code(target, lambda text: print(text, file=sys.stderr))
        print(f"{target}: {len(code) / 1e3:.0f} kB, {len(zlib.compress(code, 9)) / 1e3:.0f} kB compressed")
        if folder:
            (folder / ("step.wasm" if target == WEB else f"kinematch-{target}.o")).write_bytes(code)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
