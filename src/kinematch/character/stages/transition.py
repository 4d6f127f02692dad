"""Transition: what a jump leaves behind, how it fades, and how it changes the animated pose.

Each number triple of a pose (a joint's rotation vector, or its place) remembers six numbers:

- spring inertialization (thesis 3.29-3.32): the offset and its velocity;
- quintic inertialization (digital humans 3.4): the offset at the jump, its speed along itself, and the blend time;
- dead blending: the pose that was shown and its velocity, which goes on by itself while the new one is blended in.

Rotation offsets are in the parent's space, on the left of the animated rotation. The velocity of an offset is the rate
of its rotation vector, which differs from an angular velocity the more, the larger the offset: at the moment of a jump
neither the shown pose nor its velocity changes.
"""

import math

import numpy as np

from kinematch.character.constants import FORGOTTEN, LONGEST_QUINTIC, OVERSHOOT
from kinematch.character.rig import Rig
from kinematch.character.settings import Settings
from kinematch.character.source import Sample
from kinematch.character.state import State
from kinematch.math import quaternion
from kinematch.math.rotation import (
    find_angular_velocity,
    find_vector_rate,
    from_rotation_vector,
    to_rotation_vector,
)
from kinematch.math.spring import HALFLIFE_FACTOR, spring, velocity_spring


def start_transition(
    state: State, characters: np.ndarray, before: Sample, after: Sample, moving: np.ndarray, rig: Rig,
    earlier: Settings, settings: Settings,
) -> None:  # fmt: skip
    """Remember the difference between what is shown, by the earlier settings, and what is animated after the jump."""
    offsets, kind, halflife = state.offsets, settings.transition, settings.transition_halflife
    if kind != "none":
        age, joints = offsets.ages[characters], before.rotations.shape[1]
        memory = _read(offsets.rotations[characters][..., :joints])
        old, old_halflife = earlier.transition, earlier.transition_halflife
        shown = show_rotations(memory, old, age, old_halflife, before.rotations)
        spin = show_angular_velocities(memory, old, age, old_halflife, before.rotations, before.angular_velocities)
        step = to_rotation_vector(shown)
        if kind != "dead":
            step = to_rotation_vector(quaternion.multiply(shown, quaternion.inverse(after.rotations)))
            spin = find_vector_rate(
                step, spin - quaternion.rotate(from_rotation_vector(step), after.angular_velocities)
            )
        offsets.rotations[characters, :, :joints] = _write(remember(kind, halflife, step, spin))

        memory = _read(offsets.positions[characters])
        place, velocity = show_places(
            memory, old, age, old_halflife, before.positions[:, moving], before.velocities[:, moving]
        )
        if kind != "dead":
            place, velocity = place - after.positions[:, moving], velocity - after.velocities[:, moving]
        offsets.positions[characters] = _write(remember(kind, halflife, place, velocity))

        offsets.roots[characters, :3] += (before.root_velocities - after.root_velocities) * [rig.scale, rig.scale, 1.0]
        offsets.roots[characters, 3:] = 0.0
        if settings.foot_lock and len(rig.legs):
            rise = (before.toe_heights - after.toe_heights)[:, rig.leg_contacts] * rig.scale
            rate = (before.toe_rates - after.toe_rates)[:, rig.leg_contacts] * rig.scale
            state.feet.offsets[characters, :, 1] += rise
            state.feet.offsets[characters, :, 4] += rate
    offsets.ages[characters] = 0.0


def fade_offsets(state: State, characters: np.ndarray, dt: float, settings: Settings) -> np.ndarray:
    """Let offsets fade for dt; what the root's velocity offset adds to its motion: x, z in its axes and turn (M, 3)."""
    offsets, kind, halflife = state.offsets, settings.transition, settings.transition_halflife
    age = offsets.ages[characters]
    recent = age < FORGOTTEN * halflife  # what is forgotten stays as it is: denormal numbers are slow
    some = characters[recent]
    if kind == "spring":
        for memory in (offsets.rotations, offsets.positions):
            own = memory[some]
            memory[some, :3], memory[some, 3:] = spring(own[:, :3], own[:, 3:], 0.0, halflife=halflife, dt=dt)
    elif kind == "dead":
        kept = 0.5 ** (dt / halflife)
        reach = (1 - kept) * halflife / math.log(2)  # m or rad that a velocity of 1 covers while it decays
        own = _read(offsets.rotations[some])
        turned = quaternion.multiply(from_rotation_vector(own[..., 3:] * reach), from_rotation_vector(own[..., :3]))
        own = np.concatenate([to_rotation_vector(turned), own[..., 3:] * kept], axis=-1)
        offsets.rotations[some] = _write(own)
        offsets.positions[some, :3] += offsets.positions[some, 3:] * reach
        offsets.positions[some, 3:] *= kept
    v, a = offsets.roots[some, :3], offsets.roots[some, 3:]
    motion, v, a = velocity_spring(np.zeros_like(v), v, a, desired=0.0, halflife=halflife, dt=dt)
    offsets.roots[some, :3], offsets.roots[some, 3:] = v, a
    offsets.ages[characters] = age + dt
    out = np.zeros((len(characters), 3))
    out[recent] = motion
    return out


def add_offsets(
    state: State, characters: np.ndarray, sample: Sample, moving: np.ndarray, settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    """Local positions (M, J, 3) and rotations (M, J, 4): the animated pose with what is left of transitions."""
    offsets, kind, halflife = state.offsets, settings.transition, settings.transition_halflife
    age, joints = offsets.ages[characters], sample.rotations.shape[1]
    memory = _read(offsets.rotations[characters][..., :joints])
    rotations = show_rotations(memory, kind, age, halflife, sample.rotations)
    positions = np.array(sample.positions, np.float64)
    memory = _read(offsets.positions[characters])
    positions[:, moving], _ = show_places(
        memory, kind, age, halflife, positions[:, moving], np.zeros((len(characters), len(moving), 3))
    )
    return positions, rotations


def show_rotations(memory: np.ndarray, kind: str, age: np.ndarray, halflife: float, animated: np.ndarray) -> np.ndarray:
    """The rotations (M, J, 4) that are shown for animated ones, by memory (M, J, 6)."""
    if kind == "none":
        return animated
    if kind == "dead":
        share, _ = _blend(age, halflife)
        lead = from_rotation_vector(memory[..., :3])
        mixed = lead * (1 - share) + quaternion.nearest(animated, lead) * share
        return np.where(share >= 1, animated, quaternion.normalize(mixed))
    return quaternion.multiply(from_rotation_vector(_offset(memory, kind, age)[0]), animated)


def show_angular_velocities(
    memory: np.ndarray, kind: str, age: np.ndarray, halflife: float, animated: np.ndarray, spin: np.ndarray
) -> np.ndarray:
    """The angular velocities (M, J, 3) that are shown."""
    if kind == "none":
        return spin
    if kind == "dead":
        share, rate = _blend(age, halflife)
        lead = from_rotation_vector(memory[..., :3])
        gap = to_rotation_vector(quaternion.multiply(animated, quaternion.inverse(lead)))
        return memory[..., 3:] * (1 - share) + spin * share + gap * rate
    offset, velocity = _offset(memory, kind, age)
    return quaternion.rotate(from_rotation_vector(offset), spin) + find_angular_velocity(offset, velocity)


def show_places(
    memory: np.ndarray, kind: str, age: np.ndarray, halflife: float, animated: np.ndarray, velocities: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The places (M, J, 3) that are shown, and their velocities."""
    if kind == "none":
        return animated, velocities
    if kind == "dead":
        share, rate = _blend(age, halflife)
        gap = animated - memory[..., :3]
        return memory[..., :3] + gap * share, memory[..., 3:] * (1 - share) + velocities * share + gap * rate
    offset, velocity = _offset(memory, kind, age)
    return animated + offset, velocities + velocity


def remember(kind: str, halflife: float, step: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The six numbers (M, J, 6) for the step (M, J, 3) from new to shown, and the velocity difference."""
    size = np.linalg.norm(step, axis=-1)
    if kind == "quintic":
        along = np.einsum("...i,...i->...", velocity, step) / np.where(size > 0, size, 1.0)
        speed = np.minimum(along, 0.0)  # moving away is forgotten at once
        duration = np.full_like(speed, 2 * halflife)  # a quintic is halfway after half of its time
        toward = speed < 0
        duration[toward] = np.minimum(duration[toward], -LONGEST_QUINTIC * size[toward] / speed[toward])
        velocity = np.stack([speed, duration, np.zeros_like(speed)], axis=-1)
    else:
        # the velocity that carries as far as it may: a spring's offset by v / (e w), a free pose by v halflife / ln 2
        fastest = OVERSHOOT * (math.log(2) if kind == "dead" else math.e * HALFLIFE_FACTOR) / halflife
        speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
        velocity = velocity * np.minimum(fastest / np.maximum(speed, fastest), 1.0)
    return np.concatenate([step, velocity], axis=-1)


def _offset(memory: np.ndarray, kind: str, age: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is added to triples (M, J, 3), and its velocity."""
    if kind == "spring":
        return memory[..., :3], memory[..., 3:]
    size = np.linalg.norm(memory[..., :3], axis=-1)
    now, rate = evaluate_quintic(size, memory[..., 3], memory[..., 4], np.broadcast_to(age[:, None], size.shape))
    scale = np.where(size > 0, size, 1.0)
    return memory[..., :3] * (now / scale)[..., None], memory[..., :3] * (rate / scale)[..., None]


def evaluate_quintic(x0: np.ndarray, v0: np.ndarray, t1: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Size and rate of an offset that is gone after t1 (digital humans 3.4, with a0 over t1 squared)."""
    lasting = (t < t1) & (t1 > 0)
    t1, t = np.where(lasting, t1, 1.0), np.where(lasting, t, 0.0)
    a0 = (-8 * v0 * t1 - 20 * x0) / t1**2
    a0 = np.where(a0 * v0 >= 0, 0.0, a0)
    a = -(a0 * t1**2 + 6 * v0 * t1 + 12 * x0) / (2 * t1**5)
    b = (3 * a0 * t1**2 + 16 * v0 * t1 + 30 * x0) / (2 * t1**4)
    c = -(3 * a0 * t1**2 + 12 * v0 * t1 + 20 * x0) / (2 * t1**3)
    x = ((((a * t + b) * t + c) * t + 0.5 * a0) * t + v0) * t + x0
    rate = (((5 * a * t + 4 * b) * t + 3 * c) * t + a0) * t + v0
    return np.where(lasting, x, 0.0), np.where(lasting, rate, 0.0)


def _blend(age: np.ndarray, halflife: float) -> tuple[np.ndarray, np.ndarray]:
    """How much of the new pose is shown (M, 1, 1), and its rate; half of it after a half-life."""
    u = np.minimum(age / (2 * halflife), 1.0)[:, None, None]
    return u * u * (3 - 2 * u), 6 * u * (1 - u) / (2 * halflife)


def _read(memory: np.ndarray) -> np.ndarray:
    """(M, 6, J) as (M, J, 6)."""
    return memory.astype(np.float64).transpose(0, 2, 1)


def _write(memory: np.ndarray) -> np.ndarray:
    return memory.transpose(0, 2, 1).astype(np.float32)
