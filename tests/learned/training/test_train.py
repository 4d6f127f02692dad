"""Training: what torch answers is what runs, it resumes exactly, seeds repeat, and it learns."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import FileError, KinematchError
from kinematch.learned.kernels import Compiled
from kinematch.learned.model_file import load_model, save_model
from kinematch.learned.network import apply_network
from kinematch.learned.source import LearnedSource
from kinematch.learned.training.data import prepare_data
from kinematch.learned.training.finish import finish_model
from kinematch.learned.training.journal import Journal, list_journals
from kinematch.learned.training.plan import make_plan
from kinematch.learned.training.tensors import export_decompressor
from kinematch.learned.training.train import Stopped, Training, has_stalled
from kinematch.learned.training.tune import RANGES, tune_here
from kinematch.learned.verdict import judge

SMALL = make_plan(
    latents=8, hidden=24, stepper_hidden=24, compress_steps=30, step_steps=12, batch=32, windows=16, window=8,
    codebook_bytes=60_000,
)  # fmt: skip
PAPER = make_plan(
    "paper", latents=8, hidden=24, stepper_hidden=24, projector_hidden=16, compress_steps=4, step_steps=3,
    project_steps=4, windows=8, window=6,
)  # fmt: skip


@pytest.fixture(autouse=True)
def torch(need_extra):
    need_extra("torch", "train")


@pytest.fixture(scope="module")
def small(built_of):
    """Half a minute of motion."""
    return built_of("walk_1.35", "idle").database


@pytest.fixture(scope="module")
def whole(small, need_extra):
    """A training that ran to its end."""
    need_extra("torch", "train")
    training = Training(small, SMALL)
    return training, training.run()


def find_weights(model):
    networks = [model.decompressor, model.stepper, *([] if model.projector is None else [model.projector])]
    return [array for network in networks for array in (*network.weights, *network.biases)]


def test_what_torch_answers_is_what_runs_without_it(whole):
    import torch

    training, _ = whole
    both = training.step_stage.both[:50]
    with torch.no_grad():
        outputs = training.modules["decompressor"](both)
        poses = (training.tensors.mean_tensor + training.tensors.scale_tensor * outputs).numpy()
        changes = (training.step_stage.change * training.modules["stepper"](both)).numpy()
    decompressor = export_decompressor(training.modules["decompressor"], training.tensors)
    stepper = training.step_stage.export()
    for network, expected in ((decompressor, poses), (stepper, changes)):
        np.testing.assert_allclose(Compiled(network).apply(both.numpy()), expected, atol=1e-5)
        np.testing.assert_allclose(apply_network(network, both.numpy()), expected, atol=1e-5)


@pytest.mark.parametrize("stop", [("compress", 12), ("step", 4)])
def test_training_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(small, whole, tmp_path, stop):
    path = tmp_path / "checkpoint"
    with pytest.raises(Stopped):
        Training(small, SMALL, resume=path).run(watch=lambda stage, step, _: not (stage == stop[0] and step >= stop[1]))
    again = Training(small, SMALL, resume=path)
    assert (again.kept.stage, again.kept.step >= stop[1]) == (stop[0], True)
    for one, other in zip(find_weights(again.run()), find_weights(whole[1]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_another_seed_gives_another_model(small):
    brief = replace(SMALL, compress_steps=2, step_steps=2)
    one, other = Training(small, brief, seed=1).run(), Training(small, brief, seed=2).run()
    assert not np.array_equal(one.stepper.weights[0], other.stepper.weights[0])


def test_a_checkpoint_of_other_settings_or_motion_is_refused(small, built_of, tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(Stopped):
        Training(small, SMALL, resume=path).run(watch=lambda *_: False)
    with pytest.raises(FileError, match="hidden"):
        Training(small, replace(SMALL, hidden=25), resume=path)
    with pytest.raises(FileError, match="seed 0"):
        Training(small, SMALL, seed=3, resume=path)
    with pytest.raises(FileError, match="another database"):
        Training(built_of("idle", "run_2.6").database, SMALL, resume=path)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(FileError, match="cut off"):
        Training(small, SMALL, resume=path)


def test_training_brings_poses_nearer_and_the_verdict_says_what_is_wrong(small, tmp_path):
    values = []
    training = Training(small, replace(SMALL, compress_steps=120))
    training.run(watch=lambda stage, _, value: values.append((stage, value)) or True)
    first, last = ([value for stage, value in values if stage == "compress"][k] for k in (0, -1))
    assert last < 0.8 * first
    model = finish_model(training, {"command": "test"}, stick_seconds=2.0)
    assert {"database_mean", "held_mean", "run_20", "project_exact", "stick_off", "toe_slide"} <= model.scores.keys()
    assert all(np.isfinite(value) for value in model.scores.values())
    bad = judge({**model.scores, "run_60": 30.0})
    assert bad.grade == "bad"
    assert not bad.accepted
    assert any("30.0 cm from the clip after 60 frames" in reason for reason in bad.reasons)
    save_model(tmp_path / "a.kinematch-model", model)
    assert load_model(tmp_path / "a.kinematch-model").scores == model.scores


def test_nobody_is_told_to_use_the_design_that_the_model_has():
    far = {"project_exact": 9.0}
    assert any("--design snap" in advice for advice in judge(far, snaps=False).advice)
    assert not any("snap" in advice for advice in judge(far, snaps=True).advice)
    assert judge(far, snaps=True).advice


def test_a_stage_without_gain_ends_early():
    assert not has_stalled([3.0, 2.0, 2.5, 2.4, 2.3])
    assert has_stalled([3.0, 2.0, 2.5, 2.4, 2.3, 2.2])
    assert not has_stalled([float("nan")] * 20)


def test_the_design_of_the_papers_has_a_projector_network(small):
    model = Training(small, PAPER).run()
    assert model.projector is not None
    assert model.decompressor.skip is None
    LearnedSource(model)


def test_loss_that_is_not_finite_ends_training_with_advice(small):
    with pytest.raises(KinematchError, match="learning rate"):
        Training(small, replace(SMALL, learning_rate=1e30)).run()


def test_windows_stay_within_clips_and_out_of_what_is_held(database):
    data = prepare_data(database, held_share=0.2)
    assert 0.05 < data.held.mean() < 0.4
    clips = database.poses.clip_of(np.arange(database.poses.frame_count))
    for held in (False, True):
        windows = data.find_windows(30, held=held)
        assert len(windows)
        for offset in (0, 13, 29):
            assert (clips[windows + offset] == clips[windows]).all()
            assert (data.held[windows + offset] == held).all()


def test_root_motion_adds_up_to_the_path_of_the_clip(small):
    data = prepare_data(small)
    motion = data.poses[:, data.columns.root].astype(np.float64) / data.frame_rate
    own = small.poses.clip_frames(0)
    place, yaw = np.zeros(2), 0.0
    for x, z, turn in motion[own][:-1]:
        place += [np.cos(yaw) * x + np.sin(yaw) * z, np.cos(yaw) * z - np.sin(yaw) * x]
        yaw += turn
    path = small.poses.positions[own, 0]
    assert np.linalg.norm(place) == pytest.approx(float(np.linalg.norm(path[-1] - path[0])), abs=1e-3)


def test_a_database_too_small_is_refused(built_of):
    database = built_of("idle").database
    poses = database.poses
    per_frame = ("positions", "rotations", "velocities", "angular_velocities", "contacts")
    marks = ("no_entry", "no_exit", "cost_factor")
    few = replace(
        poses, **{name: getattr(poses, name)[:100] for name in (*per_frame, *marks)},
        clip_stops=np.array([100], np.int32), tags=replace(poses.tags, frames=poses.tags.frames[:100]),
    )  # fmt: skip
    with pytest.raises(KinematchError, match="100 frames, expected 600"):
        prepare_data(replace(database, poses=few))


def test_without_torch_training_says_what_to_install(small, monkeypatch):
    monkeypatch.setattr("kinematch.learned.training.plan.find_spec", lambda name: None)
    with pytest.raises(KinematchError, match=r"kinematch\[train\]"):
        Training(small, SMALL)


def test_optuna_finds_a_plan_within_the_ranges(small):
    seen = []
    plan, error = tune_here(small, SMALL, trials=2, progress=lambda done, total, text: seen.append(done))
    assert seen == [1, 2]
    assert 0 < error < 100
    assert all(low <= getattr(plan, name) <= high for name, (low, high, _) in RANGES.items())
    assert plan.step_steps == SMALL.step_steps


def test_whole_clips_are_held_out_where_they_are_short_enough(database):
    starts, stops = database.poses.clip_starts, database.poses.clip_stops
    data = prepare_data(database, held_share=0.0, held_clips=0.3)
    assert (data.held == data.held_clips).all()
    assert 0 < data.held_clips.mean() <= 0.3
    for start, stop in zip(starts, stops):
        assert len(np.unique(data.held_clips[start:stop])) == 1
    assert not prepare_data(database, held_share=0.0, held_clips=0.01).held.any()


def test_a_journal_tells_of_every_stage_while_training_runs(small, tmp_path, monkeypatch):
    monkeypatch.setattr("kinematch.learned.training.train.has_stalled", lambda curve: False)
    journal = Journal(tmp_path / "a.jsonl", "a", database="small", folder="/models")
    Training(small, SMALL, journal=journal).run()
    whole = journal.path.read_text()
    journal.path.write_text(whole + '{"stage": "step", "st')  # a line that is being written
    (found,) = list_journals(tmp_path)
    assert (found["name"], found["verdict"], list(found["stages"])) == ("a", None, ["compress", "step"])
    assert (found["database"], found["folder"]) == ("small", "/models")
    for name, stage in found["stages"].items():
        assert stage["step"] == stage["steps"] == SMALL.steps(name)
        assert stage["reports"][-1][0] == stage["steps"]
    assert "held out" in found["stages"]["compress"]["text"]
    journal.path.write_text(whole)
    journal.note_end("good")
    assert list_journals(tmp_path)[0]["verdict"] == "good"
