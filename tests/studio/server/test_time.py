"""Time can be stopped, turned back and gone on from; what is shown again is what was shown, to the byte."""

import numpy as np
import pytest

from kinematch.control.command import follow_trajectory
from kinematch.control.trajectory import Trajectory
from kinematch.errors import KinematchError
from kinematch.stream.layout import DT, POSE, unpack
from kinematch.stream.picture import predict_wanted
from kinematch.studio.server.messages import Explain, PathPoint, StickMessage
from kinematch.studio.session.explaining import explain
from kinematch.studio.session.stage import Stage


@pytest.fixture(scope="module")
def played(database) -> Stage:
    """A character that has walked for five seconds, turned once, and is left alone from then on."""
    stage = Stage(database, name="small")
    for k in range(300):
        stage.pilot.steer(StickMessage(k, 0.0 if k < 150 else 1.0, 1.0 if k < 150 else 0.0))
        stage.advance()
    return stage


def same(a: bytes, b: bytes) -> bool:
    """All but how long the step took."""
    place = POSE.offsets["milliseconds"]
    return a[:place] + a[place + 4 :] == b[:place] + b[place + 4 :]


def test_a_page_that_scrubs_sees_the_bytes_that_were_played(fresh_server):
    with fresh_server.page() as page, fresh_server.page() as other:
        page.say("stick", sequence=3, x=0.2, y=1)
        seen = {}
        while len(seen) < 90:
            frame = page.frame()
            seen[int(unpack(POSE, frame)[0]["step"])] = frame
        page.say("pause")
        last = page.message("situation", lambda s: not s["playing"])["newest"]
        for step in (last - 40, last - 41, last - 20):
            page.say("scrub", step=step)
            for watching in (page, other):
                watching.message("situation", lambda s, step=step: s["step"] == step and not s["playing"])
                frame = watching.frame(lambda f, step=step: unpack(POSE, f)[0]["step"] == step)
                assert step not in seen or frame == seen[step]
        page.say("resume")
        page.message("situation", lambda s: s["playing"])
        assert last < page.pose(lambda header, _: header["step"] > last - 20)[0]["step"] < last + 60


def test_going_on_from_a_past_moment_repeats_what_happened_then(database):
    stage = Stage(database, name="small")
    frames = []
    for k in range(120):
        stage.pilot.steer(StickMessage(k, 0.0, 1.0))
        frames.append(stage.advance())
    stage.resume(41)
    assert stage.history.bounds == (1, 41)
    for k in range(40, 120):  # step 1 was taken before the first of these
        stage.pilot.steer(StickMessage(k, 0.0, 1.0))
        assert same(stage.advance(), frames[k])


def test_settings_changed_meanwhile_hold_when_going_on(played):
    stage = Stage(played.database, name="small")
    for _ in range(30):
        stage.advance()
    stage.change_settings({"quality": 2.0}, "a")
    stage.resume(10)
    assert stage.settings["a"].quality == 2.0
    assert stage.crowds["a"].settings.quality == 2.0


def test_who_goes_on_from_a_time_with_a_crowd_has_it_again(database):
    stage = Stage(database, name="small")
    stage.set_crowd(12)
    for _ in range(45):
        stage.advance()
    stage.set_crowd(1)
    for _ in range(10):
        stage.advance()
    stage.resume(40)
    assert stage.crowd_size == 12
    assert stage.step == 30  # of a crowd, states are kept every quarter of a second
    assert unpack(POSE, stage.advance())[0]["characters"] == 12


def test_both_sides_of_a_comparison_go_alike_until_a_setting_differs(database):
    stage = Stage(database, name="small")
    stage.pilot.steer(StickMessage(1, 0.3, 1.0))
    for _ in range(60):
        stage.advance()
    stage.compare(True)
    for _ in range(60):
        _, arrays = unpack(POSE, stage.advance())
        np.testing.assert_array_equal(arrays["rotations"][0], arrays["rotations"][1])
    stage.change_settings({"responsiveness": 20.0, "velocity_halflife": 0.8}, "b")
    for _ in range(60):
        header, arrays = unpack(POSE, stage.advance())
    assert (header["second"], header["tracked"]) == (1, 2)
    assert not np.array_equal(arrays["bodies"][0], arrays["bodies"][1])
    assert stage.settings["a"].responsiveness == 1.0
    stage.compare(False)
    assert unpack(POSE, stage.advance())[0]["characters"] == 1


def test_every_search_can_be_explained(played):
    for moment in played.history.between():
        arrays = moment.picture.arrays
        if arrays["bits"][0] & 2:  # jumped
            told = explain(played, Explain(moment.step, count=3))
            assert told.step == moment.step
            assert told.searched_because
            assert told.chosen == told.candidates[0].frame
            assert told.candidates[0].cost <= told.candidates[-1].cost
            assert sum(told.candidates[0].feature_costs) == pytest.approx(told.candidates[0].cost, rel=1e-3)
            after = played.history.at(moment.step + 1).picture.arrays["frames"][0]
            assert 0 <= after - told.chosen <= 2
            assert len(told.query) == len(told.candidates[0].features) == played.database.features.width


def test_what_is_not_remembered_is_not_explained(played):
    with pytest.raises(KinematchError, match="no character 7"):
        explain(played, Explain(200, character=7))


def test_a_path_is_walked_to_its_end(database):
    stage = Stage(database, name="small")
    stage.pilot.follow([PathPoint(0, 0), PathPoint(0, 3), PathPoint(2, 3)], loops=False)
    stage.pilot.steer_by("path")
    for _ in range(600):
        _, arrays = unpack(POSE, stage.advance())
    assert np.linalg.norm(arrays["roots"][0, [0, 2]] - [2, 3]) < 0.5


def test_a_crowd_that_is_set_after_a_walk_is_around_the_walker(database):
    stage = Stage(database, name="small")
    stage.pilot.steer(StickMessage(1, 0.0, 1.0))
    for _ in range(900):
        stage.advance()
    stage.set_crowd(8)
    for _ in range(60):
        stage.pilot.let_go()
        _, arrays = unpack(POSE, stage.advance())
    places = arrays["roots"][:, [0, 2]]
    assert np.linalg.norm(places[0]) > 12
    assert np.linalg.norm(places - places[0], axis=1).max() < 9


@pytest.mark.parametrize(("kind", "lag"), [("hills", 0.12), ("slopes", 0.12), ("stairs", 0.2)])
def test_characters_stand_on_the_terrain_and_come_down_from_it(database, kind, lag):
    stage = Stage(database, name="small")
    stage.set_terrain(kind)
    stage.pilot.steer(StickMessage(1, 0.0, 1.0))
    heights = []
    for _ in range(400):
        _, arrays = unpack(POSE, stage.advance())
        root = arrays["roots"][0]
        heights.append((root[1], float(stage.ground.heights(root[None, [0, 2]])[0])))
    shown, ground = np.array(heights).T
    assert np.ptp(ground) > 0.05
    assert np.abs(shown - ground).max() < lag  # m
    stage.set_terrain("flat")
    for _ in range(120):
        _, arrays = unpack(POSE, stage.advance())
    assert abs(arrays["roots"][0, 1]) < 1e-3


def test_the_drawn_trajectory_is_the_one_a_search_asks_for(database):
    stage = Stage(database, name="small")
    for k in range(90):
        stage.pilot.steer(StickMessage(k, 0.6, 0.8))
        stage.advance()
        crowd, picture = stage.crowds["a"], stage.history.at(stage.step).picture
        drawn = picture.arrays["wanted"][0]
        if not picture.arrays["bits"][0] & 1:
            continue
        asked = crowd.state.schedule.trajectories[0]  # made before the step, for the moment of the playing frame
        directions = np.stack([np.sin(asked[:, 3]), np.cos(asked[:, 3])], axis=-1)
        np.testing.assert_allclose(drawn[:, :2], asked[:, [0, 2]], atol=0.1)
        np.testing.assert_allclose(drawn[:, 2:], directions, atol=0.2)


def test_a_trajectory_that_a_controller_gives_is_drawn_as_given(database):
    times, stage = np.linspace(0, 1, 11), Stage(database, name="small")
    positions = np.stack([times**2, 0 * times, 1.2 * times], axis=-1)[None]
    trajectory = Trajectory(times, positions, np.gradient(positions, axis=1))
    crowd = stage.crowds["a"]
    crowd.step(follow_trajectory(trajectory), DT)
    drawn = predict_wanted(stage.view, crowd, DT)
    given, _ = trajectory.sample(stage.view.horizons + DT)
    np.testing.assert_allclose(drawn[:, :2], given[0][:, [0, 2]], atol=1e-6)
