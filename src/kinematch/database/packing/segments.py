"""Segments of poses: what each channel is beyond its centre, over the frames that its knots may need."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.packing.field_kernels import LARGEST_TINY, TINY_BIAS
from kinematch.database.packing.layout import CENTRE, LENGTH, STRIDES, TAPS, count_channels, count_knots, find_weights
from kinematch.database.poses import PoseDatabase
from kinematch.math import quaternion

WINDOW = LENGTH + STRIDES[-1]  # frames of a segment and behind it that knots may lie on
MAX_VECTOR_PART = 0.999  # of a quaternion's x, y, z: past a clip's end knots are guessed, and must be rotations


@dataclass(frozen=True, eq=False)
class Segments:
    """Some segments of a database, S of them, with C channels: joints from the root on, then places, then none."""

    frames: np.ndarray  # (S, 32) int64, of the database; the last is repeated in short segments
    lengths: np.ndarray  # (S,) frames
    centres: np.ndarray  # (S, C, 4) int8 of rotations
    places: np.ndarray  # (S, M, 3) float32 m, centres of places
    numbers: np.ndarray  # (S, 40, C, 3) beyond the centres


def take_segments(poses: PoseDatabase, moving: np.ndarray, begins: np.ndarray, lengths: np.ndarray) -> Segments:
    """Segments that begin at some frames."""
    ends = poses.clip_stops[poses.clip_of(begins)] - 1
    frames = np.minimum(begins[:, None] + np.arange(WINDOW), ends[:, None])
    rotations = poses.rotations[frames][:, :, 1:].astype(np.float64)
    places = poses.positions[frames][:, :, moving].astype(np.float64)
    inside = np.arange(WINDOW) < lengths[:, None]
    centres, numbers = _centre_rotations(rotations, inside)
    low = np.where(inside[..., None, None], places, np.inf).min(axis=1)
    high = np.where(inside[..., None, None], places, -np.inf).max(axis=1)
    middles = ((low + high) / 2).astype(np.float32)
    joints, count = poses.skeleton.joint_count, len(begins)
    channels = count_channels(joints, len(moving))
    all_numbers, all_centres = np.zeros((count, WINDOW, channels, 3)), np.zeros((count, channels, 4), np.int8)
    all_centres[..., 0] = CENTRE
    all_numbers[:, :, 1:joints], all_centres[:, 1:joints] = numbers, centres
    all_numbers[:, :, joints : joints + len(moving)] = places - middles[:, None]
    _extend(all_numbers, ends - begins + 1)
    all_numbers[:, :, :joints] = np.clip(all_numbers[:, :, :joints], -MAX_VECTOR_PART, MAX_VECTOR_PART)
    own = frames[:, np.minimum(np.arange(LENGTH), LENGTH - 1)]
    own = np.minimum(own, (begins + lengths - 1)[:, None])
    return Segments(own, lengths, all_centres, middles, all_numbers)


def _centre_rotations(rotations: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres (S, J, 4) int8 of rotations (S, 40, J, 4), and x, y, z of what is left (S, 40, J, 3)."""
    rotations = quaternion.unroll(np.moveaxis(rotations, 1, 0))  # time first
    inside = np.moveaxis(inside, 1, 0)[..., None, None]
    centre = quaternion.normalize(np.where(inside, rotations, 0).sum(axis=0) + 1e-9)  # never without a direction
    for _ in range(2):  # to the middle of the range rather than the mean
        left = _leave(centre, rotations)
        low, high = np.where(inside, left, np.inf).min(axis=0), np.where(inside, left, -np.inf).max(axis=0)
        middle = (low + high) / 2
        w = np.sqrt(np.maximum(1 - np.sum(middle**2, axis=-1, keepdims=True), 0))
        centre = quaternion.normalize(quaternion.multiply(centre, np.concatenate([w, middle], axis=-1)))
    whole = np.round(centre * CENTRE).astype(np.int8)
    return whole, np.moveaxis(_leave(restore_centres(whole), rotations), 0, 1)


def restore_centres(centres: np.ndarray) -> np.ndarray:
    return quaternion.normalize(centres.astype(np.float64))


def _leave(centre: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """x, y and z of rotations beyond a centre, of the quaternion whose w is positive."""
    left = quaternion.multiply(quaternion.inverse(centre), rotations)
    return left[..., 1:] * np.where(left[..., :1] < 0, -1.0, 1.0)


def _extend(numbers: np.ndarray, known: np.ndarray) -> None:
    """Past the end of a clip, `known` frames from the first, numbers go on as they ended."""
    for s in np.flatnonzero(known < WINDOW):
        end = int(known[s])
        step = numbers[s, end - 1] - numbers[s, end - 2] if end > 1 else 0.0
        numbers[s, end:] = numbers[s, end - 1] + np.arange(1, WINDOW - end + 1)[:, None, None] * step


@dataclass(frozen=True, eq=False)
class StrideFit:
    """What a stride makes of segments."""

    stride: int
    codes: np.ndarray  # (S, C, 3) uint8, tiny floats: the ranges of the numbers at its knots
    errors: np.ndarray  # (S, C) farthest that a frame is from the cubic
    knots: np.ndarray  # (S,)
    fits: np.ndarray  # (S,) bool, whether there are four knots


def try_stride(segments: Segments, stride: int) -> StrideFit:
    knots = count_knots(segments.lengths, stride)
    numbers = segments.numbers[:, ::stride]
    used = np.arange(numbers.shape[1]) < knots[:, None]
    ranges = np.where(used[..., None, None], np.abs(numbers), 0).max(axis=1)
    inside = np.arange(LENGTH) < segments.lengths[:, None]
    left = np.linalg.norm(interpolate(numbers, stride, knots) - segments.numbers[:, :LENGTH], axis=-1)
    errors = np.where(inside[..., None], left, 0).max(axis=1)
    return StrideFit(stride, to_tiny(ranges), errors, knots, (knots >= TAPS) | (stride == 1))


def interpolate(numbers: np.ndarray, stride: int, knots: np.ndarray) -> np.ndarray:
    """Frames (S, 32, C, 3) between numbers at knots (S, N, C, 3)."""
    if stride == 1:
        return numbers[:, :LENGTH]
    frames = np.arange(LENGTH)
    first = np.maximum(np.minimum(frames // stride - 1, knots[:, None] - TAPS), 0)  # (S, 32)
    rows = frames * 8 // stride - 8 * first
    weights = find_weights()[np.minimum(rows, 8 * (TAPS - 1))].astype(np.float64)
    taken = np.minimum(first[..., None] + np.arange(TAPS), numbers.shape[1] - 1)
    each = np.arange(len(numbers))[:, None]
    return sum(weights[:, :, tap, None, None] * numbers[each, taken[..., tap]] for tap in range(TAPS))


def to_tiny(ranges: np.ndarray) -> np.ndarray:
    """The smallest tiny floats (uint8) that are no less; see field_kernels."""
    bits = np.minimum(ranges, LARGEST_TINY).astype(np.float32).view(np.int32).astype(np.int64) - TINY_BIAS
    return np.clip(-(-bits // (1 << 20)), 0, 255).astype(np.uint8)


def from_tiny(codes: np.ndarray) -> np.ndarray:
    return ((codes.astype(np.int32) << 20) + np.int32(TINY_BIAS)).view(np.float32)
