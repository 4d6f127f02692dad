"""Transitions: a jump becomes an offset that decays, for joints and for the root's velocity alike (thesis 3.29-3.32).

Offsets of rotations are rotation vectors in the parent's space, on the left of the animated rotation, with velocities
in the same space: at the moment of a jump neither the shown pose nor its velocity changes.
"""

from dataclasses import dataclass

import numpy as np

from kinematch.character.playback import Sample
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector, to_rotation_vector
from kinematch.math.spring import spring, velocity_spring


@dataclass(eq=False)
class Offsets:
    """What is added to the animation, for N characters; it changes every step."""

    positions: np.ndarray  # (N, J, 3) m
    velocities: np.ndarray  # (N, J, 3) m/s
    rotations: np.ndarray  # (N, J, 3) rad
    angular_velocities: np.ndarray  # (N, J, 3) rad/s
    root_velocities: np.ndarray  # (N, 4) m/s in the root's axes, and rad/s
    root_accelerations: np.ndarray  # (N, 4)


def no_offsets(count: int, joints: int) -> Offsets:
    pose, root = (count, joints, 3), (count, 4)
    return Offsets(np.zeros(pose), np.zeros(pose), np.zeros(pose), np.zeros(pose), np.zeros(root), np.zeros(root))


def shown(sample: Sample, offsets: Offsets) -> Sample:
    """The animated poses with the offsets applied."""
    lift = from_rotation_vector(offsets.rotations)
    return Sample(
        sample.positions + offsets.positions,
        quaternion.multiply(lift, sample.rotations.astype(np.float64)),
        sample.velocities + offsets.velocities,
        # the animated turning is carried along by the offset
        quaternion.rotate(lift, sample.angular_velocities.astype(np.float64)) + offsets.angular_velocities,
        sample.contacts,
    )


def begin(
    offsets: Offsets, who: np.ndarray, before: Sample, after: Sample, rates: tuple[np.ndarray, np.ndarray]
) -> None:
    """Take up the difference between the poses shown before a jump (M, ...) and the animation after it, for `who` (M,).

    `rates` are the root's shown and new velocities (M, 4).
    """
    offsets.positions[who] = before.positions - after.positions
    offsets.velocities[who] = before.velocities - after.velocities
    rotations = to_rotation_vector(quaternion.multiply(before.rotations, quaternion.inverse(after.rotations)))
    offsets.rotations[who] = rotations
    carried = quaternion.rotate(from_rotation_vector(rotations), after.angular_velocities.astype(np.float64))
    offsets.angular_velocities[who] = before.angular_velocities - carried
    offsets.root_velocities[who] = rates[0] - rates[1]
    offsets.root_accelerations[who] = 0.0


def decay(offsets: Offsets, halflife: float, dt: float) -> np.ndarray:
    """Let the offsets fade for dt; returns what the root's velocity offset adds to place and heading (N, 4)."""
    offsets.positions, offsets.velocities = spring(offsets.positions, offsets.velocities, 0.0, halflife=halflife, dt=dt)
    offsets.rotations, offsets.angular_velocities = spring(
        offsets.rotations, offsets.angular_velocities, 0.0, halflife=halflife, dt=dt
    )
    way, offsets.root_velocities, offsets.root_accelerations = velocity_spring(
        np.zeros_like(offsets.root_velocities), offsets.root_velocities, offsets.root_accelerations,
        desired=0.0, halflife=halflife, dt=dt,
    )  # fmt: skip
    return way
