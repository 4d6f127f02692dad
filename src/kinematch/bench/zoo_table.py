"""The table of docs/robots.md: every model of the zoo on motion files, replayed in MuJoCo.

`python -m kinematch.bench.zoo_table FOLDER` takes the files below from a folder of LAFAN1 clips and takes.
"""

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.bench.replay import Replay
from kinematch.bench.zoo import ZOO, Animal, prepare_model
from kinematch.evaluate.robots import pool_rows
from kinematch.files import read_clip
from kinematch.motion.clip import Clip
from kinematch.robot.quality import RobotQuality
from kinematch.robot.read import read_robot
from kinematch.robot.trial import try_robot

WALKS = ("walk1_subject1_walk", "walk3_subject4_walk")
GAITS = (*WALKS, "run2_subject4_run", "fightAndSports1_subject1_sidesteps")
FALLS = {"fallAndGetUp3_subject1": (1880, 2780)}  # frames: four times down and up
MAX_SECONDS = 50.0  # s of each clip
COLUMNS = (
    *("model", "hinges", "deviation cm", "falls cm", "beyond limits", "at limits", "at a speed limit", "of walks"),
    *("reversals", "rad/s2", "self-collision in MuJoCo", "floor in MuJoCo, mm", "slip cm/s (source)", "frames/s"),
)


def read_gaits(folder: Path) -> tuple[dict[str, Clip], dict[str, Clip]]:
    """Clips of locomotion and of falls, by name."""
    found = {path.stem: path for path in sorted(folder.rglob("*.bvh"))}
    missing = [name for name in (*GAITS, *FALLS) if name not in found]
    if missing:
        raise SystemExit(f"{folder}: no {', '.join(missing)}")
    gaits = {name: read_clip(found[name]) for name in GAITS}
    gaits = {name: clip.frames(0, min(clip.frame_count, int(MAX_SECONDS * clip.frame_rate)))
             for name, clip in gaits.items()}  # fmt: skip
    return gaits, {name: read_clip(found[name]).frames(*rows) for name, rows in FALLS.items()}


def measure_animal(animal: Animal, gaits: dict[str, Clip], falls: dict[str, Clip]) -> dict[str, object] | None:
    """Figures of one model; none where its package is not installed."""
    import mujoco

    path = animal.find()
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        prepared, changed = prepare_model(path, Path(folder))
        model = read_robot(prepared)
        replay = Replay(model, mujoco.MjModel.from_xml_path(str(prepared)))
        rows: list[RobotQuality] = []
        touching, frames, deepest = 0, 0, 0.0
        for clip in gaits.values():
            motion, quality = try_robot(clip, model)
            rows.append(quality)
            touched, depth = replay.count_collisions(motion)
            touching, frames, deepest = touching + touched, frames + motion.frame_count, max(deepest, depth)
        fallen = pool_rows([try_robot(clip, model)[1] for clip in falls.values()], "falls")
    walks = [row for name, row in zip(gaits, rows) if name in WALKS]
    return {
        "animal": asdict(animal), "changed": changed, "hinges": model.hinge_count,
        "all": asdict(pool_rows(rows, "all")), "walks": asdict(pool_rows(walks, "walks")), "falls": asdict(fallen),
        "touching": touching / frames, "floor": deepest,
    }  # fmt: skip


def write_row(found: dict[str, Any]) -> str:
    """A line of the table in markdown."""
    animal, row = found["animal"], found["all"]
    marks = " *" * found["changed"] + " †" * animal["unseen"]
    cells = (
        animal["name"] + marks,
        str(found["hinges"]),
        f"{100 * row['deviation']:.1f}",
        f"{100 * found['falls']['deviation']:.1f}",
        str(row["limit_violations"]),
        f"{row['limit_share']:.1%}",
        f"{row['speed_share']:.2%}",
        f"{found['walks']['speed_share']:.2%}",
        f"{row['reversal_share']:.2%}",
        f"{row['joint_acceleration']:.0f}",
        f"{found['touching']:.2%}",
        f"{1000 * found['floor']:.1f}",
        f"{100 * row['slip']:.1f} ({100 * row['source_slip']:.1f})",
        f"{row['rate']:,.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="models whose names have this in them")
    parser.add_argument("--json", type=Path, help="write all figures")
    options = parser.parse_args()
    gaits, falls = read_gaits(options.folder)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    everything = []
    for animal in ZOO:
        if options.only in animal.name:
            found = measure_animal(animal, gaits, falls)
            print(
                f"| {animal.name}: {animal.package} is not installed |" if found is None else write_row(found),
                flush=True,
            )
            everything.append(found)
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1, default=np.ndarray.tolist))


if __name__ == "__main__":
    main()
