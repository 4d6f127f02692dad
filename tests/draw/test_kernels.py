"""The compiled renderer against its plain twin and against geometry."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinematch.draw import kernels
from kinematch.draw.camera import ViewCamera
from kinematch.draw.solid import ray_entry, round_cones

seeds = st.integers(0, 2**32 - 1)


def random_rays(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rays from outside, aimed near the solid from all around."""
    origins = rng.normal(size=(count, 3))
    origins *= 5 / np.linalg.norm(origins, axis=-1, keepdims=True)
    return origins, rng.normal(size=(count, 3)) * 0.6 - origins * rng.uniform(0.3, 1.5, (count, 1))


def random_shape(rng: np.random.Generator) -> tuple[float, float, float]:
    """Length and radii of a round cone or, now and then, a ball."""
    radii = rng.uniform(0.05, 0.6, 2)
    if rng.random() < 0.2:
        return 0.0, radii[0], radii[0]
    return abs(radii[0] - radii[1]) * 1.001 + rng.uniform(0.01, 1.5), *radii


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_the_compiled_ray_entry_equals_its_plain_twin(seed):
    rng = np.random.default_rng(seed)
    length, r0, r1 = random_shape(rng)
    origins, directions = random_rays(rng, 200)
    plain, normals = ray_entry(origins, directions, length, r0, r1)
    for o, d, t, n in zip(origins, directions, plain, normals):
        fast, *fast_normal = kernels.ray_entry(*o, *d, length, r0, r1)
        if fast >= kernels.FAR_DISTANCE or np.isinf(t):
            # only a ray that grazes the surface may be told a hit by one and a miss by the other
            assert (fast >= kernels.FAR_DISTANCE and np.isinf(t)) or clearance(o, d, length, r0, r1) < 1e-6
        else:
            np.testing.assert_allclose(fast, t, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(fast_normal, n, atol=1e-4)


def distance(points: np.ndarray, length: float, r0: float, r1: float) -> np.ndarray:
    """From points to the round cone, by brute force over the balls between its ends."""
    share = np.linspace(0, 1, 4001)
    centres = np.stack([0 * share, share * length, 0 * share], -1)
    radii = r0 + (r1 - r0) * share
    return (np.linalg.norm(points[:, None] - centres, axis=-1) - radii).min(axis=1)


def clearance(o: np.ndarray, d: np.ndarray, length: float, r0: float, r1: float) -> float:
    """How near a ray comes to the surface's edge, as seen along it."""
    along = np.linspace(0, 4, 4001)
    return abs(float(distance(o + along[:, None] * d, length, r0, r1).min()))


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_rays_enter_on_the_surface_and_see_its_outside(seed):
    rng = np.random.default_rng(seed)
    length, r0, r1 = random_shape(rng)
    origins, directions = random_rays(rng, 60)
    t, normals = ray_entry(origins, directions, length, r0, r1)
    hit = np.isfinite(t)
    points = origins[hit] + t[hit, None] * directions[hit]
    np.testing.assert_allclose(distance(points, length, r0, r1), 0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(normals[hit], axis=-1), 1, atol=1e-9)
    assert (np.sum(normals[hit] * directions[hit], axis=-1) <= 1e-9).all()
    # a little further along the normal lies outside
    assert (distance(points + 1e-3 * normals[hit], length, r0, r1) > 0).all()


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_casting_within_outlines_finds_what_every_ray_finds(seed):
    rng = np.random.default_rng(seed)
    count, size = 6, 48
    solids = round_cones(
        rng.normal(size=(count, 3)) * 0.6,
        rng.normal(size=(count, 3)) * 0.6,
        rng.uniform(0.03, 0.4, (count, 2)),
        across=rng.normal(size=(count, 3)),
        scales=rng.uniform(0.4, 1.6, (count, 2)),
        colours=np.ones(3),
    )
    camera = ViewCamera(rng.normal(size=3) * 1.5 + [0, 0, 3], rng.normal(size=3) * 0.3)
    axes, focal = camera.axes, camera.focal(size)
    stretch = np.stack([solids.scales[:, 0], np.ones(count), solids.scales[:, 1]], -1)
    inverses = solids.frames.transpose(0, 2, 1) / stretch[:, :, None]
    views = np.concatenate([(camera.position - solids.origins)[:, None], np.tile(axes, (count, 1, 1))], 1)
    views = np.ascontiguousarray(views @ inverses.transpose(0, 2, 1))
    bounds = kernels.outlines(
        solids.origins, solids.frames, solids.scales, solids.lengths, solids.radii, camera.position, axes
    )
    depth, owners = np.full((size, size), kernels.FAR_DISTANCE), np.full((size, size), -1, np.int32)
    kernels.cast(views, solids.lengths, solids.radii, focal, np.array([size / 2, size / 2]), bounds, depth, owners)

    v, u = np.meshgrid(*[(np.arange(size) + 0.5 - size / 2) / focal] * 2, indexing="ij")
    best = np.full((size, size), np.inf)
    for p in range(count):
        rays = views[p, 3] + u[..., None] * views[p, 1] - v[..., None] * views[p, 2]
        t, _ = ray_entry(views[p, 0], rays, solids.lengths[p], *solids.radii[p])
        best = np.minimum(best, t)
    apart = np.isinf(best) != (depth >= kernels.FAR_DISTANCE)
    assert apart.sum() <= 2  # rays that graze an edge
    both = np.isfinite(best) & ~apart
    np.testing.assert_allclose(depth[both], best[both], rtol=1e-4)


def test_a_ball_inside_the_other_leaves_one_ball():
    ends, radii = np.array([[0, 0.1, 0]]), np.array([0.1, 0.5])
    solids = round_cones(np.zeros((1, 3)), ends, radii, across=np.array([1.0, 0, 0]), colours=np.ones(3))
    assert solids.lengths[0] == 0
    np.testing.assert_allclose(solids.origins[0], [0, 0.1, 0])
    np.testing.assert_allclose(solids.radii[0], 0.5)
