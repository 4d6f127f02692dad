"""As few bits as a bound allows: for each segment and channel, how often and how finely its numbers are stored."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.packing.bodies import find_levers, measure_distances, place_points
from kinematch.database.packing.field_kernels import MOST_WIDTH
from kinematch.database.packing.layout import LANES, LENGTH, STRIDES
from kinematch.database.packing.segments import Segments, StrideFit, from_tiny, interpolate, restore_centres, try_stride
from kinematch.database.poses import PoseDatabase
from kinematch.math import quaternion

ROUNDS = 7  # of a bisection
SHARES = (0.02, 3.0)  # of the bound that one channel may use up: its errors rarely add to those of others
ROUNDING = 5e-7  # m by which a body may be farther off when kernels compute it in float32
LEAST_WIDTH = 2  # bits: with one, no value is above zero
AMPLIFIED = 1.1  # the error of knots in a cubic through them


@dataclass(frozen=True, eq=False)
class Choice:
    """How segments are stored."""

    kinds: np.ndarray  # (S, G) which stride
    widths: np.ndarray  # (S, C, 3) bits of numbers
    codes: np.ndarray  # (S, C, 3) uint8 ranges

    def replaced(self, other: "Choice", where: np.ndarray) -> "Choice":
        """With segments (S,) of another."""
        every = where[:, None, None]
        return Choice(
            np.where(where[:, None], other.kinds, self.kinds), np.where(every, other.widths, self.widths),
            np.where(every, other.codes, self.codes),
        )  # fmt: skip


def find_sensitivities(poses: PoseDatabase, moving: np.ndarray, channels: int) -> np.ndarray:
    """(C,) m that a body moves for an error of one in a channel's numbers: half-angles turn what hangs on a joint."""
    joints = poses.skeleton.joint_count
    out = np.zeros(channels)
    out[1:joints] = 2 * find_levers(poses.skeleton)[1:]
    out[joints : joints + len(moving)] = 1.0
    return out


def choose(
    segments: Segments, poses: PoseDatabase, moving: np.ndarray, bounds: np.ndarray
) -> tuple[Choice, np.ndarray]:
    """The fewest bits within bounds (S,) in metres, and which segments (S,) do not get there.

    Every channel of a segment may be wrong by the same share of the bound; a bisection finds the largest share."""
    count, channels = segments.centres.shape[:2]
    sensitivities = find_sensitivities(poses, moving, channels)
    strides = [try_stride(segments, stride) for stride in STRIDES]
    joints = poses.skeleton.joint_count
    rest = np.array(poses.positions[0], np.float64)
    goal = place_points(poses.skeleton, poses.positions[segments.frames], poses.rotations[segments.frames])

    inside = np.arange(LENGTH) < segments.lengths[:, None]

    def measure(choice: Choice) -> np.ndarray:
        numbers = requantise(segments, choice)
        rotations, places = compose(segments, numbers, joints, len(moving))
        positions = np.broadcast_to(rest, (*rotations.shape[:2], *rest.shape)).copy()
        positions[:, :, moving] = places
        distances = measure_distances(place_points(poses.skeleton, positions, rotations), goal)
        # cubics may overshoot: no rotation has a longer x, y, z
        distances[(np.sum(numbers[:, :, :joints] ** 2, axis=-1) > 1).any(axis=-1)] = np.inf
        return np.where(inside, distances, 0).max(axis=1)

    kept = bounds - np.minimum(ROUNDING, bounds / 2)
    low, high = np.full(count, np.log(SHARES[0])), np.full(count, np.log(SHARES[1]))
    best = choose_widths(strides, np.exp(low) * bounds, sensitivities)
    good = measure(best) <= kept
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        tried = choose_widths(strides, np.exp(middle) * bounds, sensitivities)
        holds = measure(tried) <= kept
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
        best, good = best.replaced(tried, holds), good | holds
    return best, ~good


def choose_widths(strides: list[StrideFit], errors: np.ndarray, sensitivities: np.ndarray) -> Choice:
    """For each segment and group the stride that takes the fewest bits; errors (S,) m are what a channel may add."""
    allowed = errors[:, None] / np.maximum(sensitivities, 1e-12)
    found = [_choose_width(one, allowed) for one in strides]
    bits = np.stack([bits for _, bits in found])
    kinds = bits.argmin(axis=0)
    every = np.repeat(kinds, LANES, axis=1)[None, ..., None]
    widths = np.take_along_axis(np.stack([widths for widths, _ in found]), every, axis=0)[0]
    codes = np.take_along_axis(np.stack([one.codes for one in strides]), every, axis=0)[0]
    return Choice(kinds, widths, np.where(widths == 0, 0, codes).astype(np.uint8))


def _choose_width(one: StrideFit, allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How wide numbers must be for a stride (S, C, 3), and how many bits that takes for a group (S, G)."""
    ranges = from_tiny(one.codes) * 3**0.5  # x, y and z may each be wrong by as much
    left = np.sqrt(np.maximum(allowed**2 - one.errors**2, 1e-30)) / (1.0 if one.stride == 1 else AMPLIFIED)
    widths = np.maximum(np.ceil(np.log2(ranges / left[..., None])), LEAST_WIDTH)
    widths = np.where(ranges <= allowed[..., None], 0, widths).astype(int)
    if one.stride == 1:
        widths = np.minimum(widths, MOST_WIDTH)
    groups = widths.reshape(len(widths), -1, 3 * LANES)
    fits = (groups.max(axis=-1) <= MOST_WIDTH) & one.fits[:, None]
    bits = ((groups.sum(axis=-1) + 7) & -8) * one.knots[:, None]
    return widths, np.where(fits, bits, np.iinfo(int).max)


def find_knots(segments: Segments, choice: Choice, kind: int) -> np.ndarray:
    """Whole numbers (S, N, C, 3) of all knots at one of the strides, for channels that are stored so."""
    steps = np.ldexp(1.0, choice.widths - 1)[:, None]
    ranges = from_tiny(choice.codes).astype(np.float64)[:, None]
    knots = np.clip(np.round(segments.numbers[:, :: STRIDES[kind]] / ranges * steps), -steps, steps - 1)
    return np.where(steps < 1, 0, knots)


def requantise(segments: Segments, choice: Choice) -> np.ndarray:
    """Frames (S, 32, C, 3) as they come back from what is stored."""
    out = np.zeros((len(segments.lengths), LENGTH, *segments.numbers.shape[2:]))
    steps = (from_tiny(choice.codes) * np.ldexp(1.0, 1 - choice.widths))[:, None]
    kinds = np.repeat(choice.kinds, LANES, axis=1)[:, None, :, None]
    for kind, stride in enumerate(STRIDES):
        here = kinds == kind
        if here.any():
            counts = (segments.lengths - 2 + stride) // stride + 1
            frames = interpolate(find_knots(segments, choice, kind) * steps, stride, counts)
            out = np.where(here, frames, out)
    return out


def compose(segments: Segments, numbers: np.ndarray, joints: int, moving: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (S, 32, J, 4) and places (S, 32, M, 3) from numbers beyond the centres."""
    x = numbers[:, :, :joints]
    w = np.sqrt(np.maximum(1 - np.sum(x**2, axis=-1, keepdims=True), 0))
    left = np.concatenate([w, x], axis=-1)
    rotations = quaternion.multiply(restore_centres(segments.centres[:, None, :joints]), left)
    return rotations, segments.places[:, None] + numbers[:, :, joints : joints + moving]
