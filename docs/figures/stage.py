"""The stage of the character's figures: one character on the built-in database, run with any settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from kinematch.character import Command, Crowd, Settings
from kinematch.database.built_in import open_built_in

DT = 1 / 60
WALK = 1.35  # m/s
UPRIGHT = "level0"  # the tag of clips that go upright
LEFT_KNEE = (2, 3, 4)
LEFT_TOE, RIGHT_TOE = 5, 9
STANDARD = Settings()
CORNER = ((2.0, WALK, 0), (6.0, WALK, 90))
COURSE = ((1.0, 0, 0), (4.0, WALK, 0), (7.0, WALK, 135), (9.0, 2.8, 135), (12.0, WALK, -90))
Asked = Sequence[tuple[float, float, float]]  # until s, m/s, heading in degrees from +Z to +X


@dataclass(frozen=True)
class Run:
    """What one character did, step by step (T,)."""

    times: np.ndarray
    roots: np.ndarray  # (T, 2)
    yaws: np.ndarray
    body: np.ndarray  # (T, 2)
    body_yaws: np.ndarray
    speeds: np.ndarray  # of the body
    joints: np.ndarray  # (T, J, 3)
    searched: np.ndarray
    jumped: np.ndarray
    locked: np.ndarray  # (T, 2)
    frames: np.ndarray  # with their fractions
    sunk: np.ndarray  # m by which the pelvis is lowered
    free: np.ndarray  # (T, 2, 3) where the toes would be without a lock

    @property
    def gaps(self) -> np.ndarray:
        """cm to the simulated body."""
        return 100 * np.linalg.norm(self.roots - self.body, axis=-1)

    @property
    def turn_gaps(self) -> np.ndarray:
        """Degrees to its facing."""
        return np.degrees(np.abs((self.yaws - self.body_yaws + np.pi) % (2 * np.pi) - np.pi))


class Stage:
    """One character on the built-in database; every run begins in the same state."""

    def __init__(self) -> None:
        self.database = open_built_in()
        self.crowd = Crowd(self.database)
        self.first = self.crowd.state.copy()

    def run(self, asked: Asked, settings: Settings = STANDARD, *, terrain=None, filter: str = UPRIGHT) -> Run:
        crowd = self.crowd
        crowd.settings, crowd.terrain = settings, terrain
        crowd.restore(self.first)
        rows = []
        for k in range(round(asked[-1][0] / DT)):
            shown = crowd.step(command(asked, k * DT, filter), DT)
            state = crowd.state
            body, feet, ground = state.body, state.feet, [0, 2]
            rows.append(
                (
                    *((k + 1) * DT, crowd.root_positions[0, ground], crowd.root_yaws[0]),
                    *(body.positions[0, ground], body.yaws[0], np.linalg.norm(body.velocities[0])),
                    *(shown.global_positions[0], shown.searched[0], shown.jumped[0], shown.locked[0].copy()),
                    *(shown.frames[0] + shown.fractions[0], feet.pelvis[0, 0], feet.toes[0].copy()),
                )
            )
        return Run(*(np.array(column) for column in zip(*rows)))

    def variants(self, name: str, values: Sequence, asked: Asked, base: dict | None = None, **also) -> dict[str, Run]:
        """A run for each value of a setting, by what to call it."""
        return {
            called(name, value): self.run(asked, Settings(**(base or {}) | {name: value}), **also) for value in values
        }


def called(name: str, value) -> str:
    known = {one.name: one.metadata for one in fields(Settings)}[name]
    usual = " (default)" if value == getattr(STANDARD, name) else ""
    if isinstance(value, bool):
        return ("on" if value else "off") + usual
    if value == 0 and known.get("text", "").endswith("0 is off"):
        return "off" + usual
    return f"{value:g} {known['unit'] if known['unit'] != 'cost' else ''}".strip() + usual


def command(asked: Asked, time: float, filter: str = UPRIGHT) -> Command:
    speed, heading = next(((v, a) for until, v, a in asked if time < until), asked[-1][1:])
    angle = np.radians(heading)
    ahead = np.array([[np.sin(angle), 0.0, np.cos(angle)]])
    return Command(speed * ahead, ahead, filter)


def curves(runs: dict[str, Run], value: Callable[[Run], np.ndarray], first: float = 0.0, last: float = np.inf):
    chosen = {}
    for name, run in runs.items():
        own = (run.times >= first) & (run.times <= last)
        chosen[name] = run.times[own], value(run)[own]
    return chosen


def searches(runs: dict[str, Run]):
    return {name: (run.times[run.searched] - DT, run.times[run.jumped] - DT, ()) for name, run in runs.items()}


def speed(points: np.ndarray) -> np.ndarray:
    """m/s along the ground of points (T, 3)."""
    return np.linalg.norm(np.diff(points[:, [0, 2]], axis=0, prepend=points[:1, [0, 2]]), axis=-1) / DT


def knee_angles(joints: np.ndarray) -> np.ndarray:
    """Degrees by which the left knee is bent."""
    hip, knee, ankle = (joints[:, j].astype(np.float64) for j in LEFT_KNEE)
    a, b = knee - hip, ankle - knee
    cosine = (a * b).sum(axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))
