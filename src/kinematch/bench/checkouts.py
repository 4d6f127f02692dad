"""Compares two checkouts of Kinematch in alternating runs: python -m kinematch.bench.checkouts OLD NEW.

Each run is a process of its own that imports one checkout and steps a crowd; the figures are ratios of pairs of runs.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

# works on checkouts of any age: it uses nothing but what every version has
CHILD = """
import json, sys, time
import numpy as np
from kinematch.character import Command, Crowd, Settings
from kinematch.database.build import build
recipe, count, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
database = build(recipe)
database = getattr(database, "database", database)
tags = "level0" if "level0" in database.poses.tags.names else ""
side = int(np.ceil(count**0.5))
places = np.array([[n % side, 0.0, n // side] for n in range(count)], float)
crowd = Crowd(database, count, settings=Settings(search_interval=0.1), positions=places)
rng = np.random.default_rng(0)
angles, speeds = rng.uniform(-np.pi, np.pi, count), rng.choice((0.0, 1.3, 1.3, 2.5), count)
out, times = None, []
for step in range(steps):
    new = rng.random(count) < 1 / 90
    angles = np.where(new, rng.uniform(-np.pi, np.pi, count), angles)
    speeds = np.where(new, rng.choice((0.0, 1.3, 1.3, 2.5), count), speeds)
    ways = np.stack([np.sin(angles), 0 * angles, np.cos(angles)], 1)
    command = Command(ways * speeds[:, None], np.where((speeds == 0)[:, None], 0.0, ways), tags)
    before = time.perf_counter()
    out = crowd.step(command, 1 / 60, out=out)
    times.append(time.perf_counter() - before)
times = np.array(times[steps // 5:]) * 1e3
print(json.dumps({"median": float(np.median(times)), "p99": float(np.percentile(times, 99))}))
"""


def run(checkout: Path, recipe: Path, count: int, steps: int) -> dict[str, float]:
    """Step times in ms of one run of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-c", CHILD, str(recipe), str(count), str(steps)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{checkout}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a checkout")
    parser.add_argument("new", type=Path, help="another one")
    parser.add_argument("recipe", type=Path, help="a recipe that both can build; copied where each writes its own file")
    parser.add_argument("--characters", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--runs", type=int, default=9, help="of each checkout")
    given = parser.parse_args()
    rows: dict[Path, list[dict[str, float]]] = {given.old: [], given.new: []}
    for number in range(given.runs + 1):
        for checkout, found in rows.items():
            own = given.recipe.with_name(f"{given.recipe.stem}-{checkout.name}.toml")
            if not own.exists():
                own.write_text(given.recipe.read_text())
            one = run(checkout, own, given.characters, given.steps if number else 10)
            if number:  # the first run compiles and builds
                found.append(one)
                print(f"{checkout.name}: median {one['median']:.2f} ms, p99 {one['p99']:.2f} ms", flush=True)
    for name in ("median", "p99"):
        old, new = (np.array([one[name] for one in found]) for found in rows.values())
        print(
            f"{name}: new over old {np.median(new / old):.3f} (pairs from {min(new / old):.3f} to {max(new / old):.3f})"
        )


if __name__ == "__main__":
    main()
