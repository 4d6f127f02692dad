"""Foot lock: planted toes stay where they are, by legs bent anew; locking and unlocking fade, so that nothing snaps."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.limb import reach
from kinematch.character.settings import Settings
from kinematch.math import quaternion
from kinematch.math.spring import omega, spring
from kinematch.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Leg:
    upper: int
    lower: int
    foot: int
    toe: int


@dataclass(eq=False)
class Locks:
    """State of K toes of N characters."""

    locked: np.ndarray  # (N, K) bool
    places: np.ndarray  # (N, K, 3) m, where locked toes stand
    refused: np.ndarray  # (N, K) bool, pulled loose during this stance: free until the next one
    offsets: np.ndarray  # (N, K, 3) m, between what is shown and where the toe should be
    velocities: np.ndarray  # (N, K, 3) m/s


def legs_of(skeleton: Skeleton, contact_joints: np.ndarray) -> list[Leg]:
    """The leg of each contact joint, by roles; none for rigs without legs."""
    legs = []
    for side in ("left", "right"):
        parts = [skeleton.roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        toe = next((int(j) for j in contact_joints if parts[2] in skeleton.chain(int(j))), None)
        if None not in parts and toe is not None:
            legs.append(Leg(int(parts[0]), int(parts[1]), int(parts[2]), toe))  # type: ignore[arg-type]
    return legs if len(legs) == len(contact_joints) else []


def no_locks(count: int, toes: int) -> Locks:
    return Locks(
        np.zeros((count, toes), bool), np.zeros((count, toes, 3)), np.zeros((count, toes), bool),
        np.zeros((count, toes, 3)), np.zeros((count, toes, 3)),
    )  # fmt: skip


def wanted_toes(
    locks: Locks, toes: np.ndarray, toe_velocities: np.ndarray, contacts: np.ndarray, settings: Settings, dt: float
) -> np.ndarray:
    """Where the toes (N, K, 3) are to be shown: at their locks while planted, else where the animation has them."""
    far = np.linalg.norm(toes - locks.places, axis=-1) > settings.unlock_distance
    release = locks.locked & (~contacts | far)
    catch = ~locks.locked & contacts & ~locks.refused
    locks.refused = contacts & (locks.refused | (locks.locked & far))
    # what is shown goes on as it was: the offset takes up the step, and the speed that the other side lacks
    _switch(locks, release, locks.places - toes, -toe_velocities)
    speed = toe_velocities + locks.velocities
    # the toe comes to rest this far ahead, so that it does not slide back afterwards
    rest = toes + locks.offsets + speed / omega(settings.lock_halflife)
    rest[..., 1] = toes[..., 1]
    locks.places = np.where(catch[..., None], rest, locks.places)
    _switch(locks, catch, toes - locks.places, toe_velocities)
    locks.locked = (locks.locked & ~release) | catch
    locks.offsets, locks.velocities = spring(
        locks.offsets, locks.velocities, 0.0, halflife=settings.lock_halflife, dt=dt
    )
    return np.where(locks.locked[..., None], locks.places, toes) + locks.offsets


def _switch(locks: Locks, who: np.ndarray, step: np.ndarray, velocity: np.ndarray) -> None:
    """Add to the offsets of some toes what their base loses by a switch."""
    locks.offsets = np.where(who[..., None], locks.offsets + step, locks.offsets)
    locks.velocities = np.where(who[..., None], locks.velocities + velocity, locks.velocities)


def place_feet(
    skeleton: Skeleton,
    legs: list[Leg],
    positions: np.ndarray,
    rotations: np.ndarray,
    toes: np.ndarray,
    extension: float,
) -> np.ndarray:
    """Global rotations (N, J, 4) with the legs bent so that the toes are where they should be; feet keep their turn."""
    rotations = rotations.copy()
    for k, leg in enumerate(legs):
        shift = toes[:, k] - positions[:, leg.toe]
        upper, lower = reach(
            positions[:, leg.upper], positions[:, leg.lower], positions[:, leg.foot], positions[:, leg.foot] + shift,
            extension=extension,
        )  # fmt: skip
        rotations[:, leg.upper] = quaternion.multiply(upper, rotations[:, leg.upper])
        rotations[:, leg.lower] = quaternion.multiply(lower, rotations[:, leg.lower])
    return rotations
