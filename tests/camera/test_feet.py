"""Feet of the user in queries: they are where they truly are, and a search is changed by nothing else."""

import numpy as np
import pytest

import kinematch as km
from kinematch.camera.feet import SIDES, FeetInQueries, FootFusion
from kinematch.camera.simulate import Noise, simulate_camera
from kinematch.evaluate.camera.places import place_camera
from kinematch.evaluate.vr.users import make_cast
from kinematch.math.angles import rotate_about_y
from kinematch.synth import walk_along

PERFECT = Noise(0.0, 0.0, spells=0.0, scale=1.0, swaps=0.0, dropped=0.0)


@pytest.fixture(scope="module")
def followed():
    """A user who walks before a perfect camera, the fusion, and what it says of the feet in each frame."""
    cast = make_cast([walk_along([(-1.2, -2), (-1.2, 0.5), (1.2, 0.5), (1.2, -2)])])
    user, fusion = cast.users[0], FootFusion()
    fusion.reset(1, head_heights=np.array([cast.calibration.head_height]))
    fusion.see(simulate_camera(user.clip, place_camera(user, "front"), np.random.default_rng(0), noise=PERFECT))
    joints = cast.calibration.locate_joints(user.devices)
    said = []
    for frame in range(len(joints)):
        fusion.estimate(joints.take(slice(frame, frame + 1)), 1 / user.rate)
        said.append(fusion.query)
    return user, fusion, said


def test_feet_are_told_where_they_are_in_the_axes_of_the_body(followed):
    user, _, said = followed
    assert all(one is None for one in said[:10])  # nothing was seen yet
    later = [frame for frame in range(180, len(said)) if said[frame] is not None]
    assert len(later) > 150
    feet = user.positions[:, [user.skeleton.roles[f"{side}_foot"] for side in SIDES]]
    hips = user.positions[:, [user.skeleton.roles["hips"]]] * [1, 0, 1]
    true = rotate_about_y(feet - hips, -np.broadcast_to(user.yaws[:, None], feet.shape[:2]))
    gaps = np.array([said[frame][0] - true[frame] for frame in later])
    assert np.linalg.norm(gaps, axis=-1).mean() < 0.09
    step = np.array([said[frame][0][0, 2] - said[frame][0][1, 2] for frame in later])
    assert np.corrcoef(step, (true[:, 0, 2] - true[:, 1, 2])[later])[0, 1] > 0.9


def test_a_query_gets_the_feet_that_are_seen_and_keeps_all_else(followed):
    _, fusion, said = followed
    database = km.load("built-in")
    ask, schema, nobody = FeetInQueries(fusion, share=1.0), database.features.schema, np.arange(5)
    queries = database.features.physical(np.arange(5))
    fusion.query = None
    np.testing.assert_array_equal(ask(queries, nobody, schema), queries)
    fusion.query = said[-1]
    changed, columns = ask(queries, nobody, schema), schema.columns
    np.testing.assert_allclose(changed[:, columns["left_foot_position"]], np.tile(said[-1][0][0], (5, 1)), atol=1e-5)
    np.testing.assert_allclose(changed[:, columns["right_foot_velocity"]], np.tile(said[-1][1][1], (5, 1)), atol=1e-5)
    rest = np.ones(queries.shape[1], bool)
    for side in SIDES:
        for kind in ("position", "velocity"):
            rest[columns[f"{side}_foot_{kind}"]] = False
    np.testing.assert_array_equal(changed[:, rest], queries[:, rest])
