"""`kinematch convert`: one motion file into another, or into a picture of it, through our own types."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.options import check_output, option
from kinematch.errors import FileError, listed, unknown

if TYPE_CHECKING:
    from kinematch.motion.clip import Clip

MOVING = (".gif", ".webp", ".mp4")


def convert(
    source: Annotated[tyro.conf.Positional[Path], option("the motion file to read")],
    target: Annotated[tyro.conf.Positional[Path], option("the file to write; its ending says what it becomes")],
    /,
    clip: Annotated[str | None, option("which animation of a file that holds several")] = None,
    frame_rate: Annotated[float | None, option("resample to this many frames per second")] = None,
    mirror: Annotated[bool, option("exchange left and right")] = False,
    root: Annotated[bool, option("add a ground root as first joint")] = False,
    skeleton: Annotated[Path | None, option("retarget to the rig of this file")] = None,
    start: Annotated[float, option("leave out what comes before, in seconds")] = 0.0,
    stop: Annotated[float | None, option("leave out what comes after, in seconds")] = None,
    unit: Annotated[str | None, option("the source's unit, where it is told wrong")] = None,
    up: Annotated[str | None, option("the source's up axis, where it is told wrong")] = None,
) -> int:
    """Read SOURCE (bvh, gltf, glb, vrm, vrma) and write TARGET, the form told by its suffix.

    bvh and glb are motion; gif, webp and mp4 a moving picture; png a sheet of sixteen moments.
    """
    from kinematch.cli.doctor import number_or_name
    from kinematch.cli.screen import Screen
    from kinematch.files import WRITABLE, read_clip, read_clips
    from kinematch.motion.edit import trim
    from kinematch.motion.mirror import mirror as mirrored
    from kinematch.motion.resample import resample
    from kinematch.motion.retarget import retarget
    from kinematch.motion.root import add_root

    check_output(target, *WRITABLE, *MOVING, ".png")
    motion = _choose(source, clip, read_clips(source, unit=number_or_name(unit), up=up))
    motion = trim(motion, start, stop)
    if frame_rate is not None:
        motion = resample(motion, frame_rate)
    if mirror:
        motion = mirrored(motion)
    if root:
        motion = add_root(motion)
    if skeleton is not None:
        motion = retarget(motion, read_clip(skeleton).skeleton)
    write_motion(target, motion)
    joints = motion.skeleton.joint_count
    Screen().say(f"{target}: {motion.frame_count} frames at {motion.frame_rate:g} fps, {joints} joints")
    return 0


def write_motion(path: Path, motion: "Clip") -> None:
    """Motion, a moving picture or a sheet, as the suffix says."""
    from kinematch.cli.screen import progress_bar, write_picture
    from kinematch.draw.animation import animate
    from kinematch.draw.sheet import contact_sheet
    from kinematch.files import write_clip

    suffix = path.suffix.lower()
    if suffix in MOVING:
        with progress_bar("drawing") as show:
            animate(motion, path, progress=show)
    elif suffix == ".png":
        write_picture(path, contact_sheet(motion))
    else:
        write_clip(path, motion)


def _choose(path: Path, name: str | None, clips: list["Clip"]) -> "Clip":
    if name is None:
        if len(clips) > 1:
            names = listed([clip.name for clip in clips])
            raise FileError(path, f"holds {len(clips)} animations; choose one with --clip: {names}")
        return clips[0]
    for clip in clips:
        if clip.name == name:
            return clip
    raise FileError(path, unknown("animation", name, [clip.name for clip in clips]))
