"""Exporting: what one character did in a stretch of the history, as a motion file."""

from importlib.util import find_spec
from pathlib import Path

from kinematch.errors import KinematchError, unknown
from kinematch.files import write_clip
from kinematch.motion.clip import Clip
from kinematch.motion.record import record
from kinematch.stream.layout import STEP_RATE
from kinematch.studio.session.mesh_clips import write_worn
from kinematch.studio.session.stage import Stage

FORMATS = {"bvh": "text/plain", "glb": "model/gltf-binary"}
FILMS = {"gif": "image/gif", "mp4": "video/mp4"}  # drawn by a page, see filming.py
ENCODER = "imageio_ffmpeg"  # package that MP4 needs


def find_formats() -> list[str]:
    """The formats, films included, that work on this machine."""
    return [kind for kind in (*FORMATS, *FILMS) if kind != "mp4" or find_spec(ENCODER) is not None]


def export(path: Path, stage: Stage, *, start: int = 0, stop: int | None = None, character: int = 0) -> None:
    """Write steps [start, stop) of a character in the format of the suffix."""
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise KinematchError(unknown("format", kind, FORMATS))
    clip = make_played_clip(stage, start, stop, character)
    if kind == "glb" and stage.worn is not None and stage.worn.content:
        write_worn(path, clip, stage.worn, stage.scale)
    else:
        write_clip(path, clip)


def make_played_clip(stage: Stage, start: int = 0, stop: int | None = None, character: int = 0) -> Clip:
    """What a character did, as a clip of the shown skeleton; to the bit what was shown."""
    pictures = [moment.picture for moment in stage.history.between(start, stop)]
    pictures = [picture for picture in pictures if character < len(picture.arrays["frames"])]
    if len(pictures) < 2:
        raise KinematchError(f"no steps of character {character} are kept between {start} and {stop}")
    poses = [picture.local_poses(stage.view) for picture in pictures]
    return record(poses, stage.skeleton, STEP_RATE, character=character)
