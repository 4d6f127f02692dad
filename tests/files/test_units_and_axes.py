"""The border: changes of unit and axis are similarity transforms of everything, and both are told from the body."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import FileError, KinematchError
from kinematch.files import bvh_write, read_clip, units_and_axes
from kinematch.files.bvh_write import write_bvh
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import end_positions, global_pose, local_pose, rest_pose
from kinematch.motion.skeleton import skeleton

OPPOSITE = {"X": "-X", "-X": "X", "Y": "Y", "-Y": "-Y", "Z": "-Z", "-Z": "Z"}

LIMBS = (
    ("Shoulder", "Chest", (0.04, 0.20, 0.00)),
    ("Arm", "Shoulder", (0.14, 0.00, 0.00)),
    ("ForeArm", "Arm", (0.28, 0.00, 0.00)),
    ("Hand", "ForeArm", (0.25, 0.00, 0.00)),
    ("UpLeg", "Hips", (0.09, -0.05, 0.00)),
    ("Leg", "UpLeg", (0.00, -0.42, 0.00)),
    ("Foot", "Leg", (0.00, -0.41, 0.00)),
    ("ToeBase", "Foot", (0.00, -0.06, 0.14)),
)
# name, parent, offset [m]: a person of 1.75 m in a T-pose, arms before legs as nested blocks have it
PERSON = [
    ("Hips", "", (0.00, 0.95, 0.00)),
    ("Spine", "Hips", (0.00, 0.12, 0.00)),
    ("Chest", "Spine", (0.00, 0.15, 0.00)),
    ("Neck", "Chest", (0.00, 0.27, 0.00)),
    ("Head", "Neck", (0.00, 0.10, 0.02)),
    *(
        (side + name, parent if parent in ("Chest", "Hips") else side + parent, (sign * x, y, z))
        for limb in (LIMBS[:4], LIMBS[4:])
        for side, sign in (("Left", 1), ("Right", -1))
        for name, parent, (x, y, z) in limb
    ),
]


@pytest.fixture(autouse=True)
def files_of_other_programs(monkeypatch):
    """Files that state nothing, so that units and axes must be inferred."""
    monkeypatch.setattr(bvh_write, "state_space", lambda unit, up: "")


def person(*, scale: float = 1.0, frames: int = 30) -> Clip:
    """Someone who walks ahead, leaning a little and swinging the limbs."""
    names = [name for name, _, _ in PERSON]
    parents = [names.index(parent) if parent else -1 for _, parent, _ in PERSON]
    offsets = np.array([offset for _, _, offset in PERSON]) * scale
    rig = skeleton(names, parents, offsets, ends=[(names.index("Head"), (0, 0.2 * scale, 0))])
    rng = np.random.default_rng(0)
    positions = np.repeat(offsets[None], frames, axis=0)
    positions[:, 0, 2] += np.linspace(0, 4, frames) * scale
    rotations = rotation.from_rotation_vector(rng.normal(scale=0.15, size=(frames, len(names), 3)))
    return Clip(rig, positions, rotations, 60.0)


def test_every_axis_change_is_a_rotation_that_takes_up_to_y():
    for up, turn in units_and_axes.TO_Y_UP.items():
        turn = np.array(turn)
        assert np.linalg.det(turn) == pytest.approx(1)
        np.testing.assert_array_equal(turn @ turn.T, np.eye(3))
        np.testing.assert_array_equal(turn @ units_and_axes.axis_vector(up), [0, 1, 0])


@pytest.mark.parametrize("up", units_and_axes.AXES)
@pytest.mark.parametrize("scale", [1.0, 0.01, 0.0254, 2.0])
def test_the_whole_body_turns_and_scales_as_one(up, scale):
    clip = person()
    clip = clip.with_(skeleton=replace(clip.skeleton, rotations=clip.rotations[0], tpose=clip.rotations[1]))
    there = units_and_axes.to_our_space(clip, scale, up)
    turn = np.array(units_and_axes.TO_Y_UP[up])
    for before, after in (
        (global_pose(clip), global_pose(there)),
        (rest_pose(clip.skeleton), rest_pose(there.skeleton)),
    ):
        np.testing.assert_allclose(after[0], before[0] @ turn.T * scale, atol=1e-5 * scale)
        ends = end_positions(clip.skeleton, *before) @ turn.T * scale
        np.testing.assert_allclose(end_positions(there.skeleton, *after), ends, atol=1e-5 * scale)
        matrices = turn @ rotation.to_matrix(before[1]) @ turn.T
        np.testing.assert_allclose(rotation.to_matrix(after[1]), matrices, atol=1e-5)
    assert there.skeleton.tpose is not None
    np.testing.assert_array_equal(there.skeleton.tpose, there.rotations[1])


@pytest.mark.parametrize("up", units_and_axes.AXES)
def test_going_there_and_back_changes_nothing(up):
    clip = person()
    back = units_and_axes.to_our_space(units_and_axes.to_our_space(clip, 0.5, up), 2.0, OPPOSITE[up])
    np.testing.assert_array_equal(back.positions, clip.positions)
    np.testing.assert_array_equal(back.rotations, clip.rotations)
    np.testing.assert_array_equal(back.skeleton.offsets, clip.skeleton.offsets)


@pytest.mark.parametrize("up", units_and_axes.AXES)
@pytest.mark.parametrize("unit", [0.01, 1.0, 0.001, 0.0254, 0.3048, units_and_axes.UNITS["cmu"]])
def test_unit_and_up_axis_are_told_from_the_body(tmp_path, up, unit):
    write_bvh(tmp_path / "person.bvh", units_and_axes.to_our_space(person(), 1.0, OPPOSITE[up]), unit=unit)
    clip = read_clip(tmp_path / "person.bvh")
    assert clip.source.up == up
    assert clip.source.unit == pytest.approx(unit)
    assert "head above feet" in clip.source.up_reason
    assert "leg length" in clip.source.unit_reason
    np.testing.assert_allclose(global_pose(clip)[0], global_pose(person())[0], atol=1e-4)


@pytest.mark.parametrize("scale", [0.7, 0.85, 1.15])
def test_children_and_tall_people_are_told_alike(tmp_path, scale):
    for unit in (0.01, 1.0):
        write_bvh(tmp_path / "person.bvh", person(scale=scale), unit=unit)
        assert read_clip(tmp_path / "person.bvh").source.unit == unit


@pytest.mark.parametrize(("up", "facing"), [("Y", "Z"), ("Z", "-Y"), ("-Y", "-Z"), ("X", "Z"), ("-Z", "Y")])
def test_the_facing_axis_of_the_rest_pose_is_reported_in_the_axes_of_the_file(tmp_path, up, facing):
    write_bvh(tmp_path / "person.bvh", units_and_axes.to_our_space(person(), 1.0, OPPOSITE[up]))
    assert read_clip(tmp_path / "person.bvh").source.facing == facing


@pytest.mark.parametrize("facing", ["X", "-X", "-Z", "Z"])
def test_a_given_facing_axis_becomes_forward(tmp_path, facing):
    write_bvh(tmp_path / "person.bvh", person())
    clip = read_clip(tmp_path / "person.bvh", facing=facing)
    x, _, z = units_and_axes.axis_vector(facing)
    forward = global_pose(clip)[0][-1, 0] - global_pose(clip)[0][0, 0]  # the person walks to the file's +Z
    np.testing.assert_allclose(forward, [-4 * x, 0, 4 * z], atol=1e-4)


def test_what_is_given_is_believed(tmp_path):
    write_bvh(tmp_path / "person.bvh", person())
    clip = read_clip(tmp_path / "person.bvh", unit="inch", up="-Y")
    assert (clip.source.unit, clip.source.unit_reason) == (0.0254, "given")
    assert (clip.source.up, clip.source.up_reason) == ("-Y", "given")
    assert clip.positions[0, 0, 1] == pytest.approx(-95 * 0.0254)
    assert read_clip(tmp_path / "person.bvh", unit=0.5).source.unit == 0.5


def test_overrides_that_make_no_sense_are_refused_with_the_choices(tmp_path):
    path = tmp_path / "person.bvh"
    write_bvh(path, person())
    for overrides, message in (
        ({"unit": "ell"}, "no unit 'ell'; choose from: m, "),
        ({"unit": -1.0}, "unit -1.0, expected metres per unit"),
        ({"up": "W"}, "no axis 'W'"),
        ({"up": "Y", "facing": "-Y"}, "facing '-Y' lies along the up axis 'Y'"),
        ({"roles": {"hips": "Hip"}}, "no joint 'Hip'; did you mean 'Hips'"),
        ({"roles": {"hop": "Hips"}}, "no role 'hop'"),
        ({"tpose": tmp_path / "none.bvh"}, "no such file"),
    ):
        with pytest.raises(FileError) as caught:
            read_clip(path, **overrides)
        assert message in str(caught.value)
    with pytest.raises(KinematchError, match="no axis"):
        units_and_axes.axis_vector("up")


def test_roles_can_be_given(tmp_path):
    write_bvh(tmp_path / "person.bvh", person())
    clip = read_clip(tmp_path / "person.bvh", roles={"left_toes": "", "chest": "Spine"})
    assert "left_toes" not in clip.skeleton.roles
    assert clip.skeleton.names[clip.skeleton.roles["chest"]] == "Spine"


def test_a_tpose_can_be_given_as_a_file(tmp_path):
    clip = person()
    write_bvh(tmp_path / "person.bvh", clip)
    still = clip.with_(positions=clip.skeleton.offsets[None], rotations=clip.skeleton.rotations[None])
    write_bvh(tmp_path / "tpose.bvh", still)
    read = read_clip(tmp_path / "person.bvh", tpose=tmp_path / "tpose.bvh")
    assert read.skeleton.tpose is not None
    assert np.degrees(quaternion.angle(read.skeleton.tpose)).max() < 1


def dog(up: str) -> Clip:
    """A trunk on four straight legs that trots along and bobs, its feet on the floor in turn."""
    names = ["body", *(f"leg{k}" for k in range(4)), *(f"paw{k}" for k in range(4))]
    parents = [-1, 0, 0, 0, 0, 1, 2, 3, 4]
    hips = np.array([(x, 0, z) for x in (-10, 10) for z in (-30, 30)], float)
    offsets = np.concatenate([[(0, 50, 0)], hips, np.tile([0, -50, 0], (4, 1))])
    phase = np.linspace(0, 12, 120)
    rotations = quaternion.identity((120, 9))
    rotations[:, 1:5] = rotation.from_axis_angle([1.0, 0.0, 0.0], 0.4 * np.sin(phase[:, None] + [0, np.pi, np.pi, 0]))
    positions = np.repeat(offsets[None], 120, axis=0)
    positions[:, 0] = np.stack([3 * np.sin(phase), 50 * np.cos(0.4 * np.sin(phase)), 20 * phase], axis=-1)
    clip = Clip(skeleton(names, parents, offsets), positions, rotations, 60.0)
    return units_and_axes.to_our_space(clip, 1.0, OPPOSITE[up])


def test_who_never_leaves_the_line_does_not_lie_on_the_side(tmp_path):
    clip = dog("Y")
    positions = clip.positions.copy()
    positions[:, 0] = np.stack([np.zeros(120), np.full(120, 50.0), positions[:, 0, 2]], axis=-1)
    write_bvh(tmp_path / "dog.bvh", clip.with_(positions=positions), unit=1.0)
    assert read_clip(tmp_path / "dog.bvh").source.up == "Y"


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_other_creatures_get_a_guess_that_says_so(tmp_path, up):
    write_bvh(tmp_path / "dog.bvh", dog(up), unit=1.0)
    source = read_clip(tmp_path / "dog.bvh").source
    assert (source.up, source.unit) == (up, 0.01)
    assert source.up_reason.startswith("a guess")
    assert source.unit_reason.startswith("a guess")


@pytest.mark.parametrize("sides", [(1,), (1, -1)])
def test_who_lies_all_the_time_is_told_by_the_floor_and_the_rest_pose(tmp_path, sides):
    clip = person()
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    positions[:, 0, 1] = 0.12  # on the back, sliding along
    for k, frames in enumerate(np.array_split(np.arange(clip.frame_count), len(sides))):
        lying = rotation.from_axis_angle(np.array([1.0, 0.0, 0.0]), sides[k] * np.pi / 2)
        rotations[frames, 0] = quaternion.multiply(lying, rotations[frames, 0])
    write_bvh(tmp_path / "lying.bvh", clip.with_(positions=positions, rotations=rotations))
    source = read_clip(tmp_path / "lying.bvh").source
    assert source.up == "Y"
    assert source.up_reason.startswith("a guess: the body seems to lie")


def test_climbing_on_a_rig_whose_zero_pose_is_nonsense_is_not_taken_for_lying(tmp_path):
    clip = person()
    positions, rotations = global_pose(clip)
    positions = positions + np.linspace(0, 1, clip.frame_count)[:, None, None] * np.array([0.0, 3.0, -4.0])
    rig = clip.skeleton
    # every joint gets axes in which its first child lies along +X, as exported from some capture systems
    child = [next((k for k in rig.children(j)), j) for j in range(rig.joint_count)]
    axes = quaternion.between(np.tile([1.0, 0, 0], (rig.joint_count, 1)), rig.offsets[child].astype(float))
    offsets = quaternion.rotate(quaternion.inverse(axes[rig.parents]), rig.offsets)
    local = local_pose(rig, positions, quaternion.multiply(rotations, axes).astype(np.float32))
    odd = Clip(replace(rig, offsets=offsets), *local, 60.0)
    write_bvh(tmp_path / "odd.bvh", odd)
    source = read_clip(tmp_path / "odd.bvh").source
    assert source.up == "Y"
    assert source.up_reason == "head above feet along Y in 100% of frames"
    assert source.facing == ""
