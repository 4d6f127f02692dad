"""Writes random states and gives random objects to crowds: python fuzz_crowd.py DATABASE SEED COUNT."""

import logging
import sys

import numpy as np

from kinematch.character import Command, Crowd, Settings
from kinematch.character.step.step import run_step
from kinematch.character.step.update import begin_transition, predict_places, sample_playing
from kinematch.control.request import Request
from kinematch.database.storage import load
from kinematch.errors import KinematchError
from kinematch.layers.clip_layer import ClipLayer
from kinematch.scene.terrain import HeightFunction
from kinematch.search import Matches, WideMatcher, search_space

ODD = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-300, 1e300, 1e30, -1e9, 0.5, 2**31, 1e-40)
WHOLE = (2_000_000_000, -2_000_000_000, -1, 0, 1, 2**31 - 1, -(2**31), 100)
KERNELS = (run_step, sample_playing, begin_transition, predict_places)
COUNT = 11


class Liar:
    """A matcher that now and then says something else."""

    def __init__(self, space, rng):
        self.space, self.weights, self.rng, self.right = space, space.weights, rng, WideMatcher(space)

    def set_weights(self, weights):
        self.right.set_weights(weights)

    def find(self, queries, current=None, **options):
        found = self.right.find(queries, current, **options)
        lie = self.rng.integers(0, 8)
        if lie == 0:
            return Matches(self.rng.choice(WHOLE, len(queries)), found.costs)
        if lie == 1:
            return Matches(found.frames.astype(float) * np.nan, found.costs)
        if lie == 2:
            return Matches(found.frames, found.costs[:-1])
        return Matches(self.rng.integers(0, self.space.frame_count, len(queries)), found.costs)


def write_nonsense(crowd: Crowd, rng: np.random.Generator) -> None:
    arrays = list(crowd.state.arrays().values())
    for _ in range(rng.integers(1, 6)):
        array = arrays[rng.integers(len(arrays))]
        if not array.size:
            continue
        rows = rng.random(COUNT) < rng.choice([0.1, 1.0])
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array[rows] = rng.choice(ODD) if rng.random() < 0.7 else rng.normal(size=array[rows].shape) * 10
        elif array.dtype.kind == "i":
            array[rows] = rng.choice(WHOLE)
        else:
            array[rows] = rng.random(array[rows].shape) > 0.5


def make_request(rng: np.random.Generator, actions: tuple[str, ...]) -> Request:
    target = (None, rng.normal(size=3) * 3, np.full(3, 1e30))[rng.integers(3)]
    return Request(str(rng.choice(actions)), target)


def make_command(rng: np.random.Generator, actions: tuple[str, ...]) -> Command:
    velocities = rng.normal(size=(COUNT, 3)) * rng.choice([0.0, 1.0, 20.0, 1e5])
    facings = rng.normal(size=(COUNT, 3)) * rng.choice([0.0, 1.0, 1e-30])
    requests = [make_request(rng, actions) if actions and rng.random() < 0.5 else None for _ in range(COUNT)]
    return Command(velocities, facings, source=rng.integers(0, 2, COUNT), request=requests)


def main(path: str, seed: int, states: int) -> None:
    logging.disable(logging.WARNING)
    rng, database = np.random.default_rng(seed), load(path)
    actions = database.poses.actions.names
    honest, lying = Crowd([database, database], COUNT), Crowd(
        [database, database], COUNT, matcher=lambda one: Liar(search_space(one), rng)
    )  # fmt: skip
    hills = HeightFunction(lambda x, z: 0.2 * np.sin(x))
    joints = database.poses.skeleton.joint_count
    compiled, refused, restarted = None, 0, 0
    with np.errstate(all="ignore"):
        for number in range(states):
            crowd = lying if number % 3 == 0 else honest
            if number % 50 == 0:
                transition = ("spring", "quintic", "dead", "none")[rng.integers(4)]
                crowd.settings = Settings(transition=transition, foot_lock=bool(rng.integers(2)))
                crowd.terrain = hills if rng.random() < 0.3 else None
                crowd.layers = [ClipLayer(rng.normal(size=(COUNT, joints, 4)), rng.random((COUNT, joints)))] * int(
                    rng.integers(2)
                )
            write_nonsense(crowd, rng)
            try:
                pose = crowd.step(make_command(rng, actions), float(rng.choice([0.0, 1 / 60, 0.1])))
            except KinematchError as error:
                refused += 1
                if not str(error).startswith("Liar"):  # nobody else gave anything wrong
                    raise
                continue
            restarted += int(pose.restarted.sum())
            for name in ("positions", "rotations", "global_positions", "global_rotations", "displacements", "turns"):
                assert np.isfinite(getattr(pose, name)).all(), (number, name)
            if number >= 300 and compiled is None:
                compiled = [len(kernel.signatures) for kernel in KERNELS]
    assert compiled == [len(kernel.signatures) for kernel in KERNELS], "compiled at step time"
    assert restarted > 0
    assert refused < states // 3
    print(f"{states} states: {refused} refused, {restarted} characters restarted")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
