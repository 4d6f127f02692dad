"""A humanoid in T-pose, with joint axes of any kind, and smooth made-up motion for it."""

from collections.abc import Callable, Sequence

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


LEG = [(0.1, -0.05, 0.0), (0.0, -0.42, 0.01), (0.0, -0.4, -0.02), (0.0, -0.06, 0.14)]
ARM = [(0.03, 0.1, 0.0), (0.14, 0.0, 0.0), (0.28, 0.0, 0.0), (0.25, 0.0, 0.0)]


def named_humanoid(middle: Sequence[str], left: Sequence[str], right: Sequence[str], *, neck: int = 1) -> Skeleton:
    """A person in T-pose: hips, spine and head; then legs (4 joints) and arms (the rest) of both sides."""
    spine = len(middle) - 2 - neck
    names, parents, offsets = [middle[0]], [-1], [(0.0, 0.95, 0.0)]
    for k, name in enumerate(middle[1:]):
        rise = 0.4 / spine if k < spine else 0.25 if k == spine else 0.1
        parents.append(len(names) - 1)
        names.append(name)
        offsets.append((0.0, rise, 0.0))
    chest = spine
    for side, sign in ((left, 1), (right, -1)):
        for start, chain, bones in ((0, side[:4], LEG), (chest, side[4:], ARM[-len(side[4:]) :])):
            parent = start
            for name, (x, y, z) in zip(chain, bones):
                names.append(name)
                parents.append(parent)
                offsets.append((sign * x, y, z))
                parent = len(names) - 1
    ends = [(names.index(middle[-1]), (0.0, 0.2, 0.0)), (names.index(left[3]), (0.0, -0.02, 0.07))]
    ends += [(names.index(right[3]), (0.0, -0.02, 0.07))]
    return skeleton(names, parents, np.array(offsets), ends=ends)


@pytest.fixture(scope="session")
def make_humanoid() -> Callable[..., Skeleton]:
    return named_humanoid


@pytest.fixture(scope="session")
def person() -> Skeleton:
    """The plainest humanoid, in Unity's names."""
    parts = ["UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand"]
    middle = ["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head"]
    return named_humanoid(middle, [f"Left{p}" for p in parts], [f"Right{p}" for p in parts])


@pytest.fixture(scope="session")
def humanoid_files() -> list[str]:
    """One file of each real humanoid rig, relative to the data folder."""
    return [
        "lafan1-clips/pushAndFall1_subject4_stand.bvh",
        "lafan1-simulation-bone/ground2_subject3_turn_filtered.bvh",
        "amass-z-up/example_2.bvh",
        "bandai-namco/dataset-1_walk_normal_001.bvh",
        "xsens/JL_mm_tpose.bvh",
        "cmu/02_01.bvh",
        "rigs/Geno_bind.bvh",
        "rigs/Geno_stance.bvh",
        "rigs/cmu3dsmax_131_01.bvh",
        "rigs/poser_pirouette.bvh",
        "rigs/pybvh_bvh_test1.bvh",
        "rigs/pybvh_bvh_test2.bvh",
        "characters/100Avatars_003_Jimmy.vrm",
        "characters/CesiumMan.glb",
        "characters/RiggedFigure.glb",
        "characters/chatvrm-idle_loop.vrma",
        "characters/mesh2motion-human-male.glb",
        "characters/mesh2motion-rig-human.glb",
        "characters/three-vrm-test.vrma",
        "characters/vrm0-basic_armature.vrm",
        "characters/vrm1-basic_armature.vrm",
        "characters/vrm1-debug_robot.vrm",
    ]
