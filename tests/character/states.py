"""Random states and commands for the tests of characters: anything that could be."""

import numpy as np

from kinematch.character import Crowd
from kinematch.character.step.data import Scratch, StepData
from kinematch.control.command import move
from kinematch.scene.terrain import HeightFunction

TRANSITIONS = ["spring", "quintic", "dead", "none"]
HILLS = HeightFunction(lambda x, z: 0.15 * np.sin(x) + 0.1 * z)


def open_stages(crowd: Crowd) -> tuple[StepData, Scratch]:
    """What the stages of an uncompiled crowd work on, which Python calls as kernels do."""
    assert not crowd.runner.compiled
    crowd.prepare_pose()
    crowd.runner.refresh(crowd.settings, crowd.filters)
    return crowd.runner.data, crowd.runner.scratch[0]


def scatter(crowd: Crowd, seed: int) -> None:
    """Put a crowd into a random state that could be."""
    rng, state, count = np.random.default_rng(seed), crowd.state, crowd.count
    numbers = rng.integers(0, len(crowd.sources), count)
    state.playing.sources[:] = numbers
    state.playing.frames[:] = [rng.integers(0, crowd.sources[number].poses.frame_count) for number in numbers]
    state.playing.fractions[:] = rng.random(count)
    state.playing.positions[:] = rng.normal(size=(count, 3)) * [2, 0, 2]
    state.playing.yaws[:] = rng.uniform(-3, 3, count)
    state.body.positions[:] = state.playing.positions + rng.normal(size=(count, 3)) * [0.2, 0, 0.2]
    state.body.yaws[:] = state.playing.yaws + rng.normal(size=count) * 0.3
    for array in (state.body.velocities, state.body.accelerations):
        array[:] = rng.normal(size=array.shape) * [1, 0, 1] * (rng.random((count, 1)) > 0.3)
    state.body.yaw_rates[:] = rng.normal(size=count) * (rng.random(count) > 0.3)
    state.offsets.ages[:] = rng.choice([0.01, 0.1, 0.4, np.inf], count)
    for array in (state.offsets.rotations, state.offsets.positions, state.offsets.roots):
        array[:] = rng.normal(size=array.shape) * 0.1
    if crowd.settings.transition == "quintic":  # whose durations are positive, and speeds not
        for array in (state.offsets.rotations, state.offsets.positions):
            array[:, 3], array[:, 4] = -abs(array[:, 3]), 0.2 + abs(array[:, 4])
    feet = state.feet
    feet.locked[:], feet.refused[:] = rng.random((2, *feet.locked.shape)) > 0.5
    feet.places[:] = state.playing.positions[:, None] + rng.normal(size=feet.places.shape) * [0.2, 0.03, 0.2]
    feet.toes[:] = feet.places + rng.normal(size=feet.toes.shape) * 0.03
    feet.offsets[:] = rng.normal(size=feet.offsets.shape) * 0.04
    feet.headings[..., 1] = 1.0
    for array in (feet.lifts, feet.shortfalls, feet.pelvis):
        array[..., 0] = abs(rng.normal(size=array.shape[:-1])) * 0.02
    schedule = state.schedule
    schedule.since[:] = rng.uniform(0, 0.3, count)
    schedule.commands[:] = np.where(rng.random((count, 1)) > 0.2, rng.normal(size=(count, 4)), np.nan)
    schedule.idle[:] = rng.random(count) > 0.5


def order(crowd: Crowd, seed: int) -> None:
    """Random orders, a third of them to stand."""
    rng, orders = np.random.default_rng(seed), crowd.orders
    orders.velocities[:] = rng.normal(size=(crowd.count, 3)) * [1.5, 0, 1.5] * (rng.random((crowd.count, 1)) > 0.3)
    orders.facings[:] = rng.normal(size=(crowd.count, 3)) * [1, 0, 1] * (rng.random((crowd.count, 1)) > 0.3)


def walk_about(count: int, steps: int, seed: int = 0):
    """Commands that change now and then, a third of them to stand."""
    rng = np.random.default_rng(seed)
    for step in range(steps):
        if step % 30 == 0:
            velocities = rng.normal(size=(count, 3)) * [1.3, 0, 1.3] * (rng.random((count, 1)) > 0.3)
        yield move(velocities)
