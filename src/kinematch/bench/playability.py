"""python -m kinematch.bench.playability ROBOT: a PD controller in MuJoCo tracks a walk, held or not.

A reference that twitches or floats takes large forces of the spring, or throws the robot down at once.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from kinematch.database.built_in import open_built_in
from kinematch.robot.read import read_robot
from kinematch.robot.simulation.tracking import Tracking
from kinematch.writing import write_beside

GRAVITY = 9.81  # m/s^2
SPRING = (2500.0, 100.0)  # 1/s^2 and 1/s: critically damped; the whole weight moves it by 4 mm
TRIALS = 20  # frames from which the robot is let go
MAX_SECONDS = 10.0


@dataclass(frozen=True)
class Playability:
    """Forces of the spring over a walk, and how long robots stand without it."""

    robot: str
    seconds: float  # of the walk
    speed: float  # m/s that is commanded
    force: float  # mean of the spring's force over the robot's weight
    force_high: float  # 95th percentile
    torque_high: float  # N m, 95th percentile of the spring's torque
    joint_error: float  # rad, root of the mean square of angles against the reference
    walk_seconds: float  # median until a walking robot is lost without the spring
    stand_seconds: float  # median of standing ones; MAX_SECONDS at most


def measure_playability(tracking: Tracking, *, seconds: float = 10.0, speed: float = 1.0) -> Playability:
    """For all robots of the tracking, side by side; the first frames are those of standing."""
    random, still = np.random.default_rng(0), np.zeros(tracking.actions.shape)
    everyone = np.arange(tracking.count)

    def begin(velocity: float, *, held: bool) -> None:
        tracking.hold_base(*(SPRING if held else (0.0, 0.0)))
        commands = np.tile([velocity, 0.0], (tracking.count, 1))
        tracking.reset(everyone, random, frames=np.zeros(tracking.count, np.int64), commands=commands)

    begin(speed, held=True)
    forces, errors = [], []
    for _ in range(round(seconds * tracking.reference.rate)):
        tracking.step(still, random)
        forces.append(tracking.spring_forces.copy())
        errors.append(tracking.find_errors(still).joint_positions)
    pulls = np.array(forces)
    return Playability(
        robot=tracking.robot.robot.name,
        seconds=seconds,
        speed=speed,
        force=float(pulls[..., 0].mean() / (GRAVITY * tracking.robot.mass)),
        force_high=float(np.quantile(pulls[..., 0], 0.95) / (GRAVITY * tracking.robot.mass)),
        torque_high=float(np.quantile(pulls[..., 1], 0.95)),
        joint_error=float(np.sqrt(np.square(errors).mean())),
        walk_seconds=_let_go(tracking, speed, random),
        stand_seconds=_let_go(tracking, 0.0, random),
    )


def _let_go(tracking: Tracking, speed: float, random: np.random.Generator) -> float:
    """Median time until robots are lost that were held for two seconds, and then each for a little longer."""
    still, rate = np.zeros(tracking.actions.shape), tracking.reference.rate
    found = []
    for trial in range(TRIALS):
        tracking.hold_base(*SPRING)
        commands = np.tile([speed, 0.0], (tracking.count, 1))
        tracking.reset(
            np.arange(tracking.count), random, frames=np.zeros(tracking.count, np.int64), commands=commands
        )  # fmt: skip
        for _ in range(round((2.0 + 0.07 * trial) * rate)):
            tracking.step(still, random)
        tracking.hold_base(0.0, 0.0)
        stood = 0
        while stood < MAX_SECONDS * rate and not tracking.step(still, random)[1][0]:
            stood += 1
        found.append(stood / rate)
    return float(np.median(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", type=Path, nargs="+", help="model files (MJCF or URDF)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the walk")
    parser.add_argument("--speed", type=float, default=1.0, help="m/s that is commanded")
    parser.add_argument("--json", type=Path, help="write all figures as JSON")
    given = parser.parse_args()
    database, rows = open_built_in(), []
    print(f"{'robot':<24}{'spring / weight':>17}{'95 %':>7}{'N m':>7}{'rad off':>9}{'walks s':>9}{'stands s':>10}")
    for path in given.robots:
        tracking = Tracking(read_robot(path), database, horizon=0.0)
        rows.append(row := measure_playability(tracking, seconds=given.seconds, speed=given.speed))
        print(
            f"{row.robot:<24}{row.force:>17.2f}{row.force_high:>7.2f}{row.torque_high:>7.0f}{row.joint_error:>9.3f}"
            f"{row.walk_seconds:>9.2f}{row.stand_seconds:>10.2f}"
        )
    if given.json is not None:
        write_beside(given.json, json.dumps([asdict(row) for row in rows], indent=1).encode())


if __name__ == "__main__":
    main()
