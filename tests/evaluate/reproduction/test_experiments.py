"""A cheap experiment of each work on little motion: all that its claims ask for is measured, and means what it says."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from kinematch.avatar.trackers import take_moments
from kinematch.camera.simulate import Noise
from kinematch.character.settings import Settings
from kinematch.evaluate.camera.evaluation import watch_cast
from kinematch.evaluate.camera.places import place_camera
from kinematch.evaluate.evaluation import perform
from kinematch.evaluate.reproduction import camera, digital_humans, films, learned, mmvr, models, modes, roots, thesis
from kinematch.evaluate.reproduction.claims import WORKS, load_work
from kinematch.evaluate.reproduction.effort import Effort
from kinematch.evaluate.reproduction.material import Material, Named
from kinematch.math.angles import rotate_about_y

TINY = Effort(True, ("turn 180",), 2, 4.0, 2, (3, 3), 8, 0.1, (6, 6, 6), (6, 6, 6))


@pytest.fixture
def material(database, tmp_path) -> Material:
    """A few clips of the built-in motion in place of all motion."""
    made = Material(None, tmp_path, TINY)
    vars(made)["locomotion"] = Named(database, "a few clips")
    return made


def check_measures(run: str, values) -> None:
    wanted = {name for work in WORKS for claim in load_work(work).claims if claim.run == run for name in claim.measures}
    assert wanted
    assert wanted <= set(values)


def test_thesis_a_spring_sets_off_smoothly_and_decay_does_not(material):
    values = thesis.measure_springs(material).values
    check_measures("springs", values)
    assert values["decay_jump"] == pytest.approx(np.log(2) / 0.1, rel=0.01)  # by 1, with a half-life of 0.1 s
    assert values["spring_jump"] < 0.03 * values["decay_jump"]


def test_thesis_the_searched_part_has_as_many_poses_as_asked_for(database):
    assert thesis.take_frames(database, 700).poses.frame_count == 700
    everything = thesis.take_frames(database, 10**7).poses.frame_count
    assert everything == database.poses.frame_count


def test_digital_humans_filtering_hardly_moves_the_root(material):
    result = roots.measure_root(material)
    check_measures("root", result.values)
    assert 0 < result.values["unfiltered"] < result.values["hips"] < 0.05
    assert "is not at hand" in result.data
    assert not result.same_data


def test_digital_humans_fewer_clip_ends_are_reached_where_tails_are_left_out(material):
    values = digital_humans.measure_tail(material).values
    check_measures("tail", values)
    assert values["ends_30"] <= values["ends_0"]


def test_a_tail_of_half_a_second_is_thirty_frames(database):
    made = modes.leave_out_tail(database, modes.LAST_FRAMES)
    for start, stop in zip(made.poses.clip_starts, made.poses.clip_stops):
        assert not made.features.targets[max(start, stop - 30) : stop].any()
    assert made.features.targets.sum() > modes.leave_out_tail(database, 1.0).features.targets.sum()


def test_the_factor_of_synchronization_is_what_is_made_up_in_a_sixtieth_of_a_second():
    for factor in (0.1, 0.5, 0.9):
        assert 1 - 0.5 ** (1 / 60 / modes.find_synchronization(factor)) == pytest.approx(factor)
    assert modes.find_synchronization(0) == 0


def test_mmvr_all_estimators_are_scored_on_walkers_who_look_around(material):
    result = mmvr.measure_directions(material)
    check_measures("orientation", result.values)
    assert result.values["recurrent"] < result.values["headset"]


def test_mmvr_feedback_is_raw_or_turned_and_raw_networks_are_scored(material, need_extra):
    need_extra("torch", "train")
    check_measures("feedback", mmvr.measure_feedback(material).values)


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5, np.pi])
def test_camera_three_points_turned_are_turned_back(turn):
    seen = np.random.default_rng(3).normal(size=(3, 3))
    found = camera.align_yaw(seen, rotate_about_y(seen, np.full(3, turn)) + [1.0, 0.5, -2.0])
    assert np.cos(found - turn) == pytest.approx(1.0)


def test_camera_without_noise_a_single_picture_says_where_hips_face(material):
    cast = material.make_built_in_cast(room=camera.ROOM, longest=4.0, seed=0)
    clean = Noise(lateral=0.0, depth=0.0, swaps=0.0, dropped=0.0, scale=1.0)
    estimator = camera.SingleFrameCamera([place_camera(user, camera.PLACE).pitch for user in cast.users])
    for number, one in enumerate(watch_cast(cast, camera.PLACE, noise=clean)):
        estimator.see(one, number)
    users = cast.users[:1]
    joints = [cast.calibration.locate_joints(user.devices) for user in cast.users]
    frames = min(len(one) for one in joints)
    errors = []
    for frame in range(frames):
        found = estimator.estimate(take_moments(joints, np.full(len(joints), frame)), 1 / 60)
        errors.append(np.cos(found.yaws[0] - users[0].yaws[frame]))
    assert np.median(np.degrees(np.arccos(np.clip(errors[30:], -1, 1)))) < 12  # late by a tenth of a second, smoothed


def test_learned_each_network_has_its_time_and_loss(material, database, need_extra):
    need_extra("torch", "train")
    named = Named(database, "a few clips")
    material.made["sets"] = {models.SMALL_MODEL: named, models.BIG_MODEL: named}
    values = learned.measure_training(material).values
    check_measures("training", values)
    assert all(value > 0 for value in values.values())
    assert len(list(material.keep.glob("small-*.kinematch-model"))) == 1


def test_learned_a_finished_model_is_opened_and_an_interrupted_training_goes_on(material, database, need_extra):
    need_extra("torch", "train")
    material.made["sets"] = {models.SMALL_MODEL: Named(database, "a few clips")}

    def stop(what, done, total):
        if what == "training small: step" and done == 3:
            raise KeyboardInterrupt

    watched = replace(material, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        models.train_model(watched, models.SMALL_MODEL)
    assert list(material.keep.glob("small-*.checkpoint"))
    told: list[str] = []
    first = models.train_model(replace(material, progress=lambda what, *_: told.append(what)), models.SMALL_MODEL)
    assert "training small: compress" not in told
    assert "training small: step" in told
    assert set(first.losses) == {"compress", "step", "project"}
    assert not list(material.keep.glob("small-*.checkpoint"))
    told.clear()
    again = models.train_model(replace(material, progress=lambda what, *_: told.append(what)), models.SMALL_MODEL)
    assert not told
    assert (again.losses, again.step_seconds) == (first.losses, first.step_seconds)


def test_learned_times_and_losses_of_an_interrupted_training_are_kept_and_pauses_do_not_count(tmp_path):
    record = models.StepRecord(tmp_path / "one.steps")
    for step in (1, 2, 3):
        record.note_loss("compress", step, 4, 0.0, float(step))
    record.note_report("compress", 3, 4, 0.0, "")
    resumed = models.StepRecord(tmp_path / "one.steps")
    for step in (3, 4):  # from a checkpoint after the second
        resumed.note_loss("compress", step, 4, 0.0, 10.0 * step)
    assert resumed.losses["compress"] == [1.0, 2.0, 30.0, 40.0]
    assert np.isnan(resumed.seconds["compress"]).tolist() == [True, False, True, False]
    assert resumed.find_last_losses() == {"compress": 40.0}
    (tmp_path / "one.steps").write_text("{")
    assert not models.StepRecord(tmp_path / "one.steps").losses


def test_learned_each_controller_of_the_appendix_is_filmed_in_turns_and_with_a_gamepad(material, database):
    given = material.assign(database)
    done = perform(replace(given, scenarios=given.scenarios[:1]), Settings())
    made = films.make_films({"MM": films.select_takes(done.takes)}, material.progress)
    assert [name for name, _ in made] == ["MM_arrow_keys"]
    film = Image.open(io.BytesIO(made[0][1]))
    assert (film.format, film.size) == ("WEBP", films.TILE)
    assert 40 <= film.n_frames <= 55
    assert len(learned.APPENDIX) == 10


def test_learned_controllers_have_the_times_of_the_table():
    assert learned.find_settings("LMM_High_Search").search_interval == 1.0
    assert learned.find_settings("LMM_No_Inertia").transition == "none"
    assert not learned.find_settings("LMM").foot_lock
    assert set(learned.NAMES) == set(learned.TABLE)
