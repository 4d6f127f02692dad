"""The same source on other targets: lowered x86 targets run and answer alike; code for others is looked at."""

import os
import re
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from llvmlite import ir
from numba import types

from kinematch.search import vector_kernels
from kinematch.search.space import MOST_COLUMNS
from kinematch.search.tree_kernels import COARSE, FINE

LLVM = {
    types.uintp: ir.IntType(64),
    types.int64: ir.IntType(64),
    types.int32: ir.IntType(32),
    types.uint16: ir.IntType(16),
    types.float32: ir.FloatType(),
}
AGREEMENT = Path(__file__).with_name("agreement.py")
HOST = {name for name, there in llvm.get_host_cpu_features().items() if there}
AVX2 = "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi,+bmi2"
AVX512 = f"{AVX2},+avx512f,+avx512bw,+avx512vl,+avx512dq"
TARGETS = {
    "AVX-512": ("skylake-avx512", AVX512, "avx512bw"),
    "AVX2": ("haswell", AVX2, "avx2"),
    "SSE2": ("x86-64", "+sse,+sse2", "sse2"),
    "no instruction of its own": ("generic", "", ""),
}
RUN = "import runpy, sys; print(runpy.run_path(sys.argv[1])['digest'](0, 60))"
RUN_PORTABLE = f"import kinematch.search.vector_kernels as v; v.target_features = lambda context: []; {RUN}"


def answers(code: str, **environment: str) -> str:
    """The digest of many answers, from a process of its own."""
    environment = {**os.environ, **environment}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", code, str(AGREEMENT)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout


@pytest.fixture(scope="module")
def expected() -> str:
    return answers(RUN)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_lowered_target_gives_the_same_answers(target, expected, tmp_path):
    name, features, needed = TARGETS[target]
    if needed and needed not in HOST:
        pytest.skip(f"this machine has no {target}")
    assert answers(RUN, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features) == expected


@pytest.mark.slow
def test_the_portable_path_gives_the_same_answers_on_this_target(expected, tmp_path):
    assert answers(RUN_PORTABLE, NUMBA_CACHE_DIR=str(tmp_path)) == expected


def assembly(triple: str, cpu: str, features: str, monkeypatch) -> str:
    """What the inner loops become on a target that need not be this machine."""
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError:
        pytest.skip(f"this llvmlite cannot emit {triple}")
    monkeypatch.setattr(vector_kernels, "target_features", lambda context: features.split(","))
    module = ir.Module()
    module.triple = triple
    for name, count in {"box_bounds": 6, "frame_bounds": 5}.items():
        signature, generate = getattr(vector_kernels, name)._defn(None, *[None] * count)
        function = ir.Function(module, ir.FunctionType(ir.IntType(32), [LLVM[t] for t in signature.args]), name)
        builder = ir.IRBuilder(function.append_basic_block())
        builder.ret(generate(None, builder, signature, function.args))
    return target.create_target_machine(cpu=cpu, features=features, opt=3).emit_assembly(
        llvm.parse_assembly(str(module))
    )


@pytest.fixture(scope="module", autouse=True)
def all_targets():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def test_arm_takes_the_source(monkeypatch):
    text = assembly("aarch64-unknown-linux-gnu", "cortex-a76", "+neon", monkeypatch)
    assert re.search(r"\buqsub\b.*\.16b", text)  # saturating differences of sixteen columns at once
    assert re.search(r"\buqsub\b.*\.8h", text)
    assert re.search(r"\b(umull|umlal|mul|mla)2?\b.*\.4s", text)


@pytest.mark.parametrize(
    ("cpu", "features", "instruction"),
    [
        ("skylake-avx512", AVX512, r"vpmaddwd\s.*%zmm"),
        ("haswell", AVX2, r"vpmaddwd\s.*%ymm"),
        ("x86-64", "+sse2", "pmaddwd"),
    ],
)
def test_x86_uses_the_widest_instruction_it_has(cpu, features, instruction, monkeypatch):
    text = assembly("x86_64-unknown-linux-gnu", cpu, features, monkeypatch)
    assert re.search(instruction, text)


def test_squares_never_leave_the_range_of_the_sums():
    assert MOST_COLUMNS * max(COARSE, FINE) ** 2 < vector_kernels.NO_BOUND - 1


def test_a_query_of_as_many_columns_as_there_may_be_has_room():
    assert vector_kernels.QUERY_COLUMNS >= MOST_COLUMNS
    assert vector_kernels.QUERY_COLUMNS % vector_kernels.QUERY_BLOCK == 0
