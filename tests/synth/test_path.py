"""Paths over the floor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.errors import KinematchError
from kinematch.synth import Move, path_of_moves, path_through
from kinematch.synth.path import RUN_ACCELERATION

moves = st.builds(
    Move,
    seconds=st.floats(0.5, 3),
    speed=st.floats(0, 4.5),
    turn=st.floats(-np.pi, np.pi),
    direction=st.floats(-np.pi, np.pi),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(moves, min_size=1, max_size=5), st.sampled_from([30.0, 60.0, 90.0]))
def test_a_path_moves_as_its_velocities_say_and_never_jerks(sequence, frame_rate):
    path = path_of_moves([Move(1), *sequence, Move(3)], frame_rate=frame_rate)
    steps = np.diff(path.positions, axis=0) * frame_rate
    np.testing.assert_allclose(steps, (path.velocities[1:] + path.velocities[:-1]) / 2, atol=1e-9)
    turns = np.diff(path.facings)[1:-1] * frame_rate
    np.testing.assert_allclose(turns, (path.turn_rates[2:-1] + path.turn_rates[1:-2]) / 2, atol=0.2)
    local = np.diff(path.local_velocities, axis=0) * frame_rate
    assert np.linalg.norm(local, axis=-1).max() < RUN_ACCELERATION * 1.01


def test_moves_reach_their_speed_turn_and_direction():
    path = path_of_moves([Move(1), Move(4, 1.2, direction=np.pi / 2), Move(2, turn=1.0), Move(2)])
    np.testing.assert_allclose(path.local_velocities[240], [0, 1.2], atol=1e-6)
    assert path.facings[-1] == pytest.approx(1.0, abs=1e-6)
    assert path.positions[-1, 0] > 3  # to the left is along +X


def test_a_positive_turn_is_to_the_left():
    path = path_of_moves([Move(1), Move(3, 1.0, turn=np.pi / 2), Move(2, 1.0), Move(2)])
    assert path.positions[-1, 0] > 0.5


def test_a_path_through_points_starts_and_ends_at_rest_on_them():
    points = np.array([(0.0, 0), (0, 4), (3, 6), (5, 6)])
    path = path_through(points, 1.4)
    np.testing.assert_allclose(path.positions[0], points[0], atol=1e-9)
    np.testing.assert_allclose(path.positions[-1], points[-1], atol=0.01)
    assert np.linalg.norm(path.velocities[[0, -1]], axis=-1).max() < 1e-6
    assert 1.2 < np.linalg.norm(path.velocities, axis=-1).max() < 1.45
    nearest = np.linalg.norm(path.positions[:, None] - points, axis=-1).min(0)
    assert nearest.max() < 0.05


@pytest.mark.parametrize(
    ("points", "speed"), [([(0, 0)], 1.0), ([(0, 0), (0, 0)], 1.0), ([(0, 0), (1, 0)], 0.0), ([0, 1, 2], 1.0)]
)
def test_impossible_paths_are_refused(points, speed):
    with pytest.raises(KinematchError, match="path"):
        path_through(points, speed)


def test_running_begins_above_the_walk_to_run_speed_only():
    for speed, runs in ((1.9, 0.0), (2.6, 1.0)):
        path = path_of_moves([Move(1), Move(6, speed), Move(3)])
        assert path.running[300] == pytest.approx(runs, abs=1e-9)
