"""Four threads step, change, move, restore, explain and copy one crowd for some seconds; a crash ends this process."""

import copy
import sys
import threading
import time

import numpy as np

from kinematch.character import Crowd, Settings
from kinematch.control.command import Command, move
from kinematch.database.storage import load
from kinematch.errors import KinematchError
from kinematch.layers.clip_layer import ClipLayer
from kinematch.scene.terrain import HeightFunction

COUNT = 40
TRANSITIONS = ("spring", "quintic", "dead", "none")
FILTERS = (None, "", "idle | walk", "walk", "run", "!idle")


def main(path: str, seconds: float) -> None:
    crowd, stop, done = Crowd(load(path), COUNT), time.monotonic() + seconds, [0] * 4
    joints = crowd.skeleton.joint_count
    layer = ClipLayer(np.tile([1.0, 0, 0, 0], (COUNT, joints, 1)), np.full((COUNT, joints), 0.5))
    hills = HeightFunction(lambda x, z: 0.1 * np.sin(x))
    errors: list[BaseException] = []

    def act(rng: np.random.Generator) -> None:
        kind = rng.integers(0, 16)
        if kind == 0:
            interval, half = rng.uniform(0.02, 0.3), rng.uniform(0.01, 0.3)
            crowd.settings = Settings(
                search_interval=interval, transition=rng.choice(TRANSITIONS).item(), transition_halflife=half,
                responsiveness=rng.choice([0.5, 1.0, 2.0]).item(),
            )  # fmt: skip
        elif kind == 1:
            crowd.terrain = hills if crowd.terrain is None else None
        elif kind == 2:
            crowd.layers = [] if crowd.layers else [layer]
        elif kind == 3:
            crowd.teleport(rng.normal(size=(COUNT, 3)), rng.normal(size=COUNT))
        elif kind == 4:
            crowd.state = crowd.state.copy()
        elif kind == 5:
            crowd.start_over(np.zeros((COUNT, 3)), np.zeros(COUNT))
        elif kind == 6 and (crowd.state.schedule.filters[:1] >= 0).all():
            crowd.explain(0)
        elif kind == 7:
            copy.copy(crowd).step(move(np.zeros((COUNT, 3))), 1 / 60)
        else:
            velocities = rng.normal(size=(COUNT, 3)) * [1.3, 0, 1.3]
            chosen = rng.choice(len(FILTERS))
            command = move(velocities) if chosen < 2 else Command(velocities, velocities, filter=FILTERS[chosen])
            crowd.step(command, 1 / 60)

    def run(number: int) -> None:
        rng = np.random.default_rng(number)
        while time.monotonic() < stop and not errors:
            try:
                act(rng)
            except KinematchError as error:
                if "has not searched yet" not in str(error):  # another thread has just started over
                    errors.append(error)
                    raise
            except BaseException as error:
                errors.append(error)
                raise
            done[number] += 1

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    assert min(done) > 0, done
    print("alive", done)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
