"""Clips as engines want them: bone names, the T-pose as rest pose, frame rate, and travel on the root or left out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files import write_clip
from kinematch.files.bvh_write import write_bvh
from kinematch.files.joint_names import unique_names
from kinematch.files.vrma_write import name_bone
from kinematch.math import quaternion
from kinematch.motion.clean.resample import resample
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton

EngineName = Literal["unreal", "unity", "godot", "blender", "three"]
RootMotion = Literal["root", "in-place", "hips"]
_UNREAL = {  # of the mannequin; left ones end in _l
    "hips": "pelvis", "spine": "spine_01", "chest": "spine_02", "upper_chest": "spine_03", "neck": "neck_01",
    "upper_leg": "thigh", "lower_leg": "calf", "foot": "foot", "toes": "ball", "shoulder": "clavicle",
    "upper_arm": "upperarm", "lower_arm": "lowerarm", "hand": "hand", "little": "pinky",
}  # fmt: skip
_NUMBERS = {"proximal": "01", "intermediate": "02", "distal": "03"}


def name_unreal(role: str) -> str:
    """As the mannequin names it: left_upper_leg is thigh_l, left_index_proximal index_01_l."""
    side, _, part = role.partition("_")
    if side not in ("left", "right"):
        return _UNREAL.get(role, role)
    finger, _, number = part.rpartition("_")
    word = f"{_UNREAL.get(finger, finger)}_{_NUMBERS[number]}" if number in _NUMBERS else _UNREAL.get(part, part)
    return f"{word}_{side[0]}"


def name_unity(role: str) -> str:
    """HumanBodyBones: LeftUpperLeg."""
    return "".join(word.capitalize() for word in role.split("_"))


def name_godot(role: str) -> str:
    """SkeletonProfileHumanoid: as Unity, but thumbs begin with LeftThumbMetacarpal."""
    bone = name_bone(role)
    return bone[0].upper() + bone[1:]


def name_blender(role: str) -> str:
    """Sides as suffixes, by which Blender mirrors: upper_leg.L."""
    side, _, part = role.partition("_")
    return f"{part}.{side[0].upper()}" if side in ("left", "right") else role


@dataclass(frozen=True)
class EngineFormat:
    endings: tuple[str, ...]  # of the files that it reads
    frame_rate: float | None  # frames a second that its importer samples by; None keeps the clip's
    root_motion: RootMotion  # what it does by default
    root_name: str
    name_bone: Callable[[str], str] | None  # by role; None keeps the rig's names, less what the program would change


ENGINES: dict[str, EngineFormat] = {
    "unreal": EngineFormat((".glb", ".usda", ".usdc", ".usd"), 30.0, "root", "root", name_unreal),
    "unity": EngineFormat((".glb", ".vrma"), None, "root", "Root", name_unity),
    "godot": EngineFormat((".glb",), 30.0, "root", "Root", name_godot),
    "blender": EngineFormat((".bvh", ".glb", ".usda", ".usdc", ".usd"), None, "hips", "root", name_blender),
    "three": EngineFormat((".glb", ".vrma", ".bvh"), None, "hips", "Root", None),
}


def check_engine(path: str | Path, name: EngineName) -> None:
    """Refuse a file that the program does not read."""
    if name not in ENGINES:
        raise KinematchError(unknown("engine", name, ENGINES))
    suffix, endings = Path(path).suffix.lower(), ENGINES[name].endings
    if suffix not in endings:
        raise FileError(
            path, f"{name.capitalize()} reads no {suffix or 'such'} files; choose from: {' '.join(endings)}"
        )


def prepare_clip(clip: Clip, name: EngineName, *, root_motion: RootMotion | None = None, rate: bool = True) -> Clip:
    """The clip under the engine's bone names, at its rate unless `rate` is false, with the T-pose as rest pose.

    `root_motion`: travel and turn on a ground root above the hips, the same root standing still, or all on the hips.
    """
    engine = ENGINES[name]
    motion = root_motion or engine.root_motion
    if motion not in get_args(RootMotion):
        raise KinematchError(unknown("root motion", motion, get_args(RootMotion)))
    if rate:
        clip = resample_for_engine(clip, name)
    if motion != "hips" and "root" not in clip.skeleton.roles:
        clip = add_root(clip)
    if motion == "in-place":
        clip = stop_root(clip)
    rig = clip.skeleton
    rest = rig.rotations if rig.tpose is None else rig.tpose
    return clip.with_(skeleton=replace(rig, names=rename_bones(rig, name), rotations=rest))


def resample_for_engine(clip: Clip, name: EngineName) -> Clip:
    """The clip at the rate that an engine's importer samples by."""
    rate = ENGINES[name].frame_rate
    return clip if rate is None else resample(clip, rate)


def rename_bones(rig: Skeleton, name: EngineName) -> tuple[str, ...]:
    """The joints' names as an engine has them; those without a role keep theirs."""
    engine, names = ENGINES[name], list(rig.names)
    if engine.name_bone is None:
        names = [re.sub(r"[\[\].:/\s]", "_", joint) for joint in names]  # three.js would take these out of names
    else:
        for role, joint in rig.roles.items():
            names[joint] = engine.root_name if role == "root" else engine.name_bone(role)
    return unique_names(names)


def stop_root(clip: Clip) -> Clip:
    """The motion in place: its ground root stays at the origin and faces +Z."""
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    positions[:, 0] = 0
    rotations[:, 0] = quaternion.IDENTITY
    return clip.with_(positions=positions, rotations=rotations)


def write_for_engine(path: str | Path, clip: Clip, name: EngineName) -> None:
    """Write a prepared clip; Blender and three.js take a BVH unit for a metre."""
    if Path(path).suffix.lower() == ".bvh":
        write_bvh(path, clip, unit="m")
    else:
        write_clip(path, clip)
