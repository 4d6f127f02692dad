"""Poses put into a made walk, so that each rule about takes is tried by itself."""

from collections.abc import Callable

import numpy as np
import pytest

from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import tpose
from kinematch.motion.labels.posture import SIDES
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk() -> Clip:
    """Walking from its first frame to its last."""
    clip = walk_along([(0.0, 0.0), (0.0, 12.0)])
    return clip.frames(120, clip.frame_count - 120)


@pytest.fixture(scope="session")
def arms_at() -> Callable[..., Clip]:
    """arms_at(clip, frames, elevation, standing=True)"""
    return _arms_at


def _arms_at(clip: Clip, frames: slice, elevation: float, *, standing: bool = True) -> Clip:
    """The clip with straight arms at an elevation [degrees] in some frames; standing stops the body there as well."""
    rig = clip.skeleton
    pose = np.array(rig.tpose)
    for side, sign in (("left", 1), ("right", -1)):
        arm = rig.joint(f"{side}_upper_arm")
        _, turned = tpose(rig)
        parent = turned[rig.parents[arm]].astype(np.float64)
        lift = rotation.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * np.radians(elevation))
        local = quaternion.multiply(quaternion.inverse(parent), quaternion.multiply(lift, parent))
        pose[arm] = quaternion.multiply(local, pose[arm].astype(np.float64))
    rotations, positions = clip.rotations.copy(), clip.positions.copy()
    arms = [rig.joint(f"{side}_{part}") for side in SIDES for part in ("upper_arm", "lower_arm", "hand")]
    joints = list(range(1, rig.joint_count)) if standing else arms
    rotations[frames, joints] = pose[joints]
    if standing:
        rotations[frames, 0], positions[frames] = rotations[frames.start, 0], positions[frames.start]
    return clip.with_(rotations=rotations, positions=positions)
