"""Animations keep their values at their keys, interpolate as glTF says between them, and find their own rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import FileError
from kinematch.files.gltf_animation import find_frame_rate, interpolate
from kinematch.files.gltf_read import read_gltf
from kinematch.math import quaternion, rotation

RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0, 30 / 1.001, 24 / 1.001, 60 / 1.001)


def xyzw(q):
    return np.asarray(q)[..., [1, 2, 3, 0]]


def one_joint(gltf, path, times, values, mode, folder):
    node = gltf.node("joint")
    gltf.animation((node, path, times, values, mode))
    return read_gltf(gltf.write(folder / "a.glb")).clips[0]


def test_linear_positions_go_straight(gltf, tmp_path):
    clip = one_joint(gltf, "translation", [0.0, 0.5, 2.0], [[0, 0, 0], [1, 0, 0], [1, 6, 0]], "LINEAR", tmp_path)
    assert clip.frame_rate == 30
    assert clip.frame_count == 61
    times = np.arange(61) / 30
    np.testing.assert_allclose(clip.positions[:, 0, 0], np.minimum(times * 2, 1), atol=1e-6)
    np.testing.assert_allclose(clip.positions[:, 0, 1], np.maximum(times - 0.5, 0) * 4, atol=1e-6)


def test_linear_rotations_turn_evenly_the_short_way(gltf, tmp_path):
    start, end = rotation.from_axis_angle([[0.0, 0, 1]], np.radians([10, 130]))
    clip = one_joint(gltf, "rotation", [0.0, 1.0], xyzw([start, -end]), "LINEAR", tmp_path)
    angles = 2 * np.arctan2(clip.rotations[:, 0, 3], clip.rotations[:, 0, 0])
    np.testing.assert_allclose(np.degrees(angles), np.linspace(10, 130, 31), atol=1e-4)


def test_steps_hold_until_the_next_key(gltf, tmp_path):
    clip = one_joint(gltf, "translation", [0.0, 0.5, 1.0], [[1, 0, 0], [2, 0, 0], [3, 0, 0]], "STEP", tmp_path)
    assert clip.positions[:, 0, 0].tolist() == [1] * 15 + [2] * 15 + [3]


def test_splines_follow_any_cubic_exactly(gltf, tmp_path):
    keys = np.array([0.0, 0.4, 1.0, 1.5])
    cubic = np.polynomial.Polynomial([1, -2, 3, -0.7])
    value, slope = cubic(keys), cubic.deriv()(keys)
    stored = np.zeros((4, 3, 3))
    stored[:, 0, 1] = stored[:, 2, 1] = slope
    stored[:, 1, 1] = value
    clip = one_joint(gltf, "translation", keys, stored.reshape(-1, 3), "CUBICSPLINE", tmp_path)
    times = np.arange(clip.frame_count) / clip.frame_rate
    np.testing.assert_allclose(clip.positions[:, 0, 1], cubic(times), atol=1e-5)
    assert not clip.positions[:, 0, [0, 2]].any()


def test_splines_of_rotations_are_of_unit_length(gltf, tmp_path):
    q = rotation.from_axis_angle([[1.0, 0, 0]], np.array([0.0, 1.5, 0.2]))
    stored = np.zeros((3, 3, 4))
    stored[:, 1] = xyzw(q)
    clip = one_joint(gltf, "rotation", [0.0, 1.0, 2.0], stored.reshape(-1, 4), "CUBICSPLINE", tmp_path)
    np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(quaternion.angle(clip.rotations[[0, 30, 60], 0], q), 0, atol=1e-3)


def test_rotations_may_be_normalized_integers(gltf, tmp_path):
    node = gltf.node("joint")
    output = gltf.accessor([[0, 0, 0, 32767], [0, 32767, 0, 0]], dtype="i2", normalized=True)
    sampler = {"input": gltf.accessor([0.0, 1.0]), "output": output}
    channel = {"sampler": 0, "target": {"node": node, "path": "rotation"}}
    gltf.add("animations", {"samplers": [sampler], "channels": [channel]})
    clip = read_gltf(gltf.write(tmp_path / "a.glb")).clips[0]
    np.testing.assert_allclose(np.degrees(quaternion.angle(clip.rotations[15, 0])), 90, atol=1e-3)


@pytest.mark.parametrize("mode", ["LINEAR", "STEP"])
def test_before_and_after_its_keys_a_joint_stands_still(mode):
    keys, values = np.array([1.0, 2.0]), np.array([[[5.0]], [[7.0]]])
    found = interpolate(keys, values, mode, np.array([-1, 0.5, 1.0, 2.0, 3.0]), path="translation")
    assert found[:, 0].tolist() == [5, 5, 5, 7, 7]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(RATES), st.integers(20, 4000), st.floats(0, 50))
def test_even_keys_give_their_own_rate(rate, count, start):
    times = (start + np.arange(count) / rate).astype(np.float32).astype(np.float64)
    assert find_frame_rate(times) == pytest.approx(rate, rel=1e-6 if count > 400 else 2e-3)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([30.0, 24.0, 60.0, 120.0]), st.integers(0, 2**32 - 1))
def test_keys_left_out_do_not_hide_the_rate(rate, seed):
    kept = np.flatnonzero(np.random.default_rng(seed).random(600) < 0.4)
    times = (kept / rate).astype(np.float32).astype(np.float64)
    assert find_frame_rate(times) == rate


def test_key_times_in_milliseconds_are_understood():
    assert find_frame_rate(np.round(np.arange(100) / 30, 3)) == 30
    assert find_frame_rate(np.round(np.arange(100) / 60, 3)) == 60


def test_uneven_keys_get_a_usual_rate():
    rng = np.random.default_rng(0)
    assert find_frame_rate(np.sort(rng.random(100)) * 10) == 30
    assert find_frame_rate(np.sort(rng.random(1000)) * 10) == 60


def test_a_clip_starts_at_its_first_key(gltf, tmp_path):
    clip = one_joint(gltf, "translation", [4.0, 5.0], [[1, 0, 0], [2, 0, 0]], "LINEAR", tmp_path)
    assert clip.frame_count == 31
    assert clip.positions[[0, -1], 0, 0].tolist() == [1, 2]


def test_one_key_makes_one_frame(gltf, tmp_path):
    clip = one_joint(gltf, "translation", [2.5], [[1, 2, 3]], "LINEAR", tmp_path)
    assert clip.positions.tolist() == [[[1, 2, 3]]]


def test_every_animation_is_a_clip_and_channels_that_move_no_node_are_passed_over(gltf, tmp_path):
    node = gltf.node("joint")
    for name in ("walk", "", "run"):
        gltf.animation((node, "translation", [0.0, 1.0], np.ones((2, 3)), "LINEAR"), name=name)
    gltf.animation((node, "weights", [0.0, 1.0], [0.0, 1.0], "LINEAR"), name="smile")
    model = read_gltf(gltf.write(tmp_path / "moves.glb"))
    assert [clip.name for clip in model.clips] == ["walk", "moves_1", "run"]
    assert any("smile" in note for note in model.notes)


@pytest.mark.parametrize(
    ("times", "values", "mode", "words"),
    [
        ([0.0, 1.0], np.ones((3, 3)), "LINEAR", "3 values for 2 keys"),
        ([0.0, 1.0], np.ones((2, 3)), "CUBICSPLINE", "expected 6"),
        ([1.0, 0.0], np.ones((2, 3)), "LINEAR", "backwards"),
        ([0.0, np.nan], np.ones((2, 3)), "LINEAR", "not finite"),
        ([0.0, 1.0], np.full((2, 3), np.inf), "LINEAR", "not finite"),
        ([0.0, 1.0], np.full((2, 3), 3e38), "LINEAR", "thousand million"),
        ([0.0, 1.0], np.ones((2, 4)), "LINEAR", "expected VEC3"),
        ([0.0, 1e9], np.ones((2, 3)), "LINEAR", "far more than"),
        ([0.0, 3e38], np.ones((2, 3)), "LINEAR", "far more than"),
        ([], np.ones((0, 3)), "LINEAR", "a.glb"),
        ([0.0, 1.0], np.ones((2, 3)), "WIGGLE", "LINEAR"),
    ],
)
def test_broken_channels_are_refused(gltf, tmp_path, times, values, mode, words):
    with pytest.raises(FileError, match=words):
        one_joint(gltf, "translation", times, values, mode, tmp_path)


def test_many_animations_cannot_ask_for_what_one_may_not(gltf, tmp_path):
    node = gltf.node("joint")
    for _ in range(40):
        gltf.animation((node, "translation", [0.0, 3600.0], np.ones((2, 3)), "LINEAR"))
    with pytest.raises(FileError, match="far more than"):
        read_gltf(gltf.write(tmp_path / "a.glb"))


def test_only_what_moves_joints_makes_a_clip_and_its_length(gltf, tmp_path):
    joint, camera = gltf.node("joint"), gltf.node("camera", camera=0)
    gltf.add("skins", {"joints": [joint]})
    still, line = np.ones((2, 3)), "LINEAR"
    gltf.animation(
        (joint, "translation", [0.0, 1.0], still, line), (camera, "translation", [0.0, 9.0], still, line), name="both"
    )
    gltf.animation((camera, "translation", [0.0, 9.0], still, line), name="flight")
    model = read_gltf(gltf.write(tmp_path / "a.glb"))
    assert [(clip.name, clip.duration) for clip in model.clips] == [("both", 1)]
    assert "flight" in model.notes[-1]


@pytest.mark.parametrize("change", [{"sampler": 5}, {"target": {"node": 9, "path": "rotation"}}])
def test_channels_that_refer_to_nothing_are_refused(gltf, tmp_path, change):
    gltf.animation((gltf.node("joint"), "translation", [0.0], np.ones((1, 3)), "LINEAR"))
    gltf.json["animations"][0]["channels"][0] |= change
    with pytest.raises(FileError, match="does not exist"):
        read_gltf(gltf.write(tmp_path / "a.glb"))
