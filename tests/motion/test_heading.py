import numpy as np
import pytest

from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.motion.heading import (
    ground_directions,
    smooth_directions,
    yaw_angle,
    yaw_direction,
    yaw_rotation,
)

X, Y, Z = np.eye(3)


def turns(yaw, pitch=0.0, roll=0.0):
    """Yaw after pitch (forward about +X) after roll, all (F,) angles in radians."""
    yaw, pitch, roll = np.broadcast_arrays(yaw, pitch, roll)
    parts = [from_rotation_vector(angle[:, None] * axis) for angle, axis in ((yaw, Y), (pitch, X), (roll, Z))]
    return quaternion.multiply(quaternion.multiply(parts[0], parts[1]), parts[2])


def apart(directions, yaw):
    """Degrees between directions and yaw angles."""
    return np.degrees(np.abs(np.angle(np.exp(1j * (yaw_angle(directions) - yaw)))))


def test_angle_direction_and_rotation_say_the_same():
    angles = np.linspace(-3, 3, 25)
    np.testing.assert_allclose(yaw_angle(yaw_direction(angles)), angles)
    np.testing.assert_allclose(
        quaternion.rotate(yaw_rotation(yaw_direction(angles)), Z), yaw_direction(angles), atol=1e-12
    )


def test_an_upright_body_faces_along_its_projected_forward_axis():
    random = np.random.default_rng(0)
    q = turns(random.uniform(-3, 3, 50), random.uniform(-0.5, 0.5, 50), random.uniform(-0.3, 0.3, 50))
    forward = quaternion.rotate(q, Z) * [1, 0, 1]
    np.testing.assert_allclose(ground_directions(q), quaternion.unit(forward), atol=1e-12)


@pytest.mark.parametrize("angle", [-2.3, 2.3])
@pytest.mark.parametrize("yaw", [0.0, 2.0, -3.0])
def test_tipping_past_vertical_and_back_does_not_flip_the_facing(angle, yaw):
    swing = angle * np.sin(np.linspace(0, np.pi, 80))
    assert apart(ground_directions(turns(yaw, swing)), yaw).max() < 1e-6
    assert apart(ground_directions(turns(yaw, 0.0, swing)), yaw).max() < 1e-6  # to the side likewise


def test_a_cartwheel_does_not_spin_the_facing():
    roll = np.linspace(0, 2 * np.pi, 120)
    facing = ground_directions(turns(0.4, 0.15, roll))
    assert apart(facing, 0.4).max() < 45
    assert apart(facing[[0, -1]], 0.4).max() < 1e-6


@pytest.mark.parametrize("turns_per_second", [0.2, 1.0, 3.0, -4.0])
def test_smoothing_follows_spins_of_any_speed(turns_per_second):
    yaw = 2 * np.pi * turns_per_second * np.arange(240) / 60
    smooth = smooth_directions(yaw_direction(yaw), seconds=61 / 60, frame_rate=60)
    assert apart(smooth, yaw).max() < 1.0


def test_smoothing_passes_an_about_turn_without_looking_the_wrong_way():
    yaw = np.where(np.arange(240) < 120, 0.0, np.pi)
    smooth = smooth_directions(yaw_direction(yaw), seconds=61 / 60, frame_rate=60)
    angle = np.degrees(np.unwrap(yaw_angle(smooth)))
    angle = angle * np.sign(angle[-1])  # either way round
    assert angle.min() > -20
    assert angle.max() < 200
    assert np.abs(np.diff(angle)).max() < 30


def test_smoothing_removes_the_sway_of_steps():
    times = np.arange(240) / 60
    sway = 0.2 * np.sin(2 * np.pi * 2 * times)
    smooth = smooth_directions(yaw_direction(0.3 * times + sway), seconds=61 / 60, frame_rate=60)
    assert apart(smooth, 0.3 * times)[60:-60].max() < np.degrees(0.2) / 3


@pytest.mark.parametrize("seconds", [10.0, 1e9, 1e300])
def test_windows_longer_than_the_clip_all_do_the_same(seconds):
    directions = yaw_direction(np.linspace(0, 2, 50))
    whole = smooth_directions(directions, seconds=3.0, frame_rate=60)
    np.testing.assert_allclose(smooth_directions(directions, seconds=seconds, frame_rate=60), whole, atol=1e-12)
