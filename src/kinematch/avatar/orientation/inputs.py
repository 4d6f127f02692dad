"""What the orientation network sees of a user: tracked points in the headset's frame, and averages of their past.

Shapes: D are the COLUMN_COUNT columns, A the AVERAGED_VECTORS, S the spans of AVERAGE_SECONDS.
"""

import numpy as np

from kinematch.avatar.orientation import kernels
from kinematch.avatar.orientation.constants import AVERAGE_SECONDS, AVERAGED_VECTORS
from kinematch.avatar.trackers import CHEST, HEAD, LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND, Trackers
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y
from kinematch.motion.heading import facing_yaws

HAND_SIDES = {LEFT_HAND: 1.0, RIGHT_HAND: -1.0}

# What the columns are, part by part, and how a mirror changes them: `n` a number that stays, `v` a vector x y z,
# `w` an angular velocity, `g` a ground vector x z. The first `n` of a part but the head says whether it is tracked.
PART_COLUMNS = {"head": "vnvw", "left_hand": "nvvvvw", "right_hand": "nvvvvw", "chest": "ngv"}
PART_COLUMNS |= {"left_foot": "nvgv", "right_foot": "nvgv", "past": "gggg" * len(AVERAGE_SECONDS)}
MIRROR_KIND_SIGNS = {"n": (1,), "v": (-1, 1, 1), "w": (1, -1, -1), "g": (-1, 1)}
PART_WIDTHS = {part: sum(len(MIRROR_KIND_SIGNS[kind]) for kind in kinds) for part, kinds in PART_COLUMNS.items()}
PART_STARTS = dict(zip(PART_COLUMNS, np.cumsum([0, *PART_WIDTHS.values()]).tolist()))
COLUMN_COUNT = sum(PART_WIDTHS.values())


def _mirror_columns() -> tuple[np.ndarray, np.ndarray]:
    """Which column each takes its value from in a mirror, and with which sign."""
    order = np.arange(COLUMN_COUNT)
    for part, start in PART_STARTS.items():
        other = part.replace("left", "r_ght").replace("right", "left").replace("r_ght", "right")
        order[start : start + PART_WIDTHS[part]] = PART_STARTS[other] + np.arange(PART_WIDTHS[part])
    past = order[PART_STARTS["past"] :].reshape(-1, AVERAGED_VECTORS, 2)
    past[:, [2, 3]] = past[:, [3, 2]]
    signs = [sign for kinds in PART_COLUMNS.values() for kind in kinds for sign in MIRROR_KIND_SIGNS[kind]]
    return order, np.array(signs, np.float32)


MIRROR_ORDER, MIRROR_SIGNS = _mirror_columns()


def mirror_inputs(inputs: np.ndarray) -> np.ndarray:
    """The same user (..., D) seen in a mirror."""
    return inputs[..., MIRROR_ORDER] * MIRROR_SIGNS


def measure_ground_vectors(
    positions: np.ndarray, rotations: np.ndarray, velocities: np.ndarray, valid: np.ndarray, head_heights: np.ndarray,
    arm_lengths: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """The vectors (..., A, 2) in the world that are averaged; zero where a hand is not tracked."""
    yaws = facing_yaws(rotations[..., HEAD, :])
    forward = np.stack([np.sin(yaws), np.cos(yaws)], axis=-1)
    head = positions[..., HEAD, :]
    vectors = [forward, velocities[..., HEAD, ::2] / head_heights[..., None]]
    for hand in HAND_SIDES:
        reach = (positions[..., hand, ::2] - head[..., ::2]) / arm_lengths[..., None]
        vectors.append(np.where(valid[..., hand, None], reach, 0.0))
    return np.stack(vectors, axis=-2)


def measure_inputs(
    positions: np.ndarray, rotations: np.ndarray, velocities: np.ndarray, angular_velocities: np.ndarray,
    valid: np.ndarray, *, past: np.ndarray, head_heights: np.ndarray, arm_lengths: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Columns (..., D) of samples of 7 points; past (..., S, A, 2) are averages in the world's axes."""
    yaws = facing_yaws(rotations[..., HEAD, :])
    place = rotate_about_y(positions - positions[..., HEAD : HEAD + 1, :], -yaws[..., None])
    speed = rotate_about_y(velocities, -yaws[..., None]) / head_heights[..., None, None]
    spin = rotate_about_y(angular_velocities, -yaws[..., None])

    def axis(point: int, vector: list[float]) -> np.ndarray:
        return rotate_about_y(quaternion.rotate(rotations[..., point, :], np.array(vector)), -yaws)

    stature = positions[..., HEAD, 1] / head_heights
    columns = [axis(HEAD, [0.0, 1, 0]), stature[..., None], speed[..., HEAD, :], spin[..., HEAD, :]]
    for hand, side in HAND_SIDES.items():
        columns += _mask(
            valid[..., hand], place[..., hand, :] / arm_lengths[..., None], axis(hand, [side, 0, 0]),
            axis(hand, [0.0, 1, 0]), speed[..., hand, :] - speed[..., HEAD, :], spin[..., hand, :],
        )  # fmt: skip
    columns += _mask(valid[..., CHEST], axis(CHEST, [0.0, 0, 1])[..., ::2], place[..., CHEST, :])
    for foot in (LEFT_FOOT, RIGHT_FOOT):
        low = place[..., foot, :] / head_heights[..., None]
        columns += _mask(valid[..., foot], low, axis(foot, [0.0, 0, 1])[..., ::2], speed[..., foot, :])
    c, s = np.cos(yaws)[..., None, None], np.sin(yaws)[..., None, None]
    turned = np.stack([c * past[..., 0] - s * past[..., 1], s * past[..., 0] + c * past[..., 1]], axis=-1)
    columns.append(turned.reshape(*yaws.shape, -1))
    return np.concatenate(columns, axis=-1)


def _mask(valid: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
    """Whether a point is tracked, then its columns, zero where it is not."""
    return [valid[..., None].astype(np.float64), *(np.where(valid[..., None], column, 0.0) for column in columns)]


def average_flags(valid: np.ndarray) -> np.ndarray:
    """Which of the averaged vectors (..., A) are known, from valid points (..., 7)."""
    return valid[..., [HEAD, HEAD, LEFT_HAND, RIGHT_HAND]]


def advance_past(
    past: np.ndarray, ages: np.ndarray, vectors: np.ndarray, seen: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Averages (..., S, A, 2) and the seconds (..., A) that they hold, one sample later."""
    ages = np.where(seen, ages + dt, ages)
    decay = -np.expm1(-dt / np.array(AVERAGE_SECONDS))[:, None]
    rates = np.maximum(decay, dt / np.maximum(ages, dt)[..., None, :]) * seen[..., None, :]
    return past + rates[..., None] * (vectors[..., None, :, :] - past), ages


def measure_user(joints: Trackers, dt: float, *, head_height: float, arm_length: float) -> np.ndarray:
    """Columns (F, D) of one user over time, from a first sample with no past."""
    measures = np.full(len(joints), head_height), np.full(len(joints), arm_length)
    vectors = measure_ground_vectors(joints.positions, joints.rotations, joints.velocities, joints.valid, *measures)
    past = np.empty((len(joints), len(AVERAGE_SECONDS), AVERAGED_VECTORS, 2))
    kernels.average_sequence(vectors, average_flags(joints.valid), np.array(AVERAGE_SECONDS), dt, past)
    return measure_inputs(
        joints.positions, joints.rotations, joints.velocities, joints.angular_velocities, joints.valid,
        past=past, head_heights=measures[0], arm_lengths=measures[1],
    )  # fmt: skip
