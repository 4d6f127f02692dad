"""The figures of a character's feet, legs and ground: toes seen as curves, paths and bands, legs from the side."""

import numpy as np
from board import Board
from PIL import Image
from stage import COURSE, DT, LEFT_KNEE, LEFT_TOE, RIGHT_TOE, Run, Stage, curves, speed

from kinematch.motion.clip import true_ranges
from kinematch.scene.terrain import HeightFunction

SPIN = ((0.5, 0, 0), (3.0, 0, 170))
STEP, TREAD = 0.17, 0.42  # m
SLOWLY = ((5.5, 0.9, 0),)


def bands(runs: dict[str, Run]):
    """When the left toe was locked."""
    return {
        name: ((), (), [(run.times[start] - DT, run.times[stop - 1]) for start, stop in true_ranges(run.locked[:, 0])])
        for name, run in runs.items()
    }


def toe(run: Run) -> np.ndarray:
    return run.joints[:, LEFT_TOE]


def moved(run: Run) -> np.ndarray:
    """cm along the ground from where the toe would be without a lock."""
    return 100 * np.linalg.norm((toe(run) - run.free[:, 0])[:, [0, 2]], axis=-1)


def stance(run: Run, after: float) -> tuple[int, int]:
    """Steps [start, stop) in which the left toe is first locked for a while from a time on."""
    return next((a, b) for a, b in true_ranges(run.locked[:, 0]) if run.times[a] > after and b - a > 0.3 / DT)


def draw_feet(stage: Stage) -> Image.Image:
    board = Board(3, 3)
    runs = stage.variants("foot_lock", (False, True), COURSE)
    told = "the left toe's speed, up to 1 m/s; 135 degrees asked at the dashes"
    board.lines("foot_lock", told, curves(runs, lambda r: speed(toe(r)), 3.6, 6.0), x="seconds", y="m/s", marks=(4.0,),
                high=1.0)  # fmt: skip
    start, stop = stance(runs["on (default)"], 4.0)
    begun, ended = runs["on (default)"].times[[start, stop - 1]]
    told = f"the left toe from above, while it stands from {begun:.2f} to {ended:.2f} s"
    board.ways("foot_lock", told, {n: toe(r)[start:stop][:, [0, 2]] for n, r in runs.items()}, dots=3)
    runs = stage.variants("clearance", (0.0, 0.02, 0.06), COURSE)
    told = "height of the left toe, about the same turn"
    board.lines(
        "clearance", told, curves(runs, lambda r: 100 * toe(r)[:, 1], 3.6, 6.0), x="seconds", y="cm", marks=(4.0,)
    )
    runs = stage.variants("lock_halflife", (0.02, 0.065, 0.2), COURSE)
    told = "speed of the left toe as it is planted"
    own = curves(runs, lambda r: speed(toe(r)), begun - 0.15, begun + 0.45)
    board.lines("lock_halflife", told, own, x="seconds", y="m/s", high=0.8)
    runs = stage.variants("unlock_halflife", (0.03, 0.12, 0.4), COURSE)
    told = "how far the left toe is from where the clip has it"
    board.lines("unlock_halflife", told, curves(runs, moved, 3.6, 6.0), x="seconds", y="cm", marks=(4.0,))
    for name, values, asked, told in (
        ("unlock_distance", (0.05, 0.15, 0.35), COURSE, "when the left toe is locked; the same course"),
        ("unlock_angle", (0.2, 0.5, 1.6), SPIN, "when the left toe is locked; turning in place"),
        ("unlock_speed", (0.2, 1.0, 10.0), COURSE, "when the left toe is locked; the same course"),
    ):
        end = asked[-1][0]
        board.timeline(
            name, told, bands(stage.variants(name, values, asked)), end=end, marks=(0.5,) if asked is SPIN else ()
        )
    runs = stage.variants("extension", (0.9, 0.99, 1.0), SLOWLY, {"pelvis": False}, terrain=HeightFunction(down))
    told = "hip to ankle, of the leg's length; down steps, pelvis off"
    apart = np.abs(reach(runs["0.9"]) - reach(runs["1"]))
    middle = runs["1"].times[int(np.argmax(apart))]
    board.lines("extension", told, curves(runs, reach, middle - 0.45, middle + 0.45), x="seconds", y="per cent", low=92)
    return board.canvas.finished()


def stairs(x, z):
    return STEP * np.clip(np.floor((np.asarray(z) - 1.0) / TREAD), 0, 4)


def down(x, z):
    return -stairs(x, z)


def slope(x, z):
    return 0.35 * np.clip(np.asarray(z) - 1.0, 0, 2.0)


def reach(run: Run) -> np.ndarray:
    """Per cent of the left leg's length from hip to ankle."""
    hip, knee, ankle = (run.joints[:, j].astype(float) for j in LEFT_KNEE)
    whole = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    return 100 * np.linalg.norm(ankle - hip, axis=-1) / whole


def floating(run: Run) -> np.ndarray:
    """m that the right toe, while it is locked, is above the steps down."""
    places = run.joints[:, RIGHT_TOE]
    return np.where(run.locked[:, 1], places[:, 1] - down(0, places[:, 2]), 0.0)


def draw_ground(stage: Stage) -> Image.Image:
    board = Board(2, 3, (540, 330))
    parents = stage.database.poses.skeleton.parents
    for name, ground in (("steps of 17 cm", stairs), ("a slope of 19 degrees", slope)):
        run = stage.run(SLOWLY, terrain=HeightFunction(ground))
        poses = {"every 0.6 s": run.joints[40:292:36]}
        board.side("terrain", name, poses, parents=parents, ground=lambda z, g=ground: g(0, z), span=(-0.4, 4.4))
    told = "height of the root on those steps; dashes: from one step to the next"
    runs = stage.variants("ground_halflife", (0.03, 0.1, 0.4), SLOWLY, terrain=HeightFunction(stairs))
    edges = [np.interp(1.0 + k * TREAD, run.roots[:, 1], run.times) for k in range(1, 5)]
    board.lines(
        "ground_halflife", told, curves(runs, lambda r: r.joints[:, 0, 1], 1.5, 5.0), x="seconds", y="m", marks=edges
    )
    told = "height of the left toe on those steps"
    board.lines("ground_halflife", told, curves(runs, lambda r: toe(r)[:, 1], 1.5, 5.0), x="seconds", y="m")
    runs = stage.variants("pelvis", (False, True), SLOWLY, terrain=HeightFunction(down))
    worst = int(np.argmax(floating(runs["off"]) - floating(runs["on (default)"])))
    middle = float(runs["on (default)"].roots[worst, 1])
    told = "down steps of 17 cm: lowered, the planted foot reaches its step"
    poses = {name: run.joints[worst : worst + 1] for name, run in runs.items()}
    board.side(
        "pelvis", told, poses, parents=parents, ground=lambda z: down(0, z), span=(middle - 1.9, middle + 1.9), tall=3
    )
    runs = stage.variants("pelvis_halflife", (0.05, 0.2, 0.5), SLOWLY, terrain=HeightFunction(down))
    told = "by how much the pelvis is lowered on the way down"
    board.lines("pelvis_halflife", told, curves(runs, lambda r: 100 * r.sunk, 1.0, 5.0), x="seconds", y="cm")
    return board.canvas.finished()
