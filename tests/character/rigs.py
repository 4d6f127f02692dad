"""Odd rigs for the tests of characters: databases of bodies with no legs, one leg, four, twist bones, or one joint."""

from collections.abc import Callable

import numpy as np

from kinematch.database.feature_database import build_features
from kinematch.database.features import Feature
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.schema import HORIZONS, FeatureSchema
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle, from_rotation_vector
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton

RATE = 30.0
TRAJECTORY = (
    Feature("trajectory_position", times=HORIZONS, dimensions=2),
    Feature("trajectory_direction", times=HORIZONS, dimensions=2),
)


def one_joint() -> Skeleton:
    return skeleton(["root"], [-1], np.zeros((1, 3)), roles={"root": 0})


def no_legs() -> Skeleton:
    offsets = np.array([[0, 0, 0], [0, 1.0, 0], [0, 0.3, 0], [0, 0.3, 0.1]])
    return skeleton(["root", "hips", "spine", "head"], [-1, 0, 1, 2], offsets, roles={"root": 0, "hips": 1, "head": 3})


def with_limbs(*limbs: tuple[str, tuple[str, str, str], float, float]) -> Skeleton:
    """A trunk, and limbs of three joints and a toe: (side, roles of upper, lower and end, x, z)."""
    names, parents, offsets, roles = ["root", "hips", "chest"], [-1, 0, 1], [[0, 0, 0], [0, 0.85, 0], [0, 0.1, 0.5]], {}
    for side, parts, x, z in limbs:
        start = len(names)
        names += [f"{side}_{part}" for part in (*parts, f"{parts[0]}_toe")]
        parents += [1, start, start + 1, start + 2]
        offsets += [[x, -0.05, z], [0, -0.38, 0.02], [0, -0.36, -0.02], [0, -0.05, 0.1]]
        roles |= {f"{side}_{part}": start + i for i, part in enumerate(parts)}
    return skeleton(names, parents, np.array(offsets, float), roles=roles | {"root": 0, "hips": 1, "chest": 2})


LEG, ARM = ("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")


def one_leg() -> Skeleton:
    return with_limbs(("left", LEG, 0.0, 0.0))


def four_legs() -> Skeleton:
    return with_limbs(
        ("left", LEG, 0.1, -0.2), ("right", LEG, -0.1, -0.2), ("left", ARM, 0.1, 0.4), ("right", ARM, -0.1, 0.4)
    )


def twist_bones() -> Skeleton:
    """A leg with joints between hip, knee and ankle, as many game characters have."""
    names = ["root", "hips", "left_upper_leg", "left_twist_1", "left_twist_2", "left_lower_leg", "left_twist_3",
             "left_foot", "left_foot_toe"]  # fmt: skip
    offsets = [[0, 0, 0], [0, 0.85, 0], [0.1, -0.05, 0], [0, -0.13, 0.01], [0, -0.13, 0], [0, -0.12, 0.01],
               [0, -0.2, -0.01], [0, -0.16, -0.01], [0, -0.05, 0.1]]  # fmt: skip
    roles = {"root": 0, "hips": 1, "left_upper_leg": 2, "left_lower_leg": 5, "left_foot": 7}
    return skeleton(names, [-1, 0, 1, 2, 3, 4, 5, 6, 7], np.array(offsets, float), roles=roles)


RIGS: dict[str, Callable[[], Skeleton]] = {
    "one joint": one_joint, "no legs": no_legs, "one leg": one_leg, "four legs": four_legs,
    "leg with twist bones": twist_bones,
}  # fmt: skip


def make_database(body: Skeleton, features: tuple[Feature, ...] = TRAJECTORY, *, clips: int = 4) -> Database:
    """A few clips that go along curves, limbs swinging, toes planted half of the time; one of them loops."""
    rng = np.random.default_rng(0)
    toes = np.array([j for j, name in enumerate(body.names) if name.endswith("_toe")], np.int32)
    entries = []
    for clip in range(clips):
        frames = 90
        t = np.arange(frames) / RATE
        yaw = (clip - 1) * 0.4 * t + 0.2 * np.sin(1.1 * t)
        positions = np.tile(body.offsets, (frames, 1, 1)).astype(np.float64)
        speed = (0.4 + 0.5 * clip) * (1 + 0.3 * np.sin(1.7 * t + clip))  # no two moments are alike
        positions[:, 0, 0], positions[:, 0, 2] = (
            np.cumsum(np.sin(yaw)) * speed / RATE,
            np.cumsum(np.cos(yaw)) * speed / RATE,
        )
        rotations = quaternion.identity((frames, body.joint_count))
        phases, sizes = rng.uniform(0, 6, body.joint_count), rng.uniform(0.05, 0.3, body.joint_count)
        swing = np.sin(2 * np.pi * t[:, None] + phases) * sizes
        rotations[:] = from_rotation_vector(swing[..., None] * rng.normal(size=(body.joint_count, 3)))
        for j, name in enumerate(body.names):  # knees bend one way
            if "lower" in name:
                rotations[:, j] = from_axis_angle(np.array([1.0, 0, 0]), 0.5 + 0.4 * np.sin(6 * t + phases[j]))
        rotations[:, 0] = from_axis_angle(np.array([0.0, 1.0, 0]), yaw)
        if body.joint_count > 1:
            positions[:, 1, 1] += 0.03 * np.sin(7 * t)
        contacts = np.sin(2 * np.pi * t[:, None] + np.arange(len(toes)) * np.pi) > 0
        entries.append(ClipEntry(Clip(body, positions, rotations, RATE, f"clip{clip}"), contacts, loop=clip == 3))
    poses = build_poses(entries, toes)
    return Database(poses, build_features(poses, FeatureSchema(features), warn=lambda _: None))
