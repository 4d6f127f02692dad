"""Libraries for other machines, linked by zig and run where an emulator is: `python -m kinematch.bench.targets`.

A program in C walks for a second with each; it must print the bits that this machine's library gives.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kinematch.errors import KinematchError
from kinematch.export.folders import write_native
from kinematch.export.link import ZIG, find_host, name_library

HERE = Path(__file__).parent
EMULATORS = {"linux-arm64": ("qemu-aarch64", "qemu-aarch64-static"), "windows-x64": ("wine64", "/usr/lib/wine/wine64")}
STATIC = {"linux-arm64": "aarch64-linux-musl", "linux-x64": "x86_64-linux-musl"}  # needs no libraries of that system


def try_target(target: str, data: bytes, folder: Path) -> tuple[dict[str, int], bytes | None]:
    """Bytes of the libraries, and what a program linked with the static one printed; None where nothing runs it."""
    sizes = write_native(data, folder / "native", target)
    program = folder / ("walk.exe" if target.startswith("windows") else "walk")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", STATIC.get(target, ZIG[target]), "-O2"]
    own = folder / "native"
    built = subprocess.run(
        [*zig, "-I", str(own), str(HERE / "exported_walk.c"), str(own / "libkinematch.a"), "-o", str(program)],
        capture_output=True, text=True,
    )  # fmt: skip
    if built.returncode:
        raise KinematchError(f"{target}: {built.stderr.strip()[-1000:]}")
    libraries = {"shared": sizes[name_library(target)], "static": sizes["libkinematch.a"]}
    emulator = [] if target == find_host() else [shutil.which(one) for one in EMULATORS.get(target, ())]
    if target != find_host() and not any(emulator):
        return libraries, None
    before = [one for one in emulator if one][:1]
    environment = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": str(folder / "wine")}
    done = subprocess.run([*before, str(program)], cwd=own, env=environment, capture_output=True, timeout=600)
    if done.returncode:
        raise KinematchError(f"{target}: {done.stderr.decode(errors='replace').strip()[-1000:]}")
    return libraries, done.stdout


def main() -> None:
    from kinematch.database.build import build
    from kinematch.export.character import write_character

    with tempfile.TemporaryDirectory() as place:
        recipe = Path(place) / "small.toml"
        recipe.write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idle", "walk_1.35"]\n')
        data = write_character(build(recipe).database)
        chosen = sys.argv[1:] or list(ZIG)
        expected = try_target(find_host(), data, Path(place) / "host")[1]
        for target in chosen:
            sizes, printed = try_target(target, data, Path(place) / target)
            says = "linked" if printed is None else "the same bits" if printed == expected else "OTHER BITS"
            print(f"{target}: {says}, {len(expected or b'')} bytes of poses; {sizes}", flush=True)


if __name__ == "__main__":
    main()
