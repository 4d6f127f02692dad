"""Traces from above: paths run where clips go."""

import numpy as np
import pytest

from kinematch.draw.theme import LIGHT, rgb
from kinematch.draw.trace import top_down
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clean.contacts import find_contacts


def near(picture, colour: str) -> np.ndarray:
    return np.abs(np.asarray(picture).astype(int) - rgb(colour)).max(axis=-1) < 12


def turned(clip, angle: float):
    """The clip turned about the world's up axis."""
    turn = from_axis_angle(np.array([0.0, 1, 0]), np.array(angle))
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    positions[:, 0] = quaternion.rotate(turn, positions[:, 0].astype(np.float64))
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0].astype(np.float64))
    return clip.with_(positions=positions, rotations=rotations)


def test_forward_is_up_and_the_characters_left_is_left(walking):
    ahead = near(top_down(walking, names=False, size=(300, 300)), LIGHT.faint)
    rows, columns = np.nonzero(ahead[:250])
    assert np.ptp(rows) > 4 * np.ptp(columns)
    both = top_down([walking, turned(walking, np.pi / 2)], names=False, size=(300, 300))
    first, second = near(both, LIGHT.series[0]), near(both, LIGHT.series[1])
    assert np.nonzero(second)[1].mean() < np.nonzero(first)[1].mean() - 30  # turned to its left


def test_ticks_point_where_the_body_faces(walking):
    still = walking.with_(positions=np.tile(walking.positions[:1], (61, 1, 1)))
    for angle, (right, up) in ((0.0, (0, 1)), (np.pi / 2, (-1, 0)), (np.pi, (0, -1))):
        marks = near(top_down(turned(still, angle), names=False, size=(300, 300)), LIGHT.faint)[:250]
        rows, columns = np.nonzero(marks)
        centre = np.array([columns.max() + columns.min(), -rows.max() - rows.min()]) / 2 - [149.5, -139.5]
        # the disc is even all around, the arrowhead sticks out ahead
        assert centre @ [right, up] > 0.7


def test_together_all_clips_start_ahead(walking):
    clips = [walking, turned(walking, 2.0)]
    picture = top_down(clips, together=True, names=False, size=(300, 300))
    # the same walk twice: the second covers the first
    assert near(picture, LIGHT.series[1]).sum() > 5 * near(picture, LIGHT.series[0]).sum()


def test_plants_have_the_colours_of_their_sides(walking):
    contacts = np.zeros_like(find_contacts(walking))
    contacts[10:20, 0] = contacts[30:40, 1] = True
    picture = top_down(walking, contacts=contacts, names=False, size=(300, 300))
    left, right = near(picture, LIGHT.left), near(picture, LIGHT.right)
    assert left.sum() > 10
    assert right.sum() > 10
    assert np.nonzero(left)[1].mean() < np.nonzero(right)[1].mean()


def test_a_clip_that_stays_in_place_is_drawn(walking):
    still = walking.frames(0, 1)
    assert top_down(still, size=(200, 200)).size == (200, 200)
    assert top_down([walking] * 40, size=(240, 200), theme="dark", title="many").size == (240, 200)


def test_mistakes_are_named(walking):
    with pytest.raises(KinematchError, match="no clips"):
        top_down([])
    with pytest.raises(KinematchError, match="contacts of 1 clips for 2"):
        top_down([walking, walking], contacts=[np.zeros((61, 2), bool)])
    with pytest.raises(KinematchError, match=r"contacts of shape \(3, 2\)"):
        top_down(walking, contacts=np.zeros((3, 2), bool))
    with pytest.raises(KinematchError, match="positive number"):
        top_down(walking, ticks=0)
