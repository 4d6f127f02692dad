"""Two experiments of *digital humans*, repeated: the filtered root (figures 4 and 5), three kinds of foot lock (4.5).

python docs/figures/experiments.py [FOLDER OF CMU AND LAFAN1 MOCAP]
"""

import sys
from pathlib import Path

import numpy as np
from board import Board
from stage import COURSE, DT, LEFT_TOE, RIGHT_TOE, Run, Stage

import kinematch.files as files
from kinematch.character import Settings
from kinematch.motion.clean.resample import resample
from kinematch.motion.clean.root import DIRECTION_WINDOW, POSITION_WINDOW, add_root
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import global_pose

IMAGES = Path(__file__).parents[1] / "images"
UNFILTERED = 1e-3  # s: a window of one frame
LOCKS = {
    "none": Settings(foot_lock=False),
    "lock": Settings(lock_halflife=0.005, unlock_halflife=0.005),
    "smoothed lock (default)": Settings(),
}


def trace_roots(clip: Clip) -> tuple[np.ndarray, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Hips (F, 2) in m, and by name the root's places (F, 2) and unwrapped headings (F,)."""
    roots = {}
    for name, windows in (
        ("before", (UNFILTERED, UNFILTERED)),
        ("filtered (default)", (POSITION_WINDOW, DIRECTION_WINDOW)),
    ):
        rooted = add_root(clip, position_window=windows[0], direction_window=windows[1])
        roots[name] = rooted.positions[:, 0, ::2].astype(float), np.unwrap(yaw_of(rooted.rotations[:, 0].astype(float)))
    hips = global_pose(clip)[0][:, clip.skeleton.joint("hips"), ::2]
    return hips, roots


def report_roots(name: str, clip: Clip) -> str:
    """A row of the table: how much filtering changes, and how much smoother the root is."""
    _, roots = trace_roots(clip)
    (place, yaw), (smooth, smooth_yaw) = roots["before"], roots["filtered (default)"]
    apart = np.sqrt(((place - smooth) ** 2).mean())
    turned = np.sqrt(((yaw - smooth_yaw) ** 2).mean())
    jerks = [np.abs(np.diff(own, 2, axis=0)).mean() * clip.frame_rate**2 for own in (place, smooth)]
    turns = [np.abs(np.diff(own, 2)).mean() * clip.frame_rate**2 for own in (yaw, smooth_yaw)]
    return (
        f"| {name} | {100 * apart:.2f} | {np.degrees(turned):.2f} | {jerks[0]:.2f} -> {jerks[1]:.2f} | "
        f"{np.degrees(turns[0]):.0f} -> {np.degrees(turns[1]):.0f} |"
    )


def draw_roots(clip: Clip, first: int, count: int):
    hips, roots = trace_roots(clip)
    own = slice(first, first + count)
    seconds = np.arange(count) / clip.frame_rate
    board = Board(3, 1)
    for axis, name in ((0, "x"), (1, "z")):
        lines = {"hips": (seconds, 100 * hips[own, axis])}
        lines |= {what: (seconds, 100 * place[own, axis]) for what, (place, _) in roots.items()}
        board.lines(f"Root: {name}", "position on the ground", lines, x="seconds", y="cm")
    lines = {what: (seconds, np.degrees(yaw[own])) for what, (_, yaw) in roots.items()}
    board.lines("Root: heading", "", lines, x="seconds", y="degrees")
    return board.canvas.finished()


def measure_lock(run: Run) -> tuple[float, float, float]:
    """Mean slide of planted toes in cm/s; 99.9 % and largest of the toes' accelerations in m/s^2."""
    toes = run.joints[:, [LEFT_TOE, RIGHT_TOE]]
    low = toes[1:, :, 1] < np.percentile(toes[..., 1], 15)  # near the ground
    speeds = np.linalg.norm(np.diff(toes, axis=0)[..., [0, 2]], axis=-1) / DT
    planted = low & (speeds < 0.6)
    accelerations = np.linalg.norm(np.diff(toes, 2, axis=0), axis=-1) / DT**2
    return 100 * speeds[planted].mean(), np.percentile(accelerations, 99.9), accelerations.max()


def main() -> None:
    stage = Stage()
    runs = {name: stage.run(COURSE, settings) for name, settings in LOCKS.items()}
    board = Board(3, 1)
    steps = slice(round(3.6 / DT), round(6.0 / DT))
    for what, joint in (("left", LEFT_TOE), ("right", RIGHT_TOE)):
        speeds = {
            name: (run.times[1:][steps], np.linalg.norm(np.diff(run.joints[:, joint], axis=0), axis=-1)[steps] / DT)
            for name, run in runs.items()
        }
        board.lines(
            "Foot lock", f"speed of the {what} toe in a turn of 135 degrees", speeds, x="seconds", y="m/s", high=4.0
        )
    board.ways(
        "Foot lock", "the left toe from above", {n: r.joints[steps, LEFT_TOE][:, [0, 2]] for n, r in runs.items()}
    )
    board.canvas.finished().save(IMAGES / "experiment-foot-lock.png")
    print("| foot lock | slide cm/s | toe acceleration, 99.9 % m/s^2 | largest |\n|---|---|---|---|")
    for name, run in runs.items():
        slide, high, most = measure_lock(run)
        print(f"| {name.removesuffix(' (default)')} | {slide:.1f} | {high:.0f} | {most:.0f} |")
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        walk = resample(files.read_clip(folder / "cmu" / "69_16.bvh"), 60.0)
        draw_roots(walk, 30, 85).save(IMAGES / "experiment-root.png")
        print(
            "\n| clip | position apart, cm rms | heading apart, degrees | m/s^2 | degrees/s^2 |\n|---|---|---|---|---|"
        )
        print(report_roots("CMU 69_16", walk))
        for name in ("aiming1_subject1_walk", "walk1_subject1_walk"):
            clip = files.read_clip(folder / "lafan1-clips" / f"{name}.bvh")
            print(report_roots(f"LAFAN1 {name}", resample(clip, 60.0)))


if __name__ == "__main__":
    main()
