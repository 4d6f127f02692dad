"""Dressing: clips on the character that the user wears, for previews and for files with its own mesh."""

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError
from kinematch.files.gltf_character import write_character
from kinematch.files.gltf_read import read_gltf
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.skeleton import Skeleton
from kinematch.studio.session.avatar_mesh import OwnCharacter
from kinematch.studio.session.robots import WornRobot
from kinematch.studio.session.stage import Stage


class Dressed(NamedTuple):
    """A clip on a worn character."""

    clip: Clip
    scale: float  # of its way, over that of the original


def dress_clip(clip: Clip, stage: Stage) -> Dressed | None:
    """The clip on the worn character, as large as the stage shows it; None where that one cannot show it.

    Robots are solved live only, and a clip without a ground root is a file that was not prepared yet.
    """
    body = stage.crowds["a"].retargeting
    if body is None or "root" not in clip.skeleton.roles:
        return None
    try:
        scale = Retargeting(clip.skeleton, body.target).scale
        return Dressed(retarget(clip, body.target, bulk=body.bulk), scale)
    except KinematchError:  # a rig without the roles that retargeting needs
        return None


def write_worn(path: Path, clip: Clip, worn: OwnCharacter, scale: float) -> None:
    """Write played motion into a copy of the character's own file, at the size that file has."""
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        # a robot's content is the GLB that was made of its model
        suffix = ".glb" if isinstance(worn, WornRobot) else Path(worn.name).suffix.lower()
        character = Path(folder) / f"character{suffix}"
        character.write_bytes(worn.content)
        own = read_gltf(character, meshes=False).skeleton
        write_character(path, _leave_ground(clip, own, scale), character)


def _leave_ground(clip: Clip, own: Skeleton, scale: float) -> Clip:
    """The clip on the file's skeleton; a ground root that the file lacks becomes motion of its first joint."""
    positions, rotations = clip.positions / np.float32(scale), clip.rotations
    if clip.skeleton.joint_count == own.joint_count + 1:
        places = positions[:, 0] + quaternion.rotate(rotations[:, 0], positions[:, 1])
        turns = quaternion.multiply(rotations[:, 0], rotations[:, 1])
        positions = np.concatenate([places[:, None], positions[:, 2:]], axis=1)
        rotations = np.concatenate([turns[:, None], rotations[:, 2:]], axis=1)
    return Clip(own, positions, rotations, clip.frame_rate, clip.name)
