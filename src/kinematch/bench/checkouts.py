"""Compares two checkouts of Kinematch in alternating runs: python -m kinematch.bench.checkouts OLD NEW FILES.

Each run is a process of its own that imports one checkout and steps a crowd; the figures are ratios of pairs of runs.
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

from kinematch.bench.machine import machine

CROWD_SIZES = (1, 100, 1000, 10_000)
# works on checkouts of any age: dance_card() is what versions before 0.2 call the built-in database
STEPS = """
import json, sys, time
import numpy as np
import kinematch as km
path, count, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
source = km.dance_card() if path == "built-in" and hasattr(km, "dance_card") else km.load(path)
poses = getattr(source, "poses", None)
tags = "level0" if poses is not None and "level0" in poses.tags.names else ""
side = int(np.ceil(count**0.5))
places = np.array([[n % side, 0.0, n // side] for n in range(count)], float)
crowd = km.Crowd(source, count, settings=km.Settings(search_interval=0.1), positions=places)
rng = np.random.default_rng(0)
angles, speeds = rng.uniform(-np.pi, np.pi, count), rng.choice((0.0, 1.3, 1.3, 2.5), count)
out, times, searched = None, [], []
for step in range(steps):
    new = rng.random(count) < 1 / 90
    angles = np.where(new, rng.uniform(-np.pi, np.pi, count), angles)
    speeds = np.where(new, rng.choice((0.0, 1.3, 1.3, 2.5), count), speeds)
    ways = np.stack([np.sin(angles), 0 * angles, np.cos(angles)], 1)
    command = km.Command(ways * speeds[:, None], np.where((speeds == 0)[:, None], 0.0, ways), tags)
    before = time.perf_counter()
    out = crowd.step(command, 1 / 60, out=out)
    times.append(time.perf_counter() - before)
    searched.append(bool(out.searched.any()))
times, searched = np.array(times[steps // 5:]) * 1e6 / count, np.array(searched[steps // 5:])
found = {"median": np.median(times), "p99": np.percentile(times, 99)}
if count == 1:
    found |= {"without a search": np.median(times[~searched]), "with a search": np.median(times[searched])}
print(json.dumps({name: float(value) for name, value in found.items()}))
"""
# a first start: nothing compiled is kept from earlier runs
START = """
import json, time
import numpy as np
import kinematch as km
database = km.dance_card() if hasattr(km, "dance_card") else km.load("built-in")
before = time.process_time()
km.Crowd(database).step(km.move(np.zeros(3)), 1 / 60)
print(json.dumps({"first step, processor time": 1e6 * (time.process_time() - before)}))
"""


def run(checkout: Path, program: str, *given: object, **more: str) -> dict[str, float]:
    """Microseconds by measure, of one run of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")} | more
    command = [sys.executable, "-P", "-c", program, *map(str, given)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{checkout}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(
    old: Path, new: Path, program: str, *given: object, runs: int, cold: bool = False
) -> dict[str, dict[str, Any]]:
    """By measure: medians of both, and the ratios of pairs of runs."""
    checkouts = old, new  # which may be one and the same, to see the noise
    found: tuple[list[dict[str, float]], ...] = [], []
    for number in range(runs):
        for side in (0, 1) if number % 2 else (1, 0):
            with tempfile.TemporaryDirectory(prefix="kinematch-") as folder:
                more = {"NUMBA_CACHE_DIR": folder} if cold else {}
                found[side].append(run(checkouts[side], program, *given, **more))
    rows = {}
    for name in found[0][0]:
        before, now = (np.array([one[name] for one in side]) for side in found)
        ratios = now / before
        rows[name] = {
            "old": float(np.median(before)), "new": float(np.median(now)), "ratio": float(np.median(ratios)),
            "least": float(ratios.min()), "most": float(ratios.max()),
        }  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a checkout")
    parser.add_argument("new", type=Path, help="another one")
    parser.add_argument(
        "files", nargs="*", default=["built-in"], help="databases, packed ones or models that both can open"
    )
    parser.add_argument("--characters", type=int, nargs="+", default=CROWD_SIZES)
    parser.add_argument("--steps", type=int, default=0, help="of each run; default: 3,000 for one, 300 for 10,000")
    parser.add_argument("--runs", type=int, default=7, help="of each checkout")
    parser.add_argument("--first-start", action="store_true", help="also compile from nothing, which takes minutes")
    parser.add_argument("--json", type=Path, help="write all figures")
    given = parser.parse_args()
    table: dict[str, dict[str, dict[str, Any]]] = {}

    def note(what: str, rows: dict[str, dict[str, Any]]) -> None:
        table[what] = rows
        for name, row in rows.items():
            print(
                f"{what:<44} {name:<27} {row['old']:>12,.2f} {row['new']:>12,.2f} us"
                f"   new/old {row['ratio']:.3f} ({row['least']:.3f} to {row['most']:.3f})",
                flush=True,
            )

    for file in given.files:
        for count in given.characters:
            steps = given.steps or max(300, int(3000 / count**0.25))
            for checkout in (given.old, given.new):
                run(checkout, STEPS, file, count, 10)  # compiles and opens
            note(f"{Path(file).name}, {count:,} characters, each", compare(
                given.old, given.new, STEPS, file, count, steps, runs=given.runs
            ))  # fmt: skip
    for count in given.characters:
        for file in given.files[1:]:
            first, other = (
                table[f"{Path(one).name}, {count:,} characters, each"]["median"]["new"]
                for one in (given.files[0], file)
            )
            print(f"{Path(file).name} over {Path(given.files[0]).name}, new, {count:,}: {other / first:.2f}")
    if given.first_start:
        note("first start", compare(given.old, given.new, START, runs=min(given.runs, 3), cold=True))
    if given.json:
        given.json.write_text(json.dumps({"machine": machine(), "microseconds": table}, indent=1))


if __name__ == "__main__":
    main()
