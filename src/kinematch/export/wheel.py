"""What platform wheels carry: the code that a first `kinematch play` compiles, and the step for pages and programs.

`python -m kinematch.export.wheel` leaves it in the package; then KINEMATCH_PLATFORM_WHEEL=1 python -m build --wheel.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from kinematch.code_folder import SHIPPED, SUFFIX, TARGET, find_code_folder, save_entry
from kinematch.errors import KinematchError
from kinematch.export.ahead import make_code, name_code
from kinematch.export.link import find_host
from kinematch.export.targets import WEB

# what processors have in common that are less than ten years old
FEATURES = (
    "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
)  # fmt: skip
COMMON = {"x86_64": ("x86-64-v3", FEATURES), "AMD64": ("x86-64-v3", FEATURES)}
FRAMES = 120  # that a page watches
WAIT_SECONDS = 600.0  # for a page, on a busy machine that compiles everything


def make_shipped(output: Path = SHIPPED, *, this_processor: bool = False) -> None:
    """Write the code into the package: for common processors of this kind, or for this very one."""
    machine = platform.machine()
    environment = dict(os.environ)
    if machine in COMMON and not this_processor:
        cpu, features = COMMON[machine]
        environment |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features}
    script = "from numba.core.registry import cpu_target as t; import json; "
    script += "print(json.dumps(t.target_context.codegen().magic_tuple()))"
    target = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as place:
        own = Path(place) / "code" / "kinematch"
        own.mkdir(parents=True)
        if kept := find_code_folder():  # what this machine has need not be compiled again
            for path in kept.glob(f"*{SUFFIX}"):
                shutil.copyfile(path, own / path.name)
                os.utime(own / path.name, (0, 0))
        play(environment | {"NUMBA_CACHE_DIR": str(own.parent), "KINEMATCH_CACHE": str(Path(place) / "cache")})
        used = [path for path in own.glob(f"*{SUFFIX}") if path.stat().st_mtime > 0]  # entries in use are touched
        if not used:
            raise KinematchError("`kinematch play` used no compiled code")
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        for path in used:
            shutil.copyfile(path, output / path.name)
            if kept:
                shutil.copyfile(path, kept / path.name)
    for one in (WEB, find_host()):
        save_entry(output, name_code(one), make_code(one))
    (output / TARGET.name).write_text(target.stdout)


def play(environment: dict[str, str], python: str = sys.executable) -> None:
    """Have `kinematch play` show a page, and look at it for two seconds of motion."""
    command = [python, "-m", "kinematch.cli.main", "play", "--no-open", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as own:
        said = []
        try:
            assert own.stdout is not None
            for line in own.stdout:
                said.append(line)
                if found := re.search(r"http://[\w.:]+/", line):
                    visit(found[0])
                    return
            raise KinematchError(f"`kinematch play` ended: {''.join(said)[-2000:]}")
        finally:
            own.terminate()


def visit(address: str) -> None:
    """Steer, and ask why, as a page does."""
    from websockets.sync.client import connect

    def send(page: Any, **message: Any) -> None:
        page.send(json.dumps(message))

    with connect(f"{address.replace('http', 'ws')}stream", max_size=None) as page:
        frames = 0
        send(page, type="stick", sequence=1, x=0.0, y=1.0)
        while frames < FRAMES:
            frames += isinstance(page.recv(timeout=WAIT_SECONDS), bytes)
            if frames == FRAMES // 2:
                send(page, type="explain", step=10, count=5, request=1)
                send(page, type="set_terrain", kind="hills")


if __name__ == "__main__":
    make_shipped(this_processor="--this-processor" in sys.argv[1:])
    print(f"{SHIPPED}: {sum(path.stat().st_size for path in SHIPPED.iterdir()) / 1e6:.1f} MB")
