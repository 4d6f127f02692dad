"""The seam of motion sources: one that is no table plays, transitions, locks feet and is restored like a database."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.scene.terrain import HeightFunction

from .cyclic_walk import CyclicWalk

DT = 1 / 60


@pytest.fixture(scope="module")
def walk(database):
    return CyclicWalk(database)


def go(crowd: Crowd, steps: int, source=0, speed: float = 1.2):
    return [
        crowd.step(replace(move(np.tile([0.0, 0, speed], (crowd.count, 1))), source=source), DT) for _ in range(steps)
    ]


def test_a_computed_source_plays_by_itself(walk):
    crowd = Crowd(walk, 3)
    poses = go(crowd, 180)
    assert (crowd.root_positions[:, 2] > 2.0).all()
    toes = np.array([pose.global_positions[:, crowd.rig.legs[:, 3]] for pose in poses[60:]])
    locked = np.array([pose.locked for pose in poses[60:]])
    both = locked[1:] & locked[:-1]
    slides = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1)
    assert 0.2 < both.mean() < 0.8
    assert np.median(slides[both]) / DT < 0.02  # m/s: locked toes stand
    assert slides[~both].mean() / DT > 0.5


@pytest.mark.parametrize("compiled", [True, False])
def test_a_computed_source_is_asked_for_the_trajectory_in_its_own_units(walk, compiled):
    crowd = Crowd(walk, 2, compiled=compiled)
    crowd.state.schedule.since[:] = 1.0
    crowd.body.velocities[:] = velocities = np.array([[0.0, 0, 1.2], [0.4, 0, 0.9]])
    crowd.body.yaws[:] = crowd.root_yaws[:] = np.arctan2(velocities[:, 0], velocities[:, 2])
    crowd.step(move(velocities), DT)
    about = walk.description
    times, columns = np.array(about.schema.times), about.schema.columns["trajectory_position"]
    asked = about.restore_units(crowd.state.schedule.queries)[:, columns].reshape(2, -1, 2)
    np.testing.assert_allclose(asked[..., 0], 0.0, atol=1e-3)
    np.testing.assert_allclose(asked[..., 1], np.outer(np.linalg.norm(velocities, axis=1), times), atol=1e-3)


def test_a_computed_source_and_a_database_share_a_crowd(database, walk):
    crowd = Crowd([database, walk], 4, settings=Settings(foot_lock=False, pelvis=False))
    go(crowd, 40, [0, 1, 0, 1])
    assert crowd.state.playing.sources.tolist() == [0, 1, 0, 1]
    before = crowd.step(replace(move(np.tile([0.0, 0, 1.2], (4, 1))), source=[0, 1, 0, 1]), 0.0)
    after = crowd.step(replace(move(np.tile([0.0, 0, 1.2], (4, 1))), source=[1, 0, 0, 1]), 0.0)
    assert after.sources.tolist() == [1, 0, 0, 1]
    assert after.jumped[:2].all()
    # at the moment of the jump the shown pose does not change, whichever way it goes
    dots = abs((before.rotations.astype(float) * after.rotations).sum(axis=-1))
    assert dots.min() > 1 - 1e-5
    np.testing.assert_allclose(after.global_positions, before.global_positions, atol=1e-4)
    for pose in go(crowd, 60, [1, 0, 1, 0]):
        assert np.isfinite(pose.global_positions).all()
    assert (crowd.root_positions[:, 2] > 1.0).all()


def test_one_source_given_twice_keeps_two_states(walk):
    crowd = Crowd([walk, walk], 2)
    go(crowd, 40, [0, 1])
    first, second = (own["phase"] for own in crowd.state.sources)
    assert first[0] > 0
    assert second[1] > 0
    assert first[1] == second[0] == 0


def test_a_restored_state_of_several_sources_goes_on_bit_for_bit(database, walk):
    crowd = Crowd([database, walk], 4)
    go(crowd, 50, [0, 1, 0, 1])
    kept = crowd.state.copy()
    assert set(kept.sources[1]) == {"phase", "speed"}
    first = go(crowd, 30, [1, 0, 0, 1], 2.0)
    crowd.restore(kept)
    for a, b in zip(first, go(crowd, 30, [1, 0, 0, 1], 2.0)):
        for name, x, y in zip(a._fields, a, b):
            np.testing.assert_array_equal(x, y, err_msg=name)


@pytest.mark.parametrize("terrain", [None, HeightFunction(lambda x, z: 0.1 * np.sin(x) + 0.05 * z)])
def test_a_computed_source_is_shown_alike_uncompiled(database, walk, terrain):
    fast, slow = (Crowd([walk, database], 4, terrain=terrain, compiled=compiled) for compiled in (True, False))
    for step in range(90):
        command = replace(move(np.tile([0.3, 0, 1.2], (4, 1))), source=[0, 1, step // 20 % 2, (step // 30 + 1) % 2])
        a, b = fast.step(command, DT), slow.step(command, DT)
        np.testing.assert_allclose(a.global_positions, b.global_positions, atol=1e-4)
        np.testing.assert_array_equal(a.sources, b.sources)
        np.testing.assert_array_equal(a.locked, b.locked)
        np.testing.assert_array_equal(a.contacts, b.contacts)


def test_a_computed_source_moves_alike_at_any_rate(walk):
    ends = []
    for rate in (30, 60, 250):
        crowd = Crowd(walk, settings=Settings(search_interval=2.0))
        crowd.state.sources[0]["speed"][:] = 1.2
        for _ in range(rate):
            pose = crowd.step(move([[0.0, 0, 1.2]]), 1 / rate)
        ends.append(pose.positions[0, 0, 2])
    np.testing.assert_allclose(ends, ends[0], atol=0.05)


def test_candidates_of_a_source_without_frames_are_refused_in_words(walk):
    crowd = Crowd(walk)
    go(crowd, 2)
    with pytest.raises(KinematchError, match="CyclicWalk, which does not search frames"):
        crowd.explain()


class Broken(CyclicWalk):
    """One that does something wrong."""

    def __init__(self, database, what):
        super().__init__(database)
        self.what = what

    def advance(self, state, characters, seconds):
        good = super().advance(state, characters, seconds)
        return {"shape": good[:, :2], "nan": good * np.nan, "raise": 1 / 0 if self.what == "raise" else good}.get(
            self.what, good
        )

    def decode(self, state, characters, look=0.0):
        good = super().decode(state, characters, look)
        return good._replace(rotations=good.rotations[:, :3]) if self.what == "joints" else good

    def project(self, state, characters, queries, search):
        good = super().project(state, characters, queries, search)
        return good._replace(jumps=np.ones(1, bool)) if self.what == "jumps" else good


WRONG = {
    "shape": r"Broken\.advance: result is float64 \(3, 2\), expected numbers \(3, 3\)",
    "nan": r"Broken\.advance: result has values that are not finite",
    "raise": r"Broken\.advance: .*division by zero",
    "joints": r"Broken\.decode: rotations is float64 \(3, 3, 4\), expected numbers \(3, \d+, 4\)",
    "jumps": r"Broken\.project: jumps is bool \(1,\), expected numbers \(\d,\)",
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_source_that_does_something_wrong_is_told(database, what, compiled):
    with pytest.raises(KinematchError, match=WRONG[what]):
        go(Crowd(Broken(database, what), 3, compiled=compiled), 30)


def test_a_source_that_lacks_something_is_told(database, walk):
    class Half:
        description, project, enter = walk.description, walk.project, walk.enter

    class Undescribed(CyclicWalk):
        description = "a walk"

        def __init__(self):
            pass

    with pytest.raises(KinematchError, match="Half is no motion source: it has no advance, decode"):
        Crowd(Half())
    with pytest.raises(KinematchError, match=r"Undescribed\.description: is a str, expected a SourceDescription"):
        Crowd(Undescribed())
    named = CyclicWalk(database)
    named.description = replace(walk.description, state={"name": "walk"})
    with pytest.raises(KinematchError, match=r"CyclicWalk\.description: state 'name' is <U4, expected numbers"):
        Crowd(named)
