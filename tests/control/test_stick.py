"""Laws of the stick: it pushes relative to the camera, top speeds follow an ellipse, and each body may have its own."""

import numpy as np
import pytest

from kinematch.control.body import SimulatedBody, place_at_rest
from kinematch.control.stick import GAITS, Gait, Stick, find_top_speeds
from kinematch.errors import KinematchError


def bodies(count: int = 1) -> SimulatedBody:
    return place_at_rest(np.zeros((count, 3)), np.zeros(count))


def velocity(stick: Stick) -> np.ndarray:
    return stick.command(bodies(), 1 / 60).velocities[0]


def test_forward_is_where_the_camera_looks_and_right_is_minus_x():
    top = GAITS["walk"].forward
    np.testing.assert_allclose(velocity(Stick((0, 1))), [0, 0, top], atol=1e-12)
    np.testing.assert_allclose(velocity(Stick((1, 0))), [-top, 0, 0], atol=1e-12)
    np.testing.assert_allclose(velocity(Stick((0, 1), camera_yaw=np.pi / 2)), [top, 0, 0], atol=1e-12)
    np.testing.assert_allclose(velocity(Stick((1, 0), camera_yaw=np.pi / 2)), [0, 0, top], atol=1e-12)


@pytest.mark.parametrize("yaw", np.linspace(-4, 4, 9))
def test_turning_the_camera_turns_what_is_wanted(yaw):
    plain = Stick((0.3, -0.6), face="camera").command(bodies(), 0.1)
    turned = Stick((0.3, -0.6), face="camera", camera_yaw=yaw).command(bodies(), 0.1)
    turn = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    np.testing.assert_allclose(turned.velocities, plain.velocities @ turn.T, atol=1e-12)
    np.testing.assert_allclose(turned.facings, plain.facings @ turn.T, atol=1e-12)


def test_a_corner_of_the_stick_is_no_faster_than_its_edge():
    fastest = np.linalg.norm(velocity(Stick((1, 1))))
    assert fastest == pytest.approx(GAITS["walk"].forward)
    assert np.linalg.norm(velocity(Stick((0, 0.5)))) == pytest.approx(0.5 * fastest)


@pytest.mark.parametrize(("axes", "name"), [((0, 1), "forward"), ((1, 0), "sideways"), ((0, -1), "backward")])
@pytest.mark.parametrize("gait", GAITS)
def test_strafing_has_its_own_top_speeds(axes, name, gait):
    speed = np.linalg.norm(velocity(Stick(axes, gait=gait, face="camera")))
    assert speed == pytest.approx(getattr(GAITS[gait], name))


def test_the_top_speed_changes_smoothly_as_the_direction_turns():
    angles = np.linspace(-np.pi, np.pi, 3601)
    moves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    speeds = find_top_speeds(np.array([[4.0, 2.0, 1.0]]), moves, np.tile([0.0, 1.0], (len(angles), 1)))
    assert np.abs(np.diff(speeds)).max() < 0.02
    assert speeds.min() == pytest.approx(1.0)
    assert speeds.max() == pytest.approx(4.0)


def test_a_body_faces_where_it_goes_and_keeps_facing_when_let_go():
    command = Stick((1, 0)).command(bodies(), 0.1)
    np.testing.assert_allclose(command.facings, [[-1, 0, 0]], atol=1e-12)
    assert not Stick().command(bodies(), 0.1).facings.any()


def test_a_body_can_look_at_a_target_while_it_moves():
    stick = Stick((0, 1), face="target", target=np.array([3.0, 1.0, 0.0]))
    command = stick.command(bodies(2), 0.1)
    np.testing.assert_allclose(command.facings, np.tile([1.0, 0, 0], (2, 1)), atol=1e-12)
    assert np.linalg.norm(command.velocities[0]) == pytest.approx(GAITS["walk"].sideways)


def test_one_stick_serves_all_and_each_may_have_its_own():
    shared = Stick((0, 1)).command(bodies(3), 0.1)
    assert shared.velocities.shape == (3, 3)
    own = Stick(np.array([[0, 1], [0, 0.5], [1, 0]]), camera_yaw=np.array([0, 1, 2.0]), gait=["walk", "jog", "sprint"])
    together = own.command(bodies(3), 0.1)
    for n in range(3):
        alone = Stick(own.axes[n], camera_yaw=own.camera_yaw[n], gait=own.gait[n]).command(bodies(), 0.1)
        np.testing.assert_array_equal(together.velocities[n], alone.velocities[0])
        np.testing.assert_array_equal(together.facings[n], alone.facings[0])


@pytest.mark.parametrize(
    ("stick", "message"),
    [
        (Stick((0, 1), gait="jgo"), "did you mean 'jog'"),
        (Stick((0, 1), face="camrea"), "did you mean 'camera'"),
        (Stick((0, 1, 0)), "shape"),
        (Stick((0, np.nan)), "not finite"),
        (Stick((0, 1), face="target"), "target is not set"),
        (Stick((0, 1), gait=["walk", "jog"]), "2 gaits for 1"),
    ],
)
def test_what_makes_no_sense_is_refused(stick, message):
    with pytest.raises(KinematchError, match=message):
        stick.command(bodies(), 0.1)


def test_a_gait_has_positive_speeds():
    with pytest.raises(KinematchError, match="positive"):
        Gait(1.0, 0.0, 1.0)
