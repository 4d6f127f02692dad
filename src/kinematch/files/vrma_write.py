"""Writes VRM animation (VRMA): a humanoid's motion by bone names, for any VRM character."""

from pathlib import Path

from kinematch.files.gltf_write import write_glb
from kinematch.motion.clip import Clip
from kinematch.motion.humanoid import reduce_to_humanoid
from kinematch.motion.roles import ROLES

EXTENSION = "VRMC_vrm_animation"
OMITTED_ROLES = ("left_eye", "right_eye")  # the format has its own way to store gaze
THUMB = {"proximal": "metacarpal", "intermediate": "proximal", "distal": "distal"}  # VRM 1.0 counts from the wrist


def write_vrma(path: str | Path, clip: Clip) -> None:
    """Write the motion of the joints that have humanoid roles: rotations of all, and the place of the hips.

    The rest pose of the file is the T-pose, as the format asks; players scale the hips by their height in it.
    """
    roles = [role for role in ROLES if role not in OMITTED_ROLES]
    bare = reduce_to_humanoid(clip, {role: name_bone(role) for role in roles}, roles)
    bones = {name_bone(role): {"node": joint} for role, joint in bare.skeleton.roles.items()}
    write_glb(path, bare, extensions={EXTENSION: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}})


def name_bone(role: str) -> str:
    """VRM 1.0's name of a role: left_thumb_proximal is leftThumbMetacarpal."""
    start, _, part = role.rpartition("_")
    if start.endswith("_thumb"):
        role = f"{start}_{THUMB[part]}"
    first, *rest = role.split("_")
    return first + "".join(word.capitalize() for word in rest)
