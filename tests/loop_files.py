"""Loops as games have them: a folder of idle, walk and run of about a second each, in place, one file each."""

from pathlib import Path

import numpy as np

from kinematch.database.loops import close_loop
from kinematch.files import write_clip
from kinematch.math import quaternion
from kinematch.synth import motions, perform

# the motion that each is cut from, and how long it is at least and at most, s
LOOPS = {
    "idle": ("idle", 1.0, 1.2),
    "walk": ("walk_1.35", 0.8, 1.4),
    "run": ("run_2.6", 0.5, 1.0),
}
FIRST = 3.0  # s of the motion that a loop is cut from


def write_loops(folder: Path) -> None:
    """`idle.bvh`, `walk.bvh` and `run.bvh`, which end with the pose in which they begin, over one spot."""
    card = {motion.name: motion for motion in motions()}
    for name, (motion, shortest, longest) in LOOPS.items():
        clip = perform(card[motion], seed=1).clip
        start = round(FIRST * clip.frame_rate)
        lengths = np.arange(round(shortest * clip.frame_rate), round(longest * clip.frame_rate) + 1)
        first = clip.rotations[start, 1:]
        apart = [float(quaternion.angle(clip.rotations[start + n, 1:], first).mean()) for n in lengths]
        stop = start + int(lengths[int(np.argmin(apart))])
        loop, _ = close_loop(clip.frames(start, stop + 1))
        positions, rotations = loop.positions.copy(), loop.rotations.copy()
        positions[:, 0, ::2], rotations[:, 0] = 0.0, [1, 0, 0, 0]
        write_clip(folder / f"{name}.bvh", loop.with_(positions=positions, rotations=rotations, name=name))
