"""The loader of exported files under damage: `python -m kinematch.bench.damaged_exports --count 20000`."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from kinematch.errors import KinematchError

HERE = Path(__file__).parent
SANITIZERS = "-fsanitize=address,undefined"


def load_damaged(data: bytes, count: int, *, seed: int = 0, tool: tuple[str, ...] = ()) -> dict[str, Any]:
    """Have a program in C load damaged copies of a data file; how many were refused. `tool` runs the program,
    such as valgrind, without sanitizers."""
    from kinematch.export.folders import write_native

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_native(data, folder / "native")
        own = folder / "native"
        sanitizers = [] if tool else [SANITIZERS, "-fno-sanitize-recover=all"]
        command = ["cc", "-g", "-O1", *sanitizers, "-I", str(own), str(HERE / "damaged_exports.c")]
        build = subprocess.run(
            [*command, str(own / "libkinematch.a"), "-o", str(folder / "damaged")], capture_output=True, text=True
        )
        if build.returncode:
            raise KinematchError(f"the program was not compiled: {build.stderr[-1000:]}")
        run = subprocess.run(
            [*tool, str(folder / "damaged"), str(own / "character.dat"), str(count), str(seed)],
            capture_output=True, text=True,
        )  # fmt: skip
        if run.returncode:
            raise KinematchError(f"the loader failed with {run.returncode}: {run.stderr[-2000:]}")
        return json.loads(run.stdout)


def main() -> None:
    from kinematch.database.build import build
    from kinematch.export.character import write_character

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--valgrind", action="store_true", help="valgrind also sees the loader's own reads")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recipe = Path(folder) / "small.toml"
        recipe.write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\n')
        data = write_character(build(recipe).database)
    tool = ("valgrind", "-q", "--error-exitcode=9") if given.valgrind else ()
    print(f"{len(data) / 1e6:.1f} MB,", load_damaged(data, given.count, seed=given.seed, tool=tool))


if __name__ == "__main__":
    main()
