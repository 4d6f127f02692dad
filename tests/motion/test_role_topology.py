"""The shape of a skeleton alone tells the roles of the body, whatever its names, order, size and axes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.motion.kinematics import global_pose, rest_pose
from kinematch.motion.roles import REQUIRED_ROLES, find_roles
from kinematch.motion.skeleton import Skeleton, skeleton


def anonymous(rig: Skeleton, seed: int) -> tuple[Skeleton, np.ndarray]:
    """The rig with its joints shuffled and renamed, and for each of its joints which one it was."""
    random = np.random.default_rng(seed)
    order, free = [], [0]
    while free:
        order.append(free.pop(random.integers(len(free))))
        free += rig.children(order[-1])
    new = {old: k for k, old in enumerate(order)}
    parents = [-1 if rig.parents[j] < 0 else new[int(rig.parents[j])] for j in order]
    ends = [(new[int(j)], offset) for j, offset in zip(rig.end_parents, rig.end_offsets)]
    renamed = skeleton([f"j{k}" for k in order], parents, rig.offsets[order], rotations=rig.rotations[order], ends=ends)
    return renamed, np.array(order)


def told(rig: Skeleton, roles: dict[str, int], pose: np.ndarray | None, seed: int = 0) -> dict[str, int | None]:
    """The required roles of the anonymous rig, as joints of the known one, where they differ from what they are."""
    unknown, order = anonymous(rig, seed)
    found = find_roles(unknown, pose=None if pose is None else pose[..., order, :])
    assert found.family == "unknown"
    guessed = {role: int(order[found.roles[role]]) for role in found.roles}
    return {role: guessed.get(role) for role in REQUIRED_ROLES if guessed.get(role) != roles[role]}


@given(st.integers(0, 10**6), st.floats(0.01, 100), st.lists(st.floats(-1, 1), min_size=4, max_size=4))
@settings(max_examples=40, deadline=None)
def test_roles_are_told_at_any_size_and_in_any_axes(person, seed, scale, turn):
    roles = find_roles(person).roles
    pose = quaternion.rotate(quaternion.normalize(np.array(turn)), rest_pose(person)[0]) * scale
    assert told(replace(person, offsets=person.offsets * scale), dict(roles), pose, seed) == {}


def test_every_real_humanoid_is_told_from_its_shape_alone(data, humanoid_files):
    wrong = {}
    for file in humanoid_files:
        clip = read_clip(data / file)
        positions = global_pose(clip)[0]
        roles = dict(find_roles(clip.skeleton).roles)
        differences = told(clip.skeleton, roles, positions[:: max(1, len(positions) // 50)])
        if differences:
            wrong[file] = differences
    assert wrong == {}


def test_a_single_frame_tells_left_from_right_where_the_rest_pose_cannot(data):
    clip = read_clip(data / "lafan1-clips/pushAndFall1_subject4_stand.bvh")
    rig, frame = clip.skeleton, global_pose(clip)[0][0]
    assert told(rig, dict(rig.roles), frame) == {}
    unknown, _ = anonymous(rig, 0)
    assert any("left and right could not be told" in p for p in find_roles(unknown).problems)


def test_what_the_shape_told_is_said(person):
    unknown, _ = anonymous(person, 1)
    found = find_roles(unknown)
    assert found.method == "topology"
    assert any("told from the shape of the skeleton" in p for p in found.problems)
    assert "left and right told from where feet, knees and elbows point" in found.problems


def test_names_that_tell_most_are_helped_by_shape(person):
    names = ["thing" if n == "LeftHand" else n for n in person.names]
    found = find_roles(replace(person, names=tuple(names)))
    assert names[found.roles["left_hand"]] == "thing"
    assert found.method == "names+topology"
    assert any(p.startswith("left_hand told from the shape") for p in found.problems)


def dog() -> Skeleton:
    names, parents, offsets = ["a"], [-1], [[0.0, 0.5, 0.0]]

    def limb(parent: int, bones: list[list[float]]) -> int:
        for bone in bones:
            names.append(f"{len(names)}")
            parents.append(parent)
            offsets.append(bone)
            parent = len(names) - 1
        return parent

    chest = limb(0, [[0.0, 0.0, 0.2], [0.0, 0.0, 0.2]])
    limb(chest, [[0.0, 0.1, 0.1], [0.0, 0.1, 0.1]])
    for x in (0.1, -0.1):
        limb(0, [[x, 0.0, 0.0], [0.0, -0.2, 0.0], [0.0, -0.2, 0.0], [0.0, -0.03, 0.06]])
        limb(chest, [[x, 0.0, 0.0], [0.0, -0.18, 0.0], [0.0, -0.17, 0.0], [0.0, -0.03, 0.06]])
    return skeleton(names, parents, offsets)


def test_a_dog_is_no_humanoid():
    found = find_roles(dog())
    assert not found.humanoid
    assert found.four_legged
    assert not found.missing


def test_a_dog_with_human_names_keeps_them_but_is_no_humanoid():
    names = ["Hips", "Spine", "Spine1", "Neck", "Head"]
    for side in ("Left", "Right"):
        names += [f"{side}{part}" for part in ("UpLeg", "Leg", "Foot", "Toe", "Shoulder", "Arm", "ForeArm", "Hand")]
    found = find_roles(replace(dog(), names=tuple(names)))
    assert not found.missing
    assert found.four_legged
    assert not found.humanoid


@pytest.mark.parametrize("toes", [True, False])
def test_without_toes_the_knees_tell_where_ahead_is(person, toes):
    if toes:
        rig = person
    else:
        keep = [j for j, name in enumerate(person.names) if "Toes" not in name]
        parents = [-1 if person.parents[j] < 0 else keep.index(person.parents[j]) for j in keep]
        offsets = person.offsets[keep].copy()
        for k, j in enumerate(keep):
            if "LowerLeg" in person.names[j]:
                offsets[k] += [0.0, 0.0, 0.06]
        rig = skeleton([person.names[j] for j in keep], parents, offsets)
    assert told(rig, dict(find_roles(rig).roles), None) == {}
