"""Measure what docs/architecture.md says of libraries that are not used: `python docs/measure_libraries.py`.

Needs matplotlib, mujoco and the model packages that tests of robots use. Times are of the processor.
"""

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np

from kinematch.draw.chart import line_chart
from kinematch.robot.read import read_robot

TESTS = Path(__file__).parents[1] / "tests" / "robot"
MATPLOTLIB = ("matplotlib", "contourpy", "fonttools", "kiwisolver", "cycler", "pyparsing", "python-dateutil")
MUJOCO = ("mujoco", "mujoco-core", "mujoco-studio", "glfw", "PyOpenGL")
POOL = """from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
    print(list(pool.map(abs, [-1])))
"""


def measure(call: Callable[[], object], count: int = 10) -> float:
    """Milliseconds of a call, after one that is not counted."""
    call()
    began = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - began) / count * 1000


def measure_size(packages: tuple[str, ...]) -> float:
    """Megabytes of installed files, bytecode apart."""
    paths = [Path(str(file.locate())) for name in packages for file in metadata.files(name) or ()]
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc") / 1e6


def compare_charts() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    x = np.linspace(0, 10, 600)
    lines = {f"line {k}": (x, np.sin(x + k)) for k in range(4)}

    def theirs() -> None:
        figure = Figure((7.2, 4.6), dpi=100)
        axes = figure.subplots()
        for name, (one, other) in lines.items():
            axes.plot(one, other, label=name)
        axes.legend()
        figure.savefig(io.BytesIO(), format="png")

    ours = measure(lambda: line_chart(lines, title="lines").save(io.BytesIO(), "PNG"))
    print(f"a chart: {ours:.0f} ms, matplotlib {measure(theirs):.0f} ms and {measure_size(MATPLOTLIB):.0f} MB")


def try_pool() -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(POOL)
        done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    print(f"a script that starts a pool at its top: {done.stderr.strip().splitlines()[-1:] or 'runs'}")


def compare_readers() -> None:
    import mujoco

    sys.path.insert(0, str(TESTS))
    from conftest import ZOO  # type: ignore[import-not-found]

    paths = [path for animal in ZOO if (path := animal.find())]
    readers = (read_robot, lambda path: mujoco.MjModel.from_xml_path(str(path)))
    for name, read in zip(("ours", "MuJoCo"), readers):
        began, opened = time.process_time(), 0
        for path in paths:
            try:
                read(path)
                opened += 1
            except Exception as error:
                print(f"  {name}: {path.name}: {str(error).splitlines()[0][:100]}")
        print(f"{name}: {opened} of {len(paths)} models in {time.process_time() - began:.2f} s")
    print(f"MuJoCo takes {measure_size(MUJOCO):.0f} MB")


if __name__ == "__main__":
    compare_charts()
    try_pool()
    compare_readers()
