"""Versions of recorded people to learn from: other tempos, looks around, wrong measures, noise, and fewer trackers."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.avatar.orientation.inputs import COLUMN_COUNT, MIRROR_ORDER, measure_user
from kinematch.avatar.orientation.training.people import BUILT_IN_SUBJECT, Person
from kinematch.avatar.simulate import Imperfections, make_glances, sample_at, simulate_user, turn_head
from kinematch.avatar.trackers import CHEST, HANDS, HEAD, LEFT_FOOT, LEFT_HAND, POINTS, RIGHT_FOOT, RIGHT_HAND, Trackers
from kinematch.math import quaternion, rotation
from kinematch.math.angles import wrap_angle
from kinematch.motion.heading import facing_yaws

THREE_POINTS = (HEAD, *HANDS)
SETS = (  # which points are tracked, and how often
    (0.62, THREE_POINTS), (0.08, (HEAD,)), (0.06, (HEAD, LEFT_HAND)), (0.06, (HEAD, RIGHT_HAND)),
    (0.06, (*THREE_POINTS, CHEST)), (0.06, (*THREE_POINTS, LEFT_FOOT, RIGHT_FOOT)),
    (0.06, (*THREE_POINTS, CHEST, LEFT_FOOT, RIGHT_FOOT)),
)  # fmt: skip


CARD_TURNS = 4  # one in this many built-in clips is among the versions at a time


@dataclass(frozen=True)
class Variation:
    """How far versions stray from the recording."""

    look_share: float = 0.7  # of versions in which the head looks around
    look_spread: float = 0.8  # rad, at most
    head_turn: float = 0.15  # rad: how wrongly a headset or tracker sits, standard deviation
    hand_turn: float = 0.35  # rad, for controllers
    shift: float = 0.03  # m, for all
    measure: float = 0.06  # relative error of height and arm length
    tempo: float = 0.25  # relative, at most
    backward: float = 0.2  # share of versions played backward: few people were recorded walking so
    rates: tuple[float, float] = (24.0, 60.0)  # samples per second, at least and at most


@dataclass(frozen=True, eq=False)
class Version:
    """One version of one person, ready to learn from."""

    inputs: np.ndarray  # (F, COLUMN_COUNT)
    turns: np.ndarray  # (F,) rad by which the headset turned since the sample before
    truths: np.ndarray  # (F,) rad, the hips' yaw against the headset's
    dt: float | np.ndarray  # s


def make_version(person: Person, rng: np.random.Generator, variation: Variation) -> Version:
    """A new version; the same generator gives the same."""
    joints, yaws, dt = _change_tempo(person, rng, variation)
    if rng.random() < variation.look_share:
        joints = turn_head(joints, make_glances(joints.times, rng, spread=rng.uniform(0.2, variation.look_spread)))
    joints = _misplace(joints, rng, variation)
    joints = simulate_user(joints, rng, imperfections=Imperfections(dropouts=2.0))
    points = SETS[rng.choice(len(SETS), p=[share for share, _ in SETS])][1]
    joints = joints.keep(tuple(POINTS[point] for point in points))
    head, arm = np.array([person.head_height, person.arm_length]) * np.exp(rng.normal(0, variation.measure, 2))
    return make_plain_version(joints, yaws, dt, head, arm)


def make_plain_version(joints: Trackers, yaws: np.ndarray, dt: float, head_height: float, arm_length: float) -> Version:
    """Inputs and truths of one user over time as they are."""
    headset = facing_yaws(joints.rotations[:, HEAD])
    inputs = measure_user(joints, dt, head_height=head_height, arm_length=arm_length)
    turns = wrap_angle(np.diff(headset, prepend=headset[:1]))
    return Version(
        inputs.astype(np.float32), turns.astype(np.float32), wrap_angle(yaws - headset).astype(np.float32), dt
    )


def _change_tempo(person: Person, rng: np.random.Generator, variation: Variation) -> tuple[Trackers, np.ndarray, float]:
    """Joints and truths at a random rate, played faster or slower."""
    dt = 1 / rng.uniform(*variation.rates)
    tempo = np.exp(rng.uniform(-1, 1) * np.log1p(variation.tempo))
    times = person.joints.times
    moments = np.arange(times[0] + rng.uniform(0, dt), times[-1], dt * tempo)
    if rng.random() < variation.backward:
        moments = moments[::-1]
    joints = sample_at(person.joints, moments, np.arange(len(moments)) * dt)
    return joints, np.interp(moments, times, person.yaws), dt


def _misplace(joints: Trackers, rng: np.random.Generator, variation: Variation) -> Trackers:
    """Devices that sit a little differently than the calibration says."""
    turns = rng.normal(0, variation.head_turn, (len(POINTS), 3))
    turns[HEAD] *= [1.0, 0.3, 0.4]  # headsets tip, and hardly turn
    both = rng.normal(0, variation.hand_turn, 3)  # rigs and devices differ alike on both sides, people on one
    for hand, mirrored in ((LEFT_HAND, [1, 1, 1]), (RIGHT_HAND, [1, -1, -1])):
        turns[hand] = both * mirrored + rng.normal(0, variation.hand_turn / 3, 3)
    shifts = rng.normal(0, variation.shift, (len(POINTS), 3))
    offsets = np.broadcast_to(shifts, joints.positions.shape)
    arms = quaternion.rotate(joints.rotations, offsets)
    arms[:, :, 1] += rng.normal(0, variation.shift)  # the floor
    rotations = quaternion.multiply(joints.rotations, rotation.from_rotation_vector(turns))
    velocities = joints.velocities + quaternion.cross(joints.angular_velocities, arms)
    return replace(joints, positions=joints.positions + arms, rotations=rotations, velocities=velocities)


class Bank:
    """Versions of all people, the oldest of them replaced now and then, and windows drawn from them.

    All follows from the seed and the step, so that training can stop and go on as if it had not.
    """

    def __init__(self, people: list[Person], seed: int, variation: Variation, *, copies: int = 4, renewal: int = 50):
        self._people, self._seed, self._variation = people, seed, variation
        self._copies, self._renewal = copies, renewal
        self._versions: dict[int, dict[int, Version]] = {}

    def _prepare(self, step: int) -> None:
        newest = self._copies - 1 + step // self._renewal
        for number in range(newest - self._copies + 1, newest + 1):
            if number not in self._versions:
                self._versions[number] = self._make_versions(number)
        for number in [number for number in self._versions if number <= newest - self._copies]:
            del self._versions[number]

    def _make_versions(self, number: int) -> dict[int, Version]:
        """By person; of the built-in clips, which are much alike, a few in turn."""
        rng, whole = np.random.default_rng([self._seed, 1, number]), range(len(self._people))
        chosen = [
            k for k in whole if self._people[k].subject != BUILT_IN_SUBJECT or k % CARD_TURNS == number % CARD_TURNS
        ]
        return {k: make_version(self._people[k], rng, self._variation) for k in chosen or whole}

    def draw(self, step: int, count: int, length: int, weights: np.ndarray) -> Version:
        """Windows of a step: inputs (B, T, D), turns and truths (B, T), dt (B,). Past its end a clip has NaN.

        The weights (P,) say how often a person is drawn, for each second of motion.
        """
        self._prepare(step)
        rng, banks = np.random.default_rng([self._seed, 2, step]), list(self._versions.values())
        inputs = np.zeros((count, length, COLUMN_COUNT), np.float32)
        turns, truths = np.zeros((count, length), np.float32), np.full((count, length), np.nan, np.float32)
        dts = np.zeros(count, np.float32)
        chosen = rng.integers(len(banks), size=count)
        for bank, rows in ((banks[k], np.flatnonzero(chosen == k)) for k in range(len(banks))):
            numbers = list(bank)
            chances = np.array([weights[k] * max(len(self._people[k].yaws), length) for k in numbers])
            picks = rng.choice(numbers, len(rows), p=chances / chances.sum())
            for row, version in zip(rows, (bank[k] for k in picks)):
                self._cut(rng, version, inputs[row], turns[row], truths[row])
                dts[row] = version.dt
        turns[:, 0] = 0
        return Version(inputs, turns, truths, dts)

    @staticmethod
    def _cut(rng: np.random.Generator, version: Version, *outs: np.ndarray) -> None:
        """A window at random into arrays (T, ...)."""
        frames = min(len(outs[0]), len(version.turns))
        start = rng.integers(len(version.turns) - frames + 1)
        for out, values in zip(outs, (version.inputs, version.turns, version.truths)):
            out[:frames] = values[start : start + frames]

    def measure_scales(self) -> np.ndarray:
        """The root mean square of each column (COLUMN_COUNT,) where it is not zero, left and right alike."""
        self._prepare(0)
        total, count = np.zeros(COLUMN_COUNT), np.zeros(COLUMN_COUNT)
        for version in self._versions[0].values():
            total += (version.inputs.astype(np.float64) ** 2).sum(axis=0)
            count += (version.inputs != 0).sum(axis=0)
        total, count = total + total[MIRROR_ORDER], count + count[MIRROR_ORDER]
        return np.where(count > 0, np.sqrt(total / np.maximum(count, 1)), 1.0)
