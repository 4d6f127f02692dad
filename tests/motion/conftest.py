"""Smooth made-up motion for a humanoid, and humanoids in the names of other rigs."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton, skeleton


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
