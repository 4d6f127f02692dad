"""What pixels must show, whatever the shading."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.draw.camera import ViewCamera
from kinematch.draw.scene import render_scene
from kinematch.draw.solid import Solids, join, round_cones
from kinematch.draw.theme import LIGHT, linear
from kinematch.errors import KinematchError

SIZE = (160, 120)
RED, BLUE = linear("#ff0000"), linear("#0000ff")


def ball(centre, radius: float, colour: np.ndarray, lit: bool = False) -> Solids:
    place = np.array([centre], float)
    return round_cones(place, place, np.array([radius] * 2), across=np.array([1.0, 0, 0]), colours=colour, lit=lit)


def is_colour(pixels: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """Which pixels are nearly pure in the one channel that the colour has."""
    channel = int(np.argmax(colour))
    others = np.delete(pixels.astype(int), channel, axis=-1).max(axis=-1)
    return (pixels[..., channel] > 200) & (others < 60)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_a_sphere_appears_where_the_camera_says(seed):
    rng = np.random.default_rng(seed)
    camera = ViewCamera((0, 1.5, 6), (0, 1.2, 0))
    centre, radius = rng.uniform([-1, 0.8, -1], [1, 1.8, 1]), 0.2
    pixels = render_scene(ball(centre, radius, RED), camera, size=SIZE, theme=LIGHT)
    rows, columns = np.nonzero(is_colour(pixels, RED))
    (x, y), depth = camera.project(centre, SIZE)
    assert abs(columns.mean() + 0.5 - x) < 0.6
    assert abs(rows.mean() + 0.5 - y) < 0.6
    expected = np.pi * (radius * camera.focal(SIZE[1]) / depth) ** 2
    assert 0.8 < len(rows) / expected < 1.1


@pytest.mark.parametrize("first", [0, 1])
def test_the_nearer_hides_the_farther_in_any_order(first):
    near, far = ball((0, 1, 1), 0.3, RED), ball((0, 1, -1), 0.3, BLUE)
    solids = join(near, far) if first == 0 else join(far, near)
    pixels = render_scene(solids, ViewCamera((0, 1, 6), (0, 1, 0)), size=SIZE, theme=LIGHT)
    assert is_colour(pixels, RED).sum() > 50
    assert not is_colour(pixels, BLUE).any()


def test_the_floor_hides_what_is_below_it():
    pixels = render_scene(ball((0, -0.5, 0), 0.3, RED), ViewCamera((0, 1, 6), (0, 0.5, 0)), size=SIZE, theme=LIGHT)
    assert not is_colour(pixels, RED).any()
    pixels = render_scene(
        ball((0, -0.5, 0), 0.3, RED), ViewCamera((0, 1, 6), (0, 0.5, 0)), size=SIZE, theme=LIGHT, floor_height=-0.8
    )
    assert is_colour(pixels, RED).any()


def mirrored(solids: Solids) -> Solids:
    """Reflected in the plane x = 0; the third axis turns round, so that frames stay right-handed."""
    frames = solids.frames * np.array([-1.0, 1, 1])[:, None]
    frames[..., 2] *= -1
    return replace(solids, origins=solids.origins * [-1, 1, 1], frames=frames)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_a_mirrored_scene_through_a_mirrored_camera_is_the_mirrored_picture(seed):
    rng = np.random.default_rng(seed)
    count = 8
    solids = round_cones(
        rng.uniform([-1, 0.2, -1], [1, 1.8, 1], (count, 3)),
        rng.uniform([-1, 0.2, -1], [1, 1.8, 1], (count, 3)),
        rng.uniform(0.03, 0.2, (count, 2)),
        across=rng.normal(size=(count, 3)),
        scales=rng.uniform(0.6, 1.4, (count, 2)),
        colours=rng.uniform(0.1, 0.9, (count, 3)),
        groups=np.arange(count),
    )
    camera = ViewCamera((1.7, 2.2, 5), (0.1, 1, 0))
    other = ViewCamera((-1.7, 2.2, 5), (-0.1, 1, 0))
    light = np.array([0.3, 0.9, 0.4]) / np.linalg.norm([0.3, 0.9, 0.4])
    here = render_scene(solids, camera, size=SIZE, theme=LIGHT, light=light)
    there = render_scene(mirrored(solids), other, size=SIZE, theme=LIGHT, light=light * [-1, 1, 1])
    apart = np.abs(here.astype(int) - there[:, ::-1].astype(int)).max(axis=-1)
    # an edge pixel keeps the shading of its first sample, which mirroring makes another one
    assert (apart > 12).mean() < 0.01
    assert apart.mean() < 0.5


def test_a_body_darkens_the_floor_under_it_and_paint_does_not():
    camera = ViewCamera((0, 3, 5), (0, 0.3, 0))
    size = (320, 240)
    (x, y), _ = camera.project(np.array([0.0, 0.0, 0.3]), size)
    spot = (slice(int(y) - 2, int(y) + 3), slice(int(x) - 2, int(x) + 3))
    empty = render_scene(ball((0, 50, 0), 0.01, RED), camera, size=size, theme=LIGHT)[spot].mean()
    painted = render_scene(ball((0, 0.32, 0), 0.25, RED), camera, size=size, theme=LIGHT)[spot].mean()
    shaded = render_scene(ball((0, 0.32, 0), 0.25, RED, lit=True), camera, size=size, theme=LIGHT)[spot].mean()
    assert abs(painted - empty) < 1
    assert shaded < empty - 10


def test_a_camera_inside_the_crowd_still_draws():
    solids = join(ball((0, 1, 0), 0.5, RED), ball((0, 1, 4), 0.3, BLUE), ball((0, 1, -3), 0.3, BLUE))
    pixels = render_scene(solids, ViewCamera((0, 1, 0.2), (0, 1, -3)), size=SIZE, theme=LIGHT)
    assert pixels.shape == (120, 160, 3)
    assert is_colour(pixels, BLUE).any()


def test_a_solid_that_passes_beside_the_camera_is_drawn_to_the_edge():
    starts, ends = np.array([[0.5, 1, 3]]), np.array([[0.5, 1, -9]])
    beam = round_cones(starts, ends, np.array([0.1, 0.1]), across=np.array([1.0, 0, 0]), colours=RED, lit=False)
    pixels = render_scene(beam, ViewCamera((0, 1, 0), (0, 1, -3)), size=SIZE, theme=LIGHT)
    assert is_colour(pixels, RED)[60, -1]


def test_light_from_below_is_refused():
    camera = ViewCamera((0, 1, 6), (0, 1, 0))
    with pytest.raises(KinematchError, match="from above"):
        render_scene(ball((0, 1, 0), 0.1, RED), camera, size=SIZE, theme=LIGHT, light=np.array([0.0, -1, 0]))


@pytest.mark.parametrize("size", [(0, 10), (10.5, 20), (100, 10**6), (100,)])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(KinematchError, match="picture size"):
        render_scene(ball((0, 1, 0), 0.1, RED), ViewCamera((0, 1, 6), (0, 1, 0)), size=size, theme=LIGHT)
