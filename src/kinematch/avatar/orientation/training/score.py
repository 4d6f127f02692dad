"""How far estimated directions are from the truth: errors by person, and a row for a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinematch.avatar.orientation.estimator import DirectionEstimator
from kinematch.avatar.orientation.training.people import RATE, Person
from kinematch.avatar.simulate import make_glances, turn_head
from kinematch.avatar.trackers import HEAD, take_moments
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws

THREE_POINTS = ("head", "left_hand", "right_hand")
GLANCE_SPREAD = np.radians(35)  # spread of glances; on LAFAN1 heads and hips then part by 27 degrees on average
MAX_TOGETHER_DEGREES = 6.0  # degrees below which head and hips of a clip count as together
LARGE_ERROR_DEGREES = 45.0  # degrees


@dataclass(frozen=True, eq=False)
class Errors:
    """Of one person, sample by sample."""

    errors: np.ndarray  # (F,) degrees
    apart: np.ndarray  # (F,) degrees between head and hips
    expected: np.ndarray  # (F,) degrees, the estimator's own uncertainty
    unsteady: float  # degrees a second that the error changes by, on average


@dataclass(frozen=True)
class NetworkScore:
    """Of many people, all samples pooled; degrees."""

    mean: float
    deviation: float
    p95: float
    large: float  # share of samples that are off by more than LARGE_ERROR_DEGREES
    expected: float  # mean of the uncertainties
    unsteady: float  # degrees a second
    together: float  # how much worse than the headset the worst clip with head and hips together is; NaN: no such clip


def look_around(people: Sequence[Person], seed: int = 7) -> list[Person]:
    """The same people with turning heads, as users have."""
    looking = []
    for number, person in enumerate(people):
        rng = np.random.default_rng([seed, number])
        glances = make_glances(person.joints.times, rng, spread=GLANCE_SPREAD)
        looking.append(replace(person, joints=turn_head(person.joints, glances)))
    return looking


def run_estimator(
    estimator: DirectionEstimator, people: Sequence[Person], points: tuple[str, ...] = THREE_POINTS
) -> list[Errors]:
    """Errors of every person; all of them run at once, as users of one estimator."""
    ends = np.array([len(person.yaws) for person in people])
    estimator.reset(
        len(people),
        head_heights=np.array([person.head_height for person in people]),
        arm_lengths=np.array([person.arm_length for person in people]),
    )
    kept = [person.joints.keep(points) for person in people]
    yaws, expected = np.zeros((2, len(people), ends.max()))
    for frame in range(ends.max()):
        direction = estimator.estimate(take_moments(kept, np.minimum(frame, ends - 1)), 1 / RATE)
        yaws[:, frame], expected[:, frame] = direction.yaws, direction.uncertainties
    found = []
    for row, person in enumerate(people):
        wrong = wrap_angle(yaws[row, : ends[row]] - person.yaws)
        apart = wrap_angle(facing_yaws(person.joints.rotations[:, HEAD]) - person.yaws)
        unsteady = np.abs(wrap_angle(np.diff(wrong))).mean() * RATE
        found.append(
            Errors(
                np.abs(np.degrees(wrong)),
                np.abs(np.degrees(apart)),
                np.degrees(expected[row, : ends[row]]),
                float(np.degrees(unsteady)),
            )
        )
    return found


def summarize(found: Sequence[Errors]) -> NetworkScore:
    """One row of a table."""
    errors = np.concatenate([one.errors for one in found])
    worse = [one.errors.mean() - one.apart.mean() for one in found if one.apart.mean() < MAX_TOGETHER_DEGREES]
    return NetworkScore(
        float(errors.mean()), float(errors.std()), float(np.percentile(errors, 95)),
        float((errors > LARGE_ERROR_DEGREES).mean()),
        float(np.concatenate([one.expected for one in found]).mean()),
        float(np.average([one.unsteady for one in found], weights=[len(one.errors) for one in found])),
        float(max(worse)) if worse else float("nan"),
    )  # fmt: skip
