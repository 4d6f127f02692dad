"""A humanoid in T-pose, with joint axes of any kind, and smooth made-up motion for it."""

from collections.abc import Callable

import numpy as np
import pytest

from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton

MIDDLE = [
    ("Hips", "", "hips", (0.0, 0.95, 0.0)),
    ("Spine", "Hips", "spine", (0.0, 0.1, 0.0)),
    ("Chest", "Spine", "chest", (0.0, 0.2, 0.0)),
    ("Neck", "Chest", "neck", (0.0, 0.25, 0.0)),
    ("Head", "Neck", "head", (0.0, 0.1, 0.02)),
]
SIDE = [
    ("UpLeg", "Hips", "upper_leg", (0.1, -0.05, 0.0)),
    ("Leg", "UpLeg", "lower_leg", (0.0, -0.42, 0.01)),
    ("Foot", "Leg", "foot", (0.0, -0.41, -0.01)),
    ("Toe", "Foot", "toes", (0.0, -0.06, 0.14)),
    ("Shoulder", "Chest", "shoulder", (0.04, 0.18, 0.0)),
    ("Arm", "Shoulder", "upper_arm", (0.13, 0.0, 0.0)),
    ("ForeArm", "Arm", "lower_arm", (0.28, 0.0, 0.0)),
    ("Hand", "ForeArm", "hand", (0.25, 0.0, 0.0)),
]


@pytest.fixture(scope="session")
def humanoid() -> Callable[..., Skeleton]:
    """humanoid(seed): joint axes along the world's without a seed, else turned at random."""

    def make(seed: int | None = None) -> Skeleton:
        joints = list(MIDDLE)
        own = {part for part, _, _, _ in SIDE}
        for side, sign in (("Left", 1), ("Right", -1)):
            for part, parent, role, (x, y, z) in SIDE:
                above = f"{side}{parent}" if parent in own else parent
                joints.append((f"{side}{part}", above, f"{side.lower()}_{role}", (sign * x, y, z)))
        names = [joint[0] for joint in joints]
        parents = np.array([names.index(joint[1]) if joint[1] else -1 for joint in joints])
        offsets = np.array([joint[3] for joint in joints])
        axes = quaternion.identity((len(names),))
        if seed is not None:
            axes = quaternion.normalize(np.random.default_rng(seed).normal(size=axes.shape))
        above = np.where(parents[:, None] < 0, quaternion.IDENTITY, axes[parents])
        local = quaternion.multiply(quaternion.inverse(above), axes)
        body = skeleton(
            names,
            parents,
            quaternion.rotate(quaternion.inverse(above), offsets),
            rotations=local,
            roles={joint[2]: k for k, joint in enumerate(joints)},
        )
        return body.with_tpose(local)

    return make


@pytest.fixture(scope="session")
def motion() -> Callable[..., Clip]:
    """motion(body): every joint sways about its T-pose while the hips wander."""

    def make(body: Skeleton, *, frames: int = 20, frame_rate: float = 30, seed: int = 0) -> Clip:
        random = np.random.default_rng(seed)
        times = np.arange(frames)[:, None, None] / frame_rate
        phases = random.uniform(0, 2 * np.pi, (body.joint_count, 3))
        sizes = random.uniform(-0.5, 0.5, (body.joint_count, 3))
        sway = from_rotation_vector(sizes * np.sin(4 * times + phases))
        assert body.tpose is not None
        positions = np.broadcast_to(body.offsets, (frames, body.joint_count, 3)).copy()
        positions[:, 0] += 0.3 * np.sin(2 * times[:, 0] + phases[0])
        return Clip(body, positions, quaternion.multiply(body.tpose, sway), frame_rate, name="made up")

    return make
