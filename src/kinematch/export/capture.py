"""Capture: the entries of a library as LLVM instructions that fit any target; a process of its own, run by `ahead`.

`python -m kinematch.export.capture FILE` compiles the step's functions without a processor in mind.
"""

import json
import os
import re
import sys
from pathlib import Path

GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def capture(path: Path) -> None:
    """Write a module of all entries, and its names by those of `entries.ENTRIES` in front of it."""
    import llvmlite.binding as llvm
    from numba import float64, int64

    from kinematch.compile.internals import take_instructions
    from kinematch.export.entries import ENTRIES

    kinds = {"p": int64, "i": int64, "d": float64, "r": int64}
    wanted = {one.function: tuple(kinds[letter] for letter in one.parameters) for one in ENTRIES.values()}
    module, names = llvm.parse_assembly(""), {}
    for name, (symbol, text) in zip(ENTRIES, take_instructions(wanted)):
        names[name] = symbol
        module.link_in(llvm.parse_assembly(make_neutral(text)))
    path.write_text("; " + json.dumps(names) + "\n" + str(module))


def make_neutral(text: str) -> str:
    """Without the machine it was made on, and with no leave to round otherwise on another."""
    text = re.sub(r"^target (triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\bcontract ", "", text)


if __name__ == "__main__":
    missing = [name for name, value in GENERIC.items() if os.environ.get(name) != value]
    if missing:
        raise SystemExit(f"{', '.join(missing)} not set; run python -m kinematch.export.ahead")
    capture(Path(sys.argv[1]))
