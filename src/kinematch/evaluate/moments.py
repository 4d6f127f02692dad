"""The worst moments of a run: where to look first, by what is wrong there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.evaluate.following import facing_errors, position_errors
from kinematch.evaluate.run import Take
from kinematch.evaluate.smoothness import excess
from kinematch.evaluate.yardstick import Yardstick
from kinematch.motion.clip import true_ranges

APART = 1.0  # s between two moments of one take that count as two


@dataclass(frozen=True, eq=False)
class WorstMoment:
    kind: str
    take: Take
    time: float  # s
    value: float  # the worse the larger
    text: str


def worst(
    takes: Sequence[Take], yardstick: Yardstick, contacts: Mapping[str, np.ndarray], *, count: int = 3
) -> list[WorstMoment]:
    """The worst of each kind; contacts (T, K) of toes by scenario are those of the scoring."""
    found: list[WorstMoment] = []
    for kind in (_pops, _slides, _strays, _turned_away):
        moments = [moment for take in takes for moment in kind(take, yardstick, contacts[take.scenario.name])]
        found += sorted(moments, key=lambda moment: -moment.value)[:count]
    return found


def _peaks(values: np.ndarray, rate: float, most: int = 2) -> list[int]:
    """Frames of the highest values (T,), a while apart."""
    values, found = values.copy(), []
    for _ in range(most):
        k = int(np.argmax(values))
        if not values[k] > 0:
            break
        found.append(k)
        values[max(0, k - round(APART * rate)) : k + round(APART * rate)] = 0
    return found


def _pops(take: Take, yardstick: Yardstick, contact: np.ndarray) -> list[WorstMoment]:
    shares = excess(take.global_positions, take.rate, yardstick.limits)
    made = []
    for k in _peaks(shares.max(axis=1), take.rate):
        joint = take.skeleton.names[yardstick.limits.joints[int(np.argmax(shares[k]))]]
        text = f"{joint} accelerates {shares[k].max():.1f} times as hard as ever in the source"
        made.append(WorstMoment("roughest", take, k / take.rate, float(shares[k].max()), text))
    return made


def _slides(take: Take, yardstick: Yardstick, contact: np.ndarray) -> list[WorstMoment]:
    floor = yardstick.floor
    made = []
    for k, joint in enumerate(floor.joints):
        toes = take.global_positions[:, joint][:, [0, 2]].astype(np.float64)
        speeds = np.linalg.norm(np.gradient(toes, 1 / take.rate, axis=0), axis=-1)
        for start, stop in true_ranges(contact[:, k]):
            way = float(np.linalg.norm(toes[start:stop] - toes[start], axis=-1).max())
            text = f"{take.skeleton.names[joint]} slides {100 * way:.0f} cm in {(stop - start) / take.rate:.2f} s"
            fastest = start + int(np.argmax(speeds[start:stop]))
            made.append(WorstMoment("longest slide", take, fastest / take.rate, way, text))
    return made


def _strays(take: Take, yardstick: Yardstick, contact: np.ndarray) -> list[WorstMoment]:
    errors = position_errors(take)
    return [
        WorstMoment("farthest away", take, k / take.rate, float(errors[k]), f"{100 * errors[k]:.0f} cm from the body")
        for k in _peaks(errors, take.rate)
    ]


def _turned_away(take: Take, yardstick: Yardstick, contact: np.ndarray) -> list[WorstMoment]:
    errors = np.degrees(facing_errors(take))
    return [
        WorstMoment(
            "facing away", take, k / take.rate, float(errors[k]), f"{errors[k]:.0f} degrees from the body's facing"
        )
        for k in _peaks(errors, take.rate)
    ]
