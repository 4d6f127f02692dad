"""What careless callers give a crowd: clear errors, no effect on the next step, and nothing read out of bounds."""

from dataclasses import replace

import numpy as np
import pytest

import kinematch as km
from kinematch.character import Command, Crowd, Settings
from kinematch.character import seams as seams_module
from kinematch.control.command import move
from kinematch.database.tags import Tags
from kinematch.errors import KinematchError

from .cyclic_walk import CyclicWalk
from .rigs import make_database, twist_bones

DT = 1 / 60


def walk(count: int) -> Command:
    return move(np.tile([0.0, 0, 1.2], (count, 1)))


class Slope:
    """A terrain whose arrays are views of others."""

    def __init__(self, view):
        self.view = view

    def heights(self, points):
        return self.view(0.1 * points[:, 1])

    def normals(self, points):
        normals = np.tile(np.array([0.0, 1.0, -0.1]) / np.hypot(1.0, 0.1), (len(points), 1))
        return self.view(normals)


@pytest.mark.parametrize("view", [lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, axis=0)[::2]])
def test_a_terrain_may_return_arrays_of_any_layout(database, view):
    plain, other = (Crowd(database, 4, terrain=Slope(one)) for one in (np.ascontiguousarray, view))
    for _ in range(30):
        np.testing.assert_array_equal(
            other.step(walk(4), DT).global_positions, plain.step(walk(4), DT).global_positions
        )


def test_a_terrain_of_one_height_is_stood_on(database):
    crowd = Crowd(database, 4, terrain=km.HeightFunction(lambda x, z: 0.5))
    for _ in range(60):
        crowd.step(walk(4), DT)
    np.testing.assert_allclose(crowd.state.feet.grounds[..., 0], 0.5, atol=0.05)
    assert crowd.restarts == 0


@pytest.mark.parametrize(
    ("times", "characters", "ages"),
    [([0.5], [1], [0.0]), ([0.5], [50_000_000], [0.0]), ([0.5], [-1], [0.0]), ([0.5], [0], [0.0, 1.0]),
     (0.5, [0], [0.0]), ([0.5], [0.0], [0.0])],
)  # fmt: skip
def test_predictions_of_characters_that_are_none_are_refused(database, times, characters, ages):
    with pytest.raises(KinematchError, match=r"characters|times"):
        Crowd(database).predict(np.array(times), np.array(characters), np.array(ages))


def test_predictions_take_whole_numbers_of_any_kind(database):
    crowd = Crowd(database, 2)
    crowd.step(walk(2), DT)
    given = np.array([0.5]), np.zeros(2)
    (places, _), (others, _) = (crowd.predict(given[0], np.array([0, 1], k), given[1]) for k in (np.int64, np.uint8))
    np.testing.assert_array_equal(places, others)


def test_a_limb_whose_roles_are_out_of_order_is_refused():
    body = twist_bones()
    roles = dict(body.roles) | {"left_upper_leg": body.roles["left_lower_leg"]}
    roles["left_lower_leg"] = body.roles["left_upper_leg"]
    with pytest.raises(KinematchError, match=r"left upper_leg, lower_leg, foot are .* expected parents first"):
        Crowd(make_database(body.with_roles(roles)))


def test_a_command_that_is_refused_leaves_nothing_behind(database):
    crowd = Crowd(database)
    crowd.step(walk(1), DT)
    number = crowd.orders.filters.copy()
    with pytest.raises(KinematchError, match="sources 5"):
        crowd.step(replace(walk(1), filter="run", source=5), DT)
    crowd.step(walk(1), DT)
    np.testing.assert_array_equal(crowd.orders.filters, number)


def test_an_error_of_one_step_is_not_raised_in_the_next(database):
    class Fails:
        def apply(self, pose, dt):
            raise ValueError("on purpose")

    crowd = Crowd(database, layers=[Fails()])
    crowd.state.schedule.since[:] = 1.0
    with pytest.raises(KinematchError, match=r"admits none|on purpose"):
        crowd.step(replace(walk(1), filter="idle & !idle"), DT)
    crowd.layers = []
    for _ in range(20):
        crowd.step(walk(1), DT)


def test_the_error_of_a_filter_is_that_of_the_commanded_source(database):
    tags = database.poses.tags
    more = Tags((*tags.names, "extra"), np.concatenate([tags.frames, tags.frames[:, :1]], axis=1))
    other = replace(database, poses=replace(database.poses, tags=more))
    crowd = Crowd([database, other])
    for source, words in ((1, "'extra & !extra' admits none"), (0, "no tag 'extra'")):
        crowd.state.schedule.since[:] = 1.0
        with pytest.raises(KinematchError, match=words):
            crowd.step(replace(walk(1), filter="extra & !extra", source=source), DT)


@pytest.mark.parametrize(
    ("ask", "words"),
    [(lambda q, who, schema: q.tolist()[:0], "expected finite"), (lambda q, who, schema: q[:, :3], "expected finite"),
     (lambda q, who, schema: q * np.nan, "expected finite"), (lambda q, who, schema: 1 / 0, "ZeroDivisionError"),
     (lambda q, who, schema: "no", "ask <lambda>")],
)  # fmt: skip
def test_what_an_ask_returns_is_checked(database, ask, words):
    crowd = Crowd(database, 2, asks=[ask])
    crowd.state.schedule.since[:] = 1.0
    with pytest.raises(KinematchError, match=words):
        crowd.step(walk(2), DT)


def test_an_ask_may_return_a_list(database):
    crowd = Crowd(database, 2, asks=[lambda queries, who, schema: queries.tolist()])
    crowd.state.schedule.since[:] = 1.0
    assert crowd.step(walk(2), DT).searched.all()


@pytest.mark.parametrize("seconds", [0, -1.0, np.nan, np.inf, "1", None, True])
def test_a_longest_step_that_is_none_is_refused(database, seconds):
    crowd = Crowd(database)
    with pytest.raises(KinematchError, match="a longest step of"):
        crowd.longest_step = seconds
    assert crowd.longest_step == 0.02


def test_sources_that_do_not_search_frames_are_not_explained(database):
    crowd = Crowd([database, CyclicWalk(database)])
    crowd.step(walk(1), DT)
    crowd.state.playing.sources[:] = 7
    with pytest.raises(KinematchError, match="plays a CyclicWalk, which does not search frames"):
        crowd.explain()


def test_a_character_is_reset_once_in_a_step_of_several_pieces(database, monkeypatch):
    shown, show = [], seams_module.show_restarted
    monkeypatch.setattr(seams_module, "show_restarted", lambda *given: (shown.append(given[2]), show(*given)))
    crowd = Crowd(CyclicWalk(database), 3)
    crowd.state.offsets.rotations[1] = np.nan
    pose = crowd.step(walk(3), 0.06)
    assert pose.restarted.tolist() == [False, True, False]
    assert [one.tolist() for one in shown] == [[1]]
    crowd.step(walk(3), 0.06)
    assert len(shown) == 1


def test_a_filter_is_looked_up_among_the_frames_once(database, monkeypatch):
    crowd = Crowd(database)
    asked, admits = [], crowd.sources[0].admits
    monkeypatch.setattr(crowd.sources[0], "admits", lambda filter_: (asked.append(filter_), admits(filter_))[1])
    for k in range(12):
        crowd.settings = Settings(clearance=0.01 * (k % 3))
        crowd.step(replace(walk(1), filter=("walk", "run", "walk | run")[k % 3]), DT)
    assert len(asked) == len(set(asked))
