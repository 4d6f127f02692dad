"""Exporting: what one character did in a stretch of the history, as a motion file or a moving picture."""

from pathlib import Path

import numpy as np

from kinematch.draw.animation import animate
from kinematch.errors import KinematchError, unknown
from kinematch.files import write_clip
from kinematch.motion.clip import Clip
from kinematch.studio.layout import POSE, unpack
from kinematch.studio.stage import STEP_RATE, Stage

FORMATS = {
    "bvh": "text/plain",
    "glb": "model/gltf-binary",
    "gif": "image/gif",
    "mp4": "video/mp4",
}
LONGEST_PICTURE = 60.0  # s; drawing takes as long as that again
WXYZ = [3, 0, 1, 2]  # from x y z w


def export(path: Path, stage: Stage, *, start: int = 0, stop: int | None = None, character: int = 0) -> None:
    """Write steps [start, stop) of a character in the form that the suffix tells."""
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise KinematchError(unknown("format", kind, FORMATS))
    clip = played(stage, start, stop, character)
    if kind in ("bvh", "glb"):
        write_clip(path, clip)
        return
    if clip.duration > LONGEST_PICTURE:
        raise KinematchError(
            f"{clip.duration:.0f} s are too long for a picture: choose {LONGEST_PICTURE:.0f} s at most"
        )
    animate(clip, path, frames_per_second=20 if kind == "gif" else 30)


def played(stage: Stage, start: int = 0, stop: int | None = None, character: int = 0) -> Clip:
    """What a character did, as a clip; to the bit what was shown."""
    frames = [unpack(POSE, moment.frame)[1] for moment in stage.history.between(start, stop)]
    frames = [arrays for arrays in frames if character < len(arrays["frames"])]
    if len(frames) < 2:
        raise KinematchError(f"nothing is remembered of character {character} in steps {start} to {stop}")
    poses, view = stage.database.poses, stage.view
    positions = np.repeat(poses.positions[:1], len(frames), axis=0)
    positions[:, view.positioned] = np.stack([arrays["positions"][character] for arrays in frames])
    positions[:, 0] = np.stack([arrays["roots"][character, :3] for arrays in frames])
    rotations = np.stack([arrays["rotations"][character][:, WXYZ] for arrays in frames])
    return Clip(poses.skeleton, positions, rotations, STEP_RATE, name="played")
