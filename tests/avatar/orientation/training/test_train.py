"""Training the recurrent network: what torch trains is what runs, it resumes exactly, and it learns."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.avatar.orientation import RecurrentEstimator
from kinematch.avatar.orientation.network import load_network, save_network
from kinematch.avatar.orientation.training.calibrate import calibrate
from kinematch.avatar.orientation.training.recurrent import export_network, make_network, measure_loss
from kinematch.avatar.orientation.training.score import THREE_POINTS, look_around, run_estimator, summarize
from kinematch.avatar.orientation.training.train import NetworkPlan, train_recurrent
from kinematch.avatar.orientation.training.versions import Bank, Variation, make_plain_version
from kinematch.errors import FileError

SMALL = NetworkPlan(hidden=8, vectors=2, steps=8, batch=8, length=24)
FIELDS = ("inputs", "hidden", "input_biases", "hidden_biases", "outputs", "output_biases")


@pytest.fixture(autouse=True)
def torch(need_extra):
    need_extra("torch", "train")


def test_what_torch_answers_is_what_runs_without_it(people, tmp_path):
    import torch

    person, module = people[0], make_network(16, 4, seed=3)
    with torch.no_grad():
        module.to_output.weight.mul_(20)  # an answer that differs from the headset's
    joints = person.joints.keep(THREE_POINTS)
    version = make_plain_version(joints, person.yaws, 1 / 60, person.head_height, person.arm_length)
    scales = np.random.default_rng(0).uniform(0.5, 2, version.inputs.shape[1])
    with torch.no_grad():
        inputs = torch.from_numpy((version.inputs / scales).astype(np.float32))[None]
        outputs, _ = module(inputs, torch.from_numpy(version.turns)[None], torch.tensor([1 / 60]))
    expected = np.arctan2(*outputs[0, :, :2].numpy().T)
    network = export_network(module, scales)
    estimator = RecurrentEstimator(network=network)
    estimator.reset(1, head_heights=np.array([person.head_height]), arm_lengths=np.array([person.arm_length]))
    found = []
    for frame in range(200):
        estimator.estimate(joints.take(slice(frame, frame + 1)), 1 / 60)
        row = estimator.memory.hidden[0, 0] @ network.outputs + network.output_biases
        found.append(np.arctan2(row[0], row[1]))
    np.testing.assert_allclose(found, expected[:200], atol=1e-4)
    assert np.degrees(np.abs(expected)).max() > 3


def test_training_resumes_as_if_it_had_not_stopped(people, tmp_path):
    whole = train_recurrent(people[:2], SMALL, seed=1)
    kept = tmp_path / "training.safetensors"
    train_recurrent(people[:2], SMALL, seed=1, checkpoint=kept, watch=lambda done, export: done < 5)
    seen: list[int] = []
    again = train_recurrent(people[:2], SMALL, seed=1, checkpoint=kept, progress=lambda done, *_: seen.append(done))
    assert seen == [6, 7, 8]
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    with pytest.raises(FileError, match="a training with seed 1 and other settings"):
        train_recurrent(people[:2], SMALL, seed=2, checkpoint=kept)


def test_training_learns_to_leave_a_head_that_looks_around(people):
    sizes = {"hidden": 12, "vectors": 4, "steps": 60, "batch": 32, "length": 48}
    plan = NetworkPlan(**sizes, learning_rate=1e-2, variation=Variation(look_share=1))
    network = calibrate(train_recurrent(people[:4], plan), people[4:])
    users = look_around(people[4:])
    score = summarize(run_estimator(RecurrentEstimator(network=network), users))
    apart = np.concatenate([one.apart for one in run_estimator(RecurrentEstimator(network=network), users)]).mean()
    assert score.mean < 0.8 * apart
    assert score.expected == pytest.approx(score.mean, rel=0.5)


def test_a_network_is_the_same_after_its_file(people, tmp_path):
    network = train_recurrent(people[:1], replace(SMALL, steps=1))
    save_network(tmp_path / "a.safetensors", network, {"seed": 0})
    again, about = load_network(tmp_path / "a.safetensors")
    assert about == {"seed": 0}
    for name in FIELDS:
        np.testing.assert_allclose(getattr(again, name), getattr(network, name), rtol=1e-3, atol=1e-4)


def test_the_loss_ignores_what_is_unknown_and_is_least_at_the_truth():
    import torch

    truths = torch.tensor([[0.3, -0.4, float("nan"), 0.1]])
    right = torch.stack([torch.sin(truths), torch.cos(truths), torch.full_like(truths, -2.0)], dim=-1)
    right = torch.nan_to_num(right, nan=7.0)
    wrong = right.clone()
    wrong[..., 0] += 0.5
    losses = [float(measure_loss(one, truths, smoothness=1.0)) for one in (right, wrong)]
    assert np.isfinite(losses).all()
    assert losses[0] < losses[1]


def test_windows_follow_from_seed_and_step_alone(people):
    weights = np.ones(2)
    first, second = (Bank(people[:2], 5, Variation(), copies=2, renewal=3) for _ in range(2))
    for step in range(8):
        last = first.draw(step, 4, 16, weights)
    jumped = second.draw(7, 4, 16, weights)
    np.testing.assert_array_equal(last.inputs, jumped.inputs)
    np.testing.assert_array_equal(last.truths, jumped.truths)
