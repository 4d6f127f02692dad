"""python -m kinematch.bench.references ROBOT: what a step of many steered references takes, of the budget at 50 Hz.

The rival solves each robot in each step instead of looking it up: the same characters, then RobotRetargeting. Processor
time is that of all threads, which other programs on the machine change less than the clock.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from kinematch.bench.machine import machine
from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.control.command import Command, move
from kinematch.database.built_in import open_built_in
from kinematch.robot.read import read_robot
from kinematch.robot.reference.robot_frames import retarget_database
from kinematch.robot.reference.robot_reference import RobotReference
from kinematch.robot.retargeting import RobotRetargeting
from kinematch.threads import count_most_threads
from kinematch.writing import write_beside

COUNTS = (1, 100, 1000, 4096)
RATE = 50.0  # Hz
COMMAND_STEPS = 50  # between new commands
SOLVED_ROBOTS = 20  # of the rival


@dataclass(frozen=True)
class ReferenceTimes:
    """Steps of a number of references."""

    robots: int
    processor: float  # ms of a step, mean
    clock: float  # ms of a step, median
    share: float  # of the processor time that all cores have in a step of 1 / RATE seconds


def measure(reference: RobotReference, steps: int) -> ReferenceTimes:
    """Robots that begin anywhere and get new commands once a second."""
    random, count = np.random.default_rng(0), reference.count
    reference.reset(frames=random.integers(len(reference.frames.angles), size=count))
    out, times = reference.make_result(), []
    spent = 0.0
    for step in range(steps + 5):
        if step % COMMAND_STEPS == 0:
            command = make_command(random, count)
        before, begun = perf_counter(), process_time()
        reference.step(command, out=out)
        if step >= 5:
            times.append(perf_counter() - before)
            spent += process_time() - begun
    spent /= steps
    return ReferenceTimes(count, spent * 1e3, float(np.median(times)) * 1e3, spent * RATE / count_most_threads())


def measure_rival(reference: RobotReference, steps: int) -> float:
    """Processor time (ms) of a step of one robot that is solved live."""
    random, dt = np.random.default_rng(0), 1 / RATE
    crowd = Crowd(reference.database, SOLVED_ROBOTS, settings=Settings(foot_lock=False))
    solvers = [RobotRetargeting(crowd.skeleton, reference.model) for _ in range(SOLVED_ROBOTS)]
    command, spent = make_command(random, SOLVED_ROBOTS), 0.0
    for step in range(steps + 5):
        begun = process_time()
        pose = crowd.step(command, dt)
        for n, solver in enumerate(solvers):
            rows = slice(n, n + 1)
            solver.step(pose.positions[rows], pose.rotations[rows], pose.contacts[rows, :2], dt)
        spent += process_time() - begun if step >= 5 else 0.0
    return spent / steps / SOLVED_ROBOTS * 1e3


def make_command(random: np.random.Generator, count: int) -> Command:
    """Anywhere, at up to 1.5 m/s."""
    ways, speeds = random.uniform(-np.pi, np.pi, count), random.uniform(0, 1.5, count)
    return move(np.column_stack([speeds * np.sin(ways), np.zeros(count), speeds * np.cos(ways)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", type=Path, help="a model file (MJCF or URDF)")
    parser.add_argument("--steps", type=int, default=100, help="that are measured")
    parser.add_argument("--json", type=Path, help="write all figures as JSON")
    given = parser.parse_args()
    database, model = open_built_in(), read_robot(given.robot)
    frames = retarget_database(database, model)
    print(f"{model.name}, {model.hinge_count} hinges, {len(model.body_names)} bodies, {len(frames.angles)} frames")
    print(f"{'robots':>7}{'processor ms':>14}{'clock ms':>10}{'of all cores at 50 Hz':>23}{'solved live / this':>20}")
    rows, rival = [], 0.0
    for count in COUNTS:
        reference = RobotReference(model, (database, frames), rate=RATE, count=count)
        rival = rival or measure_rival(reference, max(given.steps // 2, 5))
        rows.append(row := measure(reference, given.steps))
        ratio = rival * count / row.processor
        print(f"{count:>7}{row.processor:>14.2f}{row.clock:>10.2f}{row.share:>23.0%}{ratio:>20.1f}")
    if given.json is not None:
        figures = {"machine": machine(), "solved live, ms each": rival, "rows": [asdict(row) for row in rows]}
        write_beside(given.json, json.dumps(figures, indent=1).encode())


if __name__ == "__main__":
    main()
