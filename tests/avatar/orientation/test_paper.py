"""MMVR's network: inputs, fed-back output in the frame of now, and Algorithm 1."""

import numpy as np
import pytest

from kinematch.avatar.orientation import PaperNetwork, make_estimator
from kinematch.avatar.orientation.paper import (
    FEEDBACK_COLUMNS,
    HIDDEN_UNITS,
    TRACKED_COLUMNS,
    PaperWeights,
    from_axes,
    load_paper,
    measure_paper_inputs,
    predict,
    save_paper,
    to_axes,
    turn_axes,
)  # fmt: skip
from kinematch.avatar.simulate import simulate_user, track_joints
from kinematch.avatar.trackers import HEAD
from kinematch.errors import FileError, KinematchError
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws
from kinematch.synth import motions, perform


@pytest.fixture(scope="module")
def joints():
    walk = track_joints(perform(next(one for one in motions() if one.name == "walk_turn_right_135")).clip)
    return simulate_user(walk, np.random.default_rng(0), look_around=0.5)


def echo() -> PaperWeights:
    """Weights that answer with what is fed back: the collapse of r = 1."""
    first, second, last = (
        np.zeros((TRACKED_COLUMNS + FEEDBACK_COLUMNS, HIDDEN_UNITS)),
        np.eye(HIDDEN_UNITS),
        np.zeros((HIDDEN_UNITS, FEEDBACK_COLUMNS)),
    )
    for k in range(FEEDBACK_COLUMNS):  # a ReLU each for both signs
        first[TRACKED_COLUMNS + k, [2 * k, 2 * k + 1]] = 1, -1
        last[[2 * k, 2 * k + 1], k] = 1, -1
    zeros = np.zeros(HIDDEN_UNITS)
    return PaperWeights(np.zeros(42), np.ones(42), first, zeros, second, zeros, last, np.zeros(FEEDBACK_COLUMNS))


def test_inputs_are_those_of_the_paper(joints):
    inputs = measure_paper_inputs(joints)
    assert inputs.shape == (len(joints), 36)
    speeds = np.linalg.norm(inputs[:, :9].reshape(-1, 3, 3), axis=-1)
    np.testing.assert_allclose(speeds, np.linalg.norm(joints.velocities[:, :3], axis=-1))


def test_axes_and_yaws_are_one():
    yaws = np.linspace(-3, 3, 20)
    np.testing.assert_allclose(from_axes(to_axes(yaws)), yaws, atol=1e-12)
    np.testing.assert_allclose(from_axes(turn_axes(to_axes(yaws), 0.5 - yaws)), 0.5, atol=1e-12)
    np.testing.assert_allclose(from_axes(3 * to_axes(yaws)), yaws, atol=1e-12)  # outputs have any length


def test_what_is_fed_back_is_turned_into_the_headsets_frame_of_now(joints):
    estimator = PaperNetwork(1, weights=echo())
    estimator.reset(1, yaws=np.array([2.0]))
    for frame in range(400):  # the head turns, the body that is told to stay stays
        found = estimator.estimate(joints.take(slice(frame, frame + 1)), 1 / 60)
        assert wrap_angle(found.yaws[0] - 2.0) == pytest.approx(0, abs=1e-9)
    assert np.ptp(np.unwrap(facing_yaws(joints.rotations[:400, HEAD]))) > 0.1


def test_weights_are_the_same_after_their_file_and_another_kind_is_refused(tmp_path):
    save_paper(tmp_path / "a.safetensors", echo(), {"seed": 1})
    weights, about = load_paper(tmp_path / "a.safetensors")
    rows = np.random.default_rng(0).normal(size=(4, 42))
    np.testing.assert_allclose(predict(weights, rows), rows[:, TRACKED_COLUMNS:], atol=1e-6)
    assert about == {"seed": 1}
    from kinematch.avatar.orientation.network import load_network

    with pytest.raises(FileError, match=r"another kind \(paper\)"):
        load_network(tmp_path / "a.safetensors")


def test_unknown_names_are_refused():
    with pytest.raises(KinematchError, match="did you mean 'paper-r50-adam'"):
        make_estimator("paper-r50-adm")
    with pytest.raises(KinematchError, match="no variant"):
        PaperNetwork(variant="r2")


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_algorithm_1_learns(joints, need_extra, optimizer):
    need_extra("torch", "train")
    from kinematch.avatar.orientation.training.paper import train_paper
    from kinematch.avatar.orientation.training.people import make_people

    person = make_people([perform(motions()[0]).clip.with_(name="1_1")], "some")[0]
    losses = []
    weights = train_paper(
        [person], recursions=5, optimizer=optimizer, steps=300, progress=lambda done, total, text: losses.append(text)
    )  # fmt: skip
    assert float(losses[-1].split()[1]) < 0.5 * float(losses[0].split()[1])
    assert predict(weights, np.zeros((1, 42))).shape == (1, 6)


def test_settings_of_algorithm_1_are_checked(need_extra):
    need_extra("torch", "train")
    from kinematch.avatar.orientation.training.paper import train_paper

    with pytest.raises(KinematchError, match="optimizer 'sgd', expected one of adam, adamw"):
        train_paper([], optimizer="sgd")
    with pytest.raises(KinematchError, match="0 predictions in a row"):
        train_paper([], recursions=0)
