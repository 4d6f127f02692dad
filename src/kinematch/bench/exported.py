"""Whether the exported step computes the same bits everywhere: `python -m kinematch.bench.exported DATABASE...`.

Python runs without fused multiply-add, beside the library and a page's module in Node: the same commands in one run,
and from the same state at every step.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.export.capture import GENERIC

RATE = 60
SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
import { Kinematch } from "./kinematch.js";
const given = JSON.parse(readFileSync("given.json"));
const own = await Kinematch.load({ wasm: readFileSync("step.wasm"), data: readFileSync("data") });
const run = (restores) => {
  const states = restores && readFileSync("states");
  const out = [];
  given.forEach((velocity, k) => {
    if (restores) own.restore(new Uint8Array(states.buffer, states.byteOffset + k * own.stateSize, own.stateSize));
    own.command({ velocity, facing: velocity });
    own.step(1 / 60);
    out.push(Buffer.from(own.pose.globalPositions.slice().buffer));
  });
  return Buffer.concat(out);
};
writeFileSync("whole", run(false));
writeFileSync("single", run(true));
"""


def make_stick(steps: int, seed: int = 0) -> np.ndarray:
    """(S, 3) m/s: walks, runs, turns and stops of a second or so each."""
    out: list[tuple[float, float, float]] = []
    random = np.random.default_rng(seed)
    while len(out) < steps:
        speed = random.choice([0.0, 0.6, 1.2, 1.4, 2.6, 3.5], p=[0.2, 0.1, 0.25, 0.2, 0.15, 0.1])
        yaw, turning = random.uniform(-np.pi, np.pi), random.choice([0.0, 1.5, -1.5])
        for k in range(int(random.uniform(0.4, 2.5) * RATE)):
            angle = yaw + turning * k / RATE
            out.append((speed * np.sin(angle), 0.0, speed * np.cos(angle)))
    return np.array(out[:steps])


def compare(path: str, steps: int, *, packed: bool, transition: str) -> dict[str, Any]:
    """Equal steps of all pairs; run in a process without fused multiply-add."""
    import kinematch as km
    from kinematch.database.packing.pack import pack
    from kinematch.export.ahead import make_code
    from kinematch.export.character import write_character
    from kinematch.export.folders import write_module
    from kinematch.export.link import find_host, link_shared, name_library
    from kinematch.export.native.kinematch_native import Characters

    source: Any = km.load(path)
    source = pack(source) if packed else source
    settings = km.Settings(transition=transition)  # type: ignore[arg-type]
    stick = make_stick(steps)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        library, data = folder / name_library(find_host()), write_character(source, settings=settings)
        library.write_bytes(link_shared(make_code(find_host()), find_host()))
        own = Characters(library, data)
        native, states = _run_library(own, stick)
        for name, content in (("step.wasm", make_code("web")), ("kinematch.js", write_module()), ("data", data)):
            (folder / name).write_bytes(content)
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "run.js").write_text(SCRIPT)
        (folder / "given.json").write_text(json.dumps(stick.tolist()))
        (folder / "states").write_bytes(b"".join(states))
        subprocess.run(["node", "run.js"], cwd=folder, check=True)
        page, single = (np.fromfile(folder / name, np.float32).reshape(native.shape) for name in ("whole", "single"))
    crowd = km.Crowd(source, settings=settings)
    whole, frames = _run_crowd(crowd, stick)
    restored = _run_restored(km.Crowd(source, settings=settings), Characters, own, states, stick)
    return {
        "steps": steps, "native": native, "frames": frames, "whole": whole,
        "page in one run": _count(native, page), "page from each state": _count(native, single),
        "Python in one run": _count(native, whole), "Python from each state": _count(native, restored),
    }  # fmt: skip


def _run_library(own: Any, stick: np.ndarray) -> tuple[np.ndarray, list[bytes]]:
    places, out, states = own.array("pose.global_positions"), [], []
    for velocity in stick:
        states.append(own.save())
        own.command(velocity, velocity)
        own.step(1 / RATE)
        out.append(places[0].copy())
    return np.stack(out), states


def _run_crowd(crowd: Any, stick: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    import kinematch as km

    poses = [crowd.step(km.move(velocity, velocity), 1 / RATE) for velocity in stick]
    return np.stack([pose.global_positions[0] for pose in poses]), np.array([pose.frames[0] for pose in poses])


def _run_restored(crowd: Any, kind: Any, own: Any, states: list[bytes], stick: np.ndarray) -> np.ndarray:
    import kinematch as km

    out = []
    for state, velocity in zip(states, stick):
        own.restore(state)
        for name, array in crowd.state.arrays().items():
            if array.nbytes:
                array[...] = own.array(name)
        out.append(crowd.step(km.move(velocity, velocity), 1 / RATE).global_positions[0].copy())
    return np.stack(out)


def _count(a: np.ndarray, b: np.ndarray) -> int:
    """Steps with the same bits."""
    return int((a.view(np.uint32) == b.view(np.uint32)).all(axis=(1, 2)).sum())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=["built-in"])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--packed", action="store_true")
    parser.add_argument("--transition", default="spring")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)  # the process without fused multiply-add
    given = parser.parse_args()
    options: dict[str, Any] = {"packed": given.packed, "transition": given.transition}
    if given.inside:
        found = compare(given.paths[0], given.steps, **options)
        arrays = {name: found.pop(name) for name in ("native", "frames", "whole")}
        np.savez(given.inside, **arrays)
        print(json.dumps(found))
        return 0
    for path in given.paths:
        with tempfile.TemporaryDirectory() as folder:
            arrays_at = Path(folder) / "arrays.npz"
            command = [sys.executable, "-m", "kinematch.bench.exported", path, "--steps", str(given.steps)]
            command += ["--transition", given.transition, "--inside", str(arrays_at), *["--packed"] * given.packed]
            done = subprocess.run(command, env={**os.environ, **GENERIC}, capture_output=True, text=True)
            if done.returncode:
                print(done.stderr, file=sys.stderr)
                return 1
            print(path, json.loads(done.stdout.splitlines()[-1]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
