"""The walker on any path at all."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kinematch import synth
from kinematch.errors import KinematchError
from kinematch.files import read_clip, write_clip
from kinematch.math import quaternion
from kinematch.synth import POSTURES, Move, path_of_moves, walk
from kinematch.synth.measure import SIDES, globals_of, heel, knee, stances

ahead = st.builds(Move, seconds=st.floats(1, 3), speed=st.floats(0, 4.5), turn=st.floats(-1.5, 1.5))
aside = st.builds(
    Move,
    seconds=st.floats(0.5, 3),
    speed=st.floats(0, 1.0),
    turn=st.floats(-1.5, 1.5),
    direction=st.floats(-np.pi, np.pi),
)
on_the_spot = st.builds(Move, seconds=st.floats(1, 3), turn=st.floats(-np.pi, np.pi))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.one_of(ahead, aside, on_the_spot), min_size=1, max_size=4),
    st.sampled_from(POSTURES),
    st.integers(0, 1000),
)
def test_whatever_the_path_feet_hold_knees_bend_forward_and_the_floor_is_hard(sequence, posture, seed):
    path = path_of_moves([Move(1), *sequence, Move(4)])
    try:
        motion = walk(path, posture, seed=seed)
    except KinematchError:
        assume(False)
    assert np.isfinite(motion.clip.rotations).all()
    p, r, ends = globals_of(motion.clip)
    for foot, side in enumerate(SIDES):
        assert knee(motion.clip, side).min() > 0.5
        points = (heel(motion.clip, side, p, r), p[:, motion.clip.skeleton.joint(side + "Toe")], ends[:, foot])
        assert min(point[:, 1].min() for point in points) > -0.001
        for start, stop in stances(motion.contacts[:, foot]):
            for pivot, point in enumerate(points):
                held = point[start:stop][motion.pivots[start:stop, foot] == pivot]
                assert len(held) == 0 or np.ptp(held, axis=0).max() < 0.002


def test_walking_along_points_gets_there():
    clip = synth.walk_along([(0, 0), (0, 4), (3, 6)])
    np.testing.assert_allclose(clip.positions[0, 0, [0, 2]], [0, 0], atol=0.06)
    np.testing.assert_allclose(clip.positions[-1, 0, [0, 2]], [3, 6], atol=0.06)
    forward = quaternion.rotate(clip.rotations[-1, 0], np.array([0.0, 0, 1], np.float32))
    assert np.arctan2(forward[0], forward[2]) > 0.7  # along the last stretch, to the left


def test_walking_along_no_way_is_refused():
    with pytest.raises(KinematchError, match=r"\(N, 2\)"):
        synth.walk_along([(0, 0, 0), (0, 0, 1)])


@pytest.mark.parametrize(
    ("move", "posture", "message"),
    [
        (Move(3, 3.0, direction=np.pi / 2), POSTURES[0], "3.00 m/s in direction 90 degrees"),
        (Move(3, 3.0), POSTURES[3], "3.00 m/s .* 'level3'"),
        (Move(1, turn=6.0), POSTURES[0], "rad/s of turning"),
        (Move(3, 4.5, turn=9.0), POSTURES[0], "in a curve"),
    ],
)
def test_what_no_person_could_do_is_refused_with_the_limit(move, posture, message):
    with pytest.raises(KinematchError, match=message):
        walk(path_of_moves([Move(1), move, Move(4)]), posture)


def test_a_standing_person_plans_no_steps():
    motion = walk(path_of_moves([Move(3)]))
    assert motion.contacts.all()
    assert (motion.pivots == 1).all()


def test_clips_survive_a_bvh_file(tmp_path):
    clip = synth.perform(synth.motions()[4], seed=0).clip
    write_clip(tmp_path / "walk.bvh", clip)
    again = read_clip(tmp_path / "walk.bvh")
    assert again.skeleton.difference(clip.skeleton) is None
    np.testing.assert_allclose(again.positions[:, 0], clip.positions[:, 0], atol=1e-4)
    assert np.degrees(quaternion.angle(again.rotations, clip.rotations)).max() < 0.05
    assert dict(again.skeleton.roles) == dict(clip.skeleton.roles)


def test_the_verb_writes_the_clips_of_a_tag(tmp_path):
    from kinematch.cli.synth import synth as verb

    assert verb(tmp_path / "out", tag="backward", sheets=True) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["backward.bvh", "backward.png"]
    k, motion = next((k, m) for k, m in enumerate(synth.motions()) if m.name == "backward")
    whole = synth.perform(motion, seed=[0, k]).clip
    np.testing.assert_allclose(
        read_clip(tmp_path / "out" / "backward.bvh").positions[:, 0], whole.positions[:, 0], atol=1e-4
    )


@pytest.mark.parametrize("wrong", [{"tag": "wlak"}, {"format": "fbx"}])
def test_the_verb_names_what_it_does_not_know(tmp_path, wrong):
    from kinematch.cli.synth import synth as verb

    with pytest.raises(KinematchError, match=next(iter(wrong.values()))):
        verb(tmp_path, **wrong)
