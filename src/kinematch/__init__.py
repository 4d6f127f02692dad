"""Motion matching in Python: from raw motion capture to a steerable full-body character.

    import kinematch as km

    database = km.load("built-in")  # or km.build("recipe.toml"), km.load("my.kinematch")
    character = km.Crowd(database)
    poses = [character.step(km.move([0, 0, 1.35]), 1 / 60) for _ in range(600)]
    km.save("walk.glb", km.record(poses, database.skeleton, 60))

Some folders offer further names: `km.draw.contact_sheet`, `km.robot.read_robot`, `km.synth.walk_along`. Each name is
imported when it is first used, so that `import kinematch` itself costs next to nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # to type checkers it is true; importing it from typing would cost 20 ms
if TYPE_CHECKING:  # for type checkers and editors; a test keeps these imports and _HOMES alike
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from kinematch import avatar as avatar
    from kinematch import camera as camera
    from kinematch import database as database
    from kinematch import draw as draw
    from kinematch import evaluate as evaluate
    from kinematch import layers as layers
    from kinematch import math as math
    from kinematch import motion as motion
    from kinematch import robot as robot
    from kinematch import scene as scene
    from kinematch import synth as synth
    from kinematch.avatar.avatar import Avatar as Avatar
    from kinematch.avatar.calibration import Calibration as Calibration
    from kinematch.avatar.trackers import Trackers as Trackers
    from kinematch.character.crowd import Crowd as Crowd
    from kinematch.character.layers import Layer as Layer
    from kinematch.character.pose import Pose as Pose
    from kinematch.character.settings import Settings as Settings
    from kinematch.character.source import MotionSource as MotionSource
    from kinematch.character.source import Projection as Projection
    from kinematch.character.source import Sample as Sample
    from kinematch.character.source import Search as Search
    from kinematch.character.state import State as State
    from kinematch.control.body import SimulatedBody as SimulatedBody
    from kinematch.control.command import Command as Command
    from kinematch.control.command import Controller as Controller
    from kinematch.control.command import follow_trajectory as follow_trajectory
    from kinematch.control.command import move as move
    from kinematch.control.follow import Follow as Follow
    from kinematch.control.path import Path as Path
    from kinematch.control.request import act as act
    from kinematch.control.request import jump as jump
    from kinematch.control.request import sit as sit
    from kinematch.control.route import Keypoint as Keypoint
    from kinematch.control.script import CommandRecorder as CommandRecorder
    from kinematch.control.script import Script as Script
    from kinematch.control.script import ScriptPlayer as ScriptPlayer
    from kinematch.control.script_file import read_script as read_script
    from kinematch.control.script_file import write_script as write_script
    from kinematch.control.stick import Stick as Stick
    from kinematch.control.trajectory import Trajectory as Trajectory
    from kinematch.control.wander import Wander as Wander
    from kinematch.database.description import SourceDescription as SourceDescription
    from kinematch.database.description import SourcePoses as SourcePoses
    from kinematch.database.description import describe_source as describe_source
    from kinematch.database.features import Feature as Feature
    from kinematch.database.features import register_feature as register_feature
    from kinematch.database.packing.pack import pack as pack
    from kinematch.database.storage import Database as Database
    from kinematch.draw.animation import animate as animate
    from kinematch.errors import KinematchError as KinematchError
    from kinematch.layers.clip_layer import ClipLayer as ClipLayer
    from kinematch.layers.reach_layer import ReachLayer as ReachLayer
    from kinematch.motion.clean.contacts import find_contacts as find_contacts
    from kinematch.motion.clean.floor import put_on_floor as put_on_floor
    from kinematch.motion.clean.mirror import mirror as mirror
    from kinematch.motion.clean.resample import resample as resample
    from kinematch.motion.clean.root import add_root as add_root
    from kinematch.motion.clip import Clip as Clip
    from kinematch.motion.record import record as record
    from kinematch.motion.retarget.retarget_clip import retarget as retarget
    from kinematch.motion.retarget.retargeting import Retargeting as Retargeting
    from kinematch.motion.retarget.settings import RetargetSettings as RetargetSettings
    from kinematch.motion.skeleton import Skeleton as Skeleton
    from kinematch.motion.skeleton import skeleton as skeleton
    from kinematch.robot.reference.robot_reference import RobotReference as RobotReference
    from kinematch.scene.terrain import HeightFunction as HeightFunction
    from kinematch.scene.terrain import HeightGrid as HeightGrid

__version__ = "0.2.0"

_HOMES = {  # name -> the module that defines it
    "Avatar": "avatar.avatar",
    "Calibration": "avatar.calibration",
    "Clip": "motion.clip",
    "ClipLayer": "layers.clip_layer",
    "Command": "control.command",
    "CommandRecorder": "control.script",
    "Controller": "control.command",
    "Crowd": "character.crowd",
    "Database": "database.storage",
    "Feature": "database.features",
    "Follow": "control.follow",
    "HeightFunction": "scene.terrain",
    "HeightGrid": "scene.terrain",
    "Keypoint": "control.route",
    "KinematchError": "errors",
    "Layer": "character.layers",
    "MotionSource": "character.source",
    "Path": "control.path",
    "Pose": "character.pose",
    "Projection": "character.source",
    "ReachLayer": "layers.reach_layer",
    "RetargetSettings": "motion.retarget.settings",
    "Retargeting": "motion.retarget.retargeting",
    "RobotReference": "robot.reference.robot_reference",
    "Sample": "character.source",
    "Script": "control.script",
    "ScriptPlayer": "control.script",
    "Search": "character.source",
    "Settings": "character.settings",
    "SimulatedBody": "control.body",
    "Skeleton": "motion.skeleton",
    "SourceDescription": "database.description",
    "SourcePoses": "database.description",
    "State": "character.state",
    "Stick": "control.stick",
    "Trackers": "avatar.trackers",
    "Trajectory": "control.trajectory",
    "Wander": "control.wander",
    "act": "control.request",
    "add_root": "motion.clean.root",
    "animate": "draw.animation",
    "describe_source": "database.description",
    "find_contacts": "motion.clean.contacts",
    "follow_trajectory": "control.command",
    "jump": "control.request",
    "mirror": "motion.clean.mirror",
    "move": "control.command",
    "pack": "database.packing.pack",
    "put_on_floor": "motion.clean.floor",
    "read_script": "control.script_file",
    "record": "motion.record",
    "register_feature": "database.features",
    "resample": "motion.clean.resample",
    "retarget": "motion.retarget.retarget_clip",
    "sit": "control.request",
    "skeleton": "motion.skeleton",
    "write_script": "control.script_file",
}
_FOLDERS = (
    "avatar",
    "camera",
    "database",
    "draw",
    "evaluate",
    "layers",
    "math",
    "motion",
    "robot",
    "scene",
    "synth",
)  # that offer further names
__all__ = sorted([*_HOMES, "__version__", "build", "load", "read", "save"])


def build(recipe: "str | PathLike[str]") -> "Database":
    """Build the database that a recipe file describes, write it to the recipe's output, and return it.

    If nothing has changed since the last build, the existing file is opened instead. `kinematch.database.build` has
    the same function with progress, warnings and what was reused.
    """
    from kinematch.database.build import build as build_recipe

    return build_recipe(_check_path(recipe)).database


def load(path: "str | PathLike[str]", *, verify: bool = True, mapped: bool = False) -> "Database | Any":
    """Open a .kinematch file, a model that `kinematch train learned` wrote, or "built-in"; a Crowd plays any of them.

    "built-in" is the database of procedural locomotion, and "built-in-actions" the same with jumps, steps, a seat and
    more; the first call builds them and keeps them in the cache.

    The arrays of a database, packed or not, are read into memory; each must fit its checksum, and the types, shapes
    and ranges that files are declared to have. `mapped` has them share the file's pages instead, which several
    processes can do; then the file must not be written to while it is in use. Without `verify`, opening a mapped file
    reads no frames, and damaged ones play as they are.
    """
    from kinematch.database.built_in import open_built_in
    from kinematch.database.storage import load as load_database
    from kinematch.learned.model_file import is_model, load_model

    path = _check_path(path)
    if path in ("built-in", "built-in-actions"):
        return open_built_in(actions=path != "built-in")
    return load_model(path) if is_model(path) else load_database(path, verify=verify, mapped=mapped)


def read(
    path: "str | PathLike[str]",
    *,
    unit: "float | str | None" = None,
    up: "str | None" = None,
    facing: "str | None" = None,
    roles: "Mapping[str, str] | None" = None,
    tpose: "str | PathLike[str] | Clip | None" = None,
) -> "Clip":
    """Read the first clip of a motion file (BVH, glTF, GLB, VRM, VRMA, AMASS, FBX), in metres and Y-up.

    Joints get their humanoid roles, humanoids a reference T-pose. What is not given is inferred, and `clip.source` says
    how: `unit` is metres per unit or a name such as "cm"; `up` and `facing` are axes of the file such as "Z" or "-Y";
    `roles` maps roles to joint names ("" for none); `tpose` is a clip or file that holds the T-pose of this rig.
    `kinematch.files.read_clips` reads every clip of a file.
    """
    from kinematch.files import read_clip

    reference: Any = _check_path(tpose) if hasattr(tpose, "__fspath__") else tpose
    return read_clip(_check_path(path), unit=unit, up=up, facing=facing, roles=roles, tpose=reference)


def save(path: "str | PathLike[str]", motion: "Clip | Database | Any") -> None:
    """Write a clip as a motion file, .bvh or .glb, a database as a .kinematch file, or a model as a .kinematch-model.

    The file is written beside and then renamed: an earlier file of that name is replaced as a whole or not at all.
    """
    from pathlib import Path

    from kinematch.database.storage import SUFFIX, Database
    from kinematch.database.storage import save as save_database
    from kinematch.errors import FileError, KinematchError
    from kinematch.files import WRITABLE, write_clip
    from kinematch.motion.clip import Clip

    path = Path(_check_path(path))
    suffix = path.suffix.lower()
    if hasattr(motion, "make_source"):
        from kinematch.learned.model_file import SUFFIX as MODEL
        from kinematch.learned.model_file import save_model

        model: Any = motion
        if suffix != MODEL:
            raise FileError(path, f"a model cannot be written as {suffix!r}, expected {MODEL!r}")
        save_model(path, model)
        return
    if isinstance(motion, Database):
        if suffix != SUFFIX:
            raise FileError(path, f"a database cannot be written as {suffix!r}, expected {SUFFIX!r}")
        save_database(path, motion)
    elif isinstance(motion, Clip):
        if suffix not in WRITABLE:
            choices = ", ".join(map(repr, WRITABLE))
            raise FileError(path, f"a clip cannot be written as {suffix!r}, expected one of {choices}")
        write_clip(path, motion)
    else:
        raise KinematchError(
            f"km.save writes a Clip or a Database, not a {type(motion).__name__}; km.record makes a clip of poses"
        )


def _check_path(path: "Any") -> str:
    from os import PathLike, fspath

    from kinematch.errors import KinematchError

    if not isinstance(path, str | PathLike):
        raise KinematchError(f"a path of type {type(path).__name__}, expected the name of a file")
    return str(fspath(path))


if not TYPE_CHECKING:  # which would take any name for granted

    def __getattr__(name: str) -> "Any":
        if name in _FOLDERS:
            return import_module(f"kinematch.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'kinematch' has no attribute {name!r}")
        value = getattr(import_module(f"kinematch.{_HOMES[name]}"), name)
        globals()[name] = value  # from now on without this detour
        return value


def __dir__() -> list[str]:
    return [*__all__, *_FOLDERS]
