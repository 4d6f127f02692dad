"""The seam of motion sources: one that is no table plays, transitions, locks feet and is restored like a database."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.plain import PlainCrowd
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.terrain.terrain import HeightFunction

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
def test_kernels_show_a_computed_source_as_plain_stages_do(database, walk, terrain):
    fast, slow = (kind([walk, database], 4, terrain=terrain) for kind in (Crowd, PlainCrowd))
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


@pytest.mark.parametrize("what", ["shape", "nan", "raise", "joints", "jumps"])
@pytest.mark.parametrize("kind", [Crowd, PlainCrowd])
def test_a_source_that_does_something_wrong_is_told(database, what, kind):
    with pytest.raises(KinematchError, match="Broken"):
        go(kind(Broken(database, what), 3), 30)
