from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.motion.skeleton import skeleton


def chain(names=("a", "b", "c"), parents=(-1, 0, 1), **more):
    offsets = np.arange(3 * len(names)).reshape(-1, 3) * 0.1
    return skeleton(names, parents, offsets, **more)


def test_a_joint_is_found_by_name_and_by_role():
    body = chain(roles={"hips": 1})
    assert body.joint("c") == 2
    assert body.joint("hips") == 1
    assert body.joint("role:hips") == body.joint("joint:b") == 1


def test_a_name_that_is_also_another_joints_role_must_be_settled():
    body = chain(names=("a", "hips", "c"), roles={"hips": 2})
    with pytest.raises(KinematchError, match="joint:hips"):
        body.joint("hips")
    assert body.joint("joint:hips") == 1
    assert body.joint("role:hips") == 2


def test_a_misspelt_joint_is_answered_with_the_nearest():
    with pytest.raises(KinematchError, match="did you mean 'LeftFoot'"):
        chain(names=("Hips", "LeftFoot", "Head")).joint("LeftFot")


@pytest.mark.parametrize(
    ("names", "parents", "says"),
    [
        (("a", "a", "b"), (-1, 0, 1), "'a'"),
        (("a", "b", "c"), (-1, 2, 0), "parents first"),
        (("a", "b", "c"), (-1, -1, 0), "'b' is a second root"),
        (("a", "b", "c"), (0, 0, 1), "parents first"),
    ],
)
def test_an_impossible_hierarchy_is_refused_with_the_joint_at_fault(names, parents, says):
    with pytest.raises(KinematchError, match=says):
        chain(names, parents)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"end_parents": [7], "end_offsets": [[0, 0, 0]]}, r"end sites hang on joints \[7\], expected 0 to 1"),
        ({"end_parents": [-1], "end_offsets": [[0, 0, 0]]}, "end sites hang on joints"),
        ({"file_order": [0, 0]}, r"file_order is \[0, 0\], expected each of 2 joints once"),
    ],
)
def test_indices_that_lead_nowhere_are_refused(change, says):
    with pytest.raises(KinematchError, match=says):
        replace(skeleton(["a", "b"], [-1, 0], np.zeros((2, 3))), **change)


def test_a_skeleton_without_joints_is_none():
    with pytest.raises(KinematchError, match="at least one joint"):
        skeleton([], [], np.zeros((0, 3)))


def test_a_role_must_name_a_joint_that_exists():
    with pytest.raises(KinematchError, match="hips"):
        chain(roles={"hips": 3})


def test_chain_and_children_follow_the_parents():
    body = chain(("a", "b", "c", "d"), (-1, 0, 1, 0))
    assert body.chain(2) == [0, 1, 2]
    assert body.children(0) == [1, 3]


def test_nothing_in_a_skeleton_can_be_changed():
    body = chain()
    with pytest.raises(ValueError, match="read-only"):
        body.offsets[0] = 1
    with pytest.raises(TypeError):
        body.roles["hips"] = 0


def test_a_skeleton_does_not_differ_from_itself():
    assert chain().difference(chain()) is None


def test_where_the_first_joint_stands_makes_no_difference_but_bones_do():
    body = chain()
    moved = np.array(body.offsets)
    moved[0] += 5
    assert body.difference(replace(body, offsets=moved)) is None
    moved[1] *= 1.5
    assert "bone 'b'" in body.difference(replace(body, offsets=moved))


def test_differences_name_missing_and_rehung_joints():
    assert "['c']" in chain().difference(chain(names=("a", "b", "x")))
    assert "'c' hangs" in chain().difference(chain(parents=(-1, 0, 0)))
    assert "instead of 'b'" in chain(parents=(-1, 0, 0)).difference(chain(("a", "c", "b"), (-1, 0, 0)))
