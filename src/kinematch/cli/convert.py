"""`kinematch convert`: one motion file into another, or into a picture of it, through our own types."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from kinematch.cli.options import check_output, option
from kinematch.errors import FileError, KinematchError, listed, unknown

if TYPE_CHECKING:
    from kinematch.motion.clip import Clip
    from kinematch.motion.retarget.settings import RetargetSettings

MOVING = (".gif", ".webp", ".mp4")
TRAJECTORIES = (".csv", ".npz", ".lerobot")  # of robots


def convert(
    source: Annotated[tyro.conf.Positional[Path], option("the motion file to read")],
    target: Annotated[tyro.conf.Positional[Path], option("the file to write; its suffix selects the format")],
    /,
    clip: Annotated[str | None, option("name of the animation, if the file has several")] = None,
    frame_rate: Annotated[float | None, option("resample to this many frames per second")] = None,
    mirror: Annotated[bool, option("exchange left and right")] = False,
    root: Annotated[bool, option("add a ground root as the first joint")] = False,
    retarget: Annotated[
        Path | None,
        option("retarget to the character or rig in this file; a GLB keeps its meshes", "--skeleton"),
    ] = None,
    hands: Annotated[
        Literal["free", "together", "world"],
        option("with --retarget: hands follow the arms, keep touching each other, or reach scaled positions"),
    ] = "free",
    without: Annotated[
        tuple[Literal["feet", "pelvis", "arms", "twist", "fingers", "ends"], ...],
        option("with --retarget: corrections to skip"),
    ] = (),
    robot: Annotated[
        Path | None, option("retarget the motion to this robot (MJCF or URDF) and score it; angles as csv or npz")
    ] = None,
    roles: Annotated[
        Path | None,
        option("with --robot: names of its parts where they mislead (toml); a file that is missing is written"),
    ] = None,
    start: Annotated[float, option("start of the range to keep, in seconds")] = 0.0,
    stop: Annotated[float | None, option("end of the range to keep, in seconds")] = None,
    unit: Annotated[str | None, option("the source's unit, if detection is wrong")] = None,
    up: Annotated[str | None, option("the source's up axis, if detection is wrong")] = None,
    engine: Annotated[
        Literal["unreal", "unity", "godot", "blender", "three"] | None,
        option("bone names, rest pose, frame rate and root motion for this program", name="for"),
    ] = None,
    root_motion: Annotated[
        Literal["root", "in-place", "hips"] | None,
        option("with --for: root motion on a root bone, removed, or on the hips; default: as the program expects"),
    ] = None,
) -> int:
    """Read SOURCE (bvh, gltf, glb, vrm, vrma, npz of AMASS, fbx) and write TARGET in the format of its suffix.

    bvh, glb, vrma, npz (AMASS) and usda are motion; gif, webp and mp4 a film; png a sheet of sixteen stills.
    """
    from kinematch.cli.doctor import number_or_name
    from kinematch.cli.screen import Screen
    from kinematch.files import WRITABLE, read_clips
    from kinematch.files.engines import check_engine, prepare_clip, resample_for_engine, write_for_engine
    from kinematch.files.gltf_character import has_meshes, write_character
    from kinematch.motion.clean.edit import trim
    from kinematch.motion.clean.mirror import mirror as mirrored
    from kinematch.motion.clean.resample import resample
    from kinematch.motion.clean.root import add_root
    from kinematch.motion.retarget.settings import leave_out

    if robot is None and target.suffix.lower() == ".csv":
        raise FileError(target, "holds joint angles of a robot; name its model with --robot")
    if robot is not None and (retarget is not None or root or engine is not None):
        raise KinematchError("--robot stands alone: --retarget, --root and --for mean nothing with it")
    if robot is None and roles is not None:
        raise KinematchError("--roles names the parts of a robot; name its model with --robot")
    own = TRAJECTORIES if robot is not None else (".vrm",) if retarget is not None else ()
    check_output(target, *WRITABLE, *MOVING, ".png", *own, reads=[source, retarget, robot, roles])
    if engine is not None:
        check_engine(target, engine)
    elif root_motion is not None:
        raise KinematchError("--root-motion is about a program: name one with --for")
    if retarget is None and (without or hands != "free"):
        raise KinematchError("--hands and --without say how to retarget; name a character with --retarget")
    motion = _choose(source, clip, read_clips(source, unit=number_or_name(unit), up=up))
    motion = trim(motion, start, stop)
    if frame_rate is not None and robot is None:
        motion = resample(motion, frame_rate)
    if mirror:
        motion = mirrored(motion)
    if root:
        motion = add_root(motion)
    if robot is not None:
        from kinematch.cli.convert_robot import convert_for_robot

        convert_for_robot(target, motion, robot, frame_rate=frame_rate, roles=roles)
        return 0
    if retarget is not None:
        motion = _put_on(motion, retarget, leave_out(without, hands))
    if retarget is not None and target.suffix.lower() in (".glb", ".vrm") and has_meshes(retarget):
        if root_motion is not None:
            raise KinematchError("--root-motion adds a bone, but the character of --retarget keeps its own bones")
        if engine is not None and frame_rate is None:
            motion = resample_for_engine(motion, engine)
        write_character(target, motion, retarget)
    elif engine is not None:
        motion = prepare_clip(motion, engine, root_motion=root_motion, rate=frame_rate is None)
        write_for_engine(target, motion, engine)
    else:
        write_motion(target, motion)
    joints = motion.skeleton.joint_count
    Screen().say(f"{target}: {motion.frame_count} frames at {motion.frame_rate:g} fps, {joints} joints")
    return 0


def _put_on(motion: "Clip", body: Path, settings: "RetargetSettings") -> "Clip":
    """The motion on the character or rig of a file, put on the floor first."""
    from kinematch.files import read_clip
    from kinematch.files.body_measures import read_bulk
    from kinematch.motion.clean.floor import put_on_floor
    from kinematch.motion.retarget.retarget_clip import retarget

    skeleton = read_clip(body).skeleton
    if "root" not in motion.skeleton.roles and settings.feet:
        motion = put_on_floor(motion)
    return retarget(motion, skeleton, settings, bulk=read_bulk(body, skeleton))


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
