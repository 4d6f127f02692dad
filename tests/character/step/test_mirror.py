"""Mirrored motion under a mirrored command is shown mirrored: no stage prefers a side."""

import numpy as np
import pytest

from kinematch.character import Command, Crowd, Settings
from kinematch.motion.clean.mirror import mirror_pairs

from ..states import TRANSITIONS

DT = 1 / 60


@pytest.fixture(scope="module")
def mirrored(built_of):
    return built_of("idle", "walk_1.35", "walk_turn_left_90", mirror=True).database


def find_images(database):
    """Clips and the clips that are their mirror images."""
    poses, pairs = database.poses, []
    swap = mirror_pairs(poses.skeleton)
    for one in range(poses.clip_count):
        for other in range(one + 1, poses.clip_count):
            frames = poses.clip_frames(one), poses.clip_frames(other)
            if len(range(*frames[0].indices(10**9))) == len(range(*frames[1].indices(10**9))):
                a, b = (np.asarray(poses.positions[own]) for own in frames)
                if np.allclose(a[:, swap] * [-1, 1, 1], b, atol=1e-4):
                    pairs.append((one, other))
    return pairs


@pytest.mark.parametrize("transition", TRANSITIONS[:3])
def test_a_mirrored_command_gives_a_mirrored_step(mirrored, transition):
    pairs = find_images(mirrored)
    assert len(pairs) >= 2
    poses, count = mirrored.poses, len(pairs)
    settings = Settings(transition=transition, search_interval=2.0, velocity_change=10, facing_change=4)
    crowd = Crowd(mirrored, 2 * count, settings=settings)
    starts = np.array([[poses.clip_starts[one], poses.clip_starts[other]] for one, other in pairs]).T
    rng = np.random.default_rng(0)
    offsets = rng.integers(20, 60, count)
    crowd.frames[:] = (starts + offsets).ravel()
    crowd.state.schedule.since[:], crowd.state.schedule.filters[:] = 0.0, 0
    velocities = rng.normal(size=(count, 3)) * [1, 0, 1]
    velocities = np.concatenate([velocities, velocities * [-1, 1, 1]])
    crowd.state.schedule.commands[:, :3], crowd.state.schedule.commands[:, 3] = velocities, 0.0
    swap, legs = mirror_pairs(poses.skeleton), [1, 0]
    seen = 0
    for step in range(80):
        if step == 30:  # a jump, the same for both
            for row, start in enumerate(starts):
                for k in range(count):
                    n = row * count + k
                    crowd.runner.sample(n, 0)
                    crowd.frames[n] = start[k] + 90
                    crowd.runner.sample(n, 1)
                    knobs = crowd.runner.data.settings
                    crowd.runner.start_transition(n, knobs.transition, knobs.transition_halflife)
        pose = crowd.step(Command(velocities, velocities), DT)
        assert not pose.searched.any()
        one, other = pose.global_positions[:count], pose.global_positions[count:]
        np.testing.assert_allclose(one[:, swap] * [-1, 1, 1], other, atol=2e-4)
        np.testing.assert_allclose(pose.turns[:count], -pose.turns[count:], atol=1e-6)
        np.testing.assert_array_equal(pose.locked[:count][:, legs], pose.locked[count:])
        seen += pose.locked.sum()
    assert seen > 50
    assert abs(crowd.root_positions[:, 0]).max() > 0.2
