"""Feet: locked toes stay put, swinging toes clear the ground, and the pelvis is lowered where a leg is too short.

Thesis 4.3, with toes locked along the ground only: their heights are those of the clip, so that they roll as there.
Arrays are (M, L, ...) for M characters and L legs.
"""

from typing import NamedTuple

import numpy as np

from kinematch.character import constants as c
from kinematch.character.rig import Rig
from kinematch.character.settings import Settings
from kinematch.character.source import Sample
from kinematch.character.stages.legs import aim_legs, bend_leg, find_rotation_between, measure_legs, measure_shortfall
from kinematch.character.stages.pose import find_global_pose
from kinematch.character.state import State
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector
from kinematch.math.spring import omega, spring


class Ground(NamedTuple):
    """The terrain under M characters."""

    heights: np.ndarray  # (M, 1 + L) m, under the root and each toe
    normals: np.ndarray  # (M, L, 3) under each toe


class ToePlan(NamedTuple):
    """What is known of each toe before it is moved."""

    heights: np.ndarray  # (M, L) m, target height; without foot lock an offset to the animated height
    rests: np.ndarray  # (M, L) m, where it stands
    rises: np.ndarray  # (M, L) m, of the ground under it above the root
    contacts: np.ndarray  # (M, L) bool
    stays: np.ndarray  # (M, L) bool, the contact goes on long enough to lock
    farthest: np.ndarray  # (M, L) m from its animated place at which it is freed
    refused: np.ndarray  # (M, L) bool


def stand_on_ground(state: State, characters: np.ndarray, ground: Ground, dt: float, settings: Settings) -> np.ndarray:
    """Roots and toes follow the ground's height, smoothed; how far (M,) roots rose in this step."""
    feet, halflife = state.feet, settings.ground_halflife
    halflives = np.array([halflife, *[c.TOE_GROUND_SHARE * halflife] * (ground.heights.shape[1] - 1)])
    x, v = spring(
        feet.grounds[characters, :, 0], feet.grounds[characters, :, 1], ground.heights, halflife=halflives, dt=dt
    )
    feet.grounds[characters] = np.stack([x, v], axis=-1)
    rise = x[:, 0] - state.playing.positions[characters, 1]
    state.playing.positions[characters, 1] = x[:, 0]
    upward = np.maximum(ground.normals[..., 1], 1e-6)
    slopes = np.clip(-ground.normals[..., [0, 2]] / upward[..., None], -c.STEEPEST, c.STEEPEST)
    own = feet.slopes[characters]
    x, v = spring(
        own[..., :2], own[..., 2:], slopes, halflife=halflife, dt=dt
    )  # smoothed: at the edge of a step the slope is undefined
    feet.slopes[characters] = np.concatenate([x, v], axis=-1)
    return rise


def plant_feet(
    state: State, characters: np.ndarray, rig: Rig, sample: Sample, positions: np.ndarray, rotations: np.ndarray,
    dt: float, settings: Settings, on_terrain: bool,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Local positions (M, J, 3) and rotations (M, J, 4) of the pose whose feet are planted."""
    if not len(rig.legs):
        return positions, rotations
    feet = state.feet
    global_positions, global_rotations = find_global_pose(rig, positions, rotations)
    legs = measure_legs(rig, global_positions, settings)
    plan = _plan_toes(state, characters, rig, sample, settings, on_terrain)
    toes = legs.toes
    velocities = np.nan_to_num((toes - feet.toes[characters].astype(np.float64)) * (1 / dt if dt > 0 else 0.0))
    velocities[..., 1] = 0.0
    places = feet.places[characters].astype(np.float64)
    offsets, rates = np.split(feet.offsets[characters].astype(np.float64), 2, axis=-1)

    # lock and free: what is out of reach now, the pelvis as low as it is, is let go
    shift, _ = _shift_ankles(state, characters, legs, places, offsets, on_terrain)
    sunk = feet.pelvis[characters, None, :1] * [0.0, 1.0, 0.0]
    shortfall = measure_shortfall(legs.vectors + shift + sunk, legs)
    before = toes - velocities * dt  # offsets are those of the last step until they move on
    rests = _find_rests(before + offsets, velocities + rates, settings)
    caught, freed, locked = _hold_toes(state, characters, legs, plan, velocities, places, rests, shortfall, settings)

    places, offsets, rates = _move_places(
        toes, before, places, rests, offsets, rates, velocities, caught, freed, locked
    )
    heights = plan.heights + (0.0 if settings.foot_lock else toes[..., 1])
    lift = _lift_toes(state, characters, plan.rests, heights, velocities + rates, locked, dt, settings)
    places[..., 1] = heights + lift
    offsets, rates = _fade_toe_offsets(offsets, rates, locked, dt, settings)
    feet.places[characters], feet.offsets[characters] = places, np.concatenate([offsets, rates], axis=-1)
    feet.toes[characters] = np.stack([toes[..., 0], heights, toes[..., 2]], axis=-1)

    # the pelvis comes down for locked toes that their legs hardly reach
    shift, slopes = _shift_ankles(state, characters, legs, places, offsets, on_terrain)
    wanted = legs.vectors + shift
    reach = np.maximum(c.RESISTS * legs.longest, legs.lengths)
    flat = wanted[..., 0] ** 2 + wanted[..., 2] ** 2
    depths = np.where(locked, -wanted[..., 1] - np.sqrt(np.maximum(reach**2 - flat, 0.0)), 0.0)
    depth = _lower_pelvis(state, characters, depths, dt, settings)
    positions = np.array(positions)
    positions[:, rig.parents == 0, 1] -= depth[:, None]
    global_positions[:, 1:, 1] -= depth[:, None]

    wanted[..., 1] += depth[:, None]
    shift = shift + depth[:, None, None] * [0.0, 1.0, 0.0]
    aims = aim_legs(state, characters, legs, wanted, shift, slopes, plan.rises, dt, settings)
    rotations = np.array(rotations)
    for leg in range(len(rig.legs)):
        bend_leg(rig, leg, aims, rotations, global_positions, global_rotations)
    return positions, rotations


def _plan_toes(
    state: State, characters: np.ndarray, rig: Rig, sample: Sample, settings: Settings, on_terrain: bool
) -> ToePlan:
    feet, ground = state.feet, state.playing.positions[characters, 1][:, None]
    rises = feet.grounds[characters, 1:, 0] - ground if on_terrain else np.zeros((len(characters), len(rig.legs)))
    rests = ground + rig.toe_rests + rises
    heights = rises  # added to the animated toe, unless locks take the clip's height, which blending does not lower
    if settings.foot_lock:
        heights = rests + rig.scale * sample.toe_heights[:, rig.leg_contacts]
    idle = state.schedule.idle[characters][:, None]
    offsets = feet.offsets[characters].astype(np.float64)
    arrived = np.hypot(offsets[..., 0], offsets[..., 2]) < c.ARRIVED
    stepping = idle & _find_step_over(feet.locked[characters], arrived, feet.places[characters], feet.toes[characters])
    # a toe that has stepped over while its character idles is held again, where the leg reaches
    again = idle & arrived & (feet.shortfalls[characters, :, 0] < c.LETS_GO)
    return ToePlan(
        heights=heights, rests=rests, rises=rises,
        contacts=sample.soon_contacts[:, rig.leg_contacts],
        stays=sample.soon_contact_left[:, rig.leg_contacts] >= c.SHORTEST_STANCE,
        farthest=np.where(stepping, min(settings.unlock_distance, c.STEP_OVER), settings.unlock_distance),
        refused=feet.refused[characters] & ~again,
    )  # fmt: skip


def _find_step_over(locked: np.ndarray, arrived: np.ndarray, places: np.ndarray, toes: np.ndarray) -> np.ndarray:
    """Which toe (M, L) may step to where its clip stands: the farthest off, unless another is still on its way."""
    with np.errstate(invalid="ignore"):
        far = np.nan_to_num(np.hypot(places[..., 0] - toes[..., 0], places[..., 2] - toes[..., 2]))
    farthest = np.arange(far.shape[1]) == far.argmax(axis=1)[:, None]
    return farthest & (far > 0) & (locked & arrived).all(axis=1, keepdims=True)


def _find_rests(shown: np.ndarray, velocities: np.ndarray, settings: Settings) -> np.ndarray:
    """Where (M, L, 3) toes that are shown somewhere with a velocity come to rest if they are caught: ahead, so that
    they do not slide back afterwards."""
    return shown + velocities / float(omega(settings.lock_halflife))


def _hold_toes(
    state: State, characters: np.ndarray, legs, plan: ToePlan, velocities: np.ndarray, places: np.ndarray,
    rests: np.ndarray, shortfall: np.ndarray, settings: Settings,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Which toes are caught, which are freed, and which are held then.

    They are freed at the end of their contact, and where they are too far, too fast, too twisted or out of reach;
    caught if their contact stays for a while, they would not come to rest too far away, and they were not freed in it,
    or have stepped over since.
    """
    feet = state.feet
    locked, headings = feet.locked[characters], feet.headings[characters].astype(np.float64)
    gap, foot = legs.toes - places, legs.feet
    size = np.hypot(foot[..., 0], foot[..., 2])
    far = np.hypot(gap[..., 0], gap[..., 2]) > plan.farthest
    fast = np.hypot(velocities[..., 0], velocities[..., 2]) > settings.unlock_speed
    twist = np.cos(settings.unlock_angle) if settings.unlock_angle < np.pi else -2.0
    twisted = foot[..., 0] * headings[..., 0] + foot[..., 2] * headings[..., 1] < twist * size
    freed = locked & (far | fast | twisted | (shortfall > c.LETS_GO) | ~plan.contacts)
    ahead = rests - legs.toes
    near = np.hypot(ahead[..., 0], ahead[..., 2]) <= plan.farthest
    caught = ~locked & plan.contacts & plan.stays & ~plan.refused & near
    if not settings.foot_lock:
        freed, caught = locked, np.zeros_like(locked)
    locked = (locked | caught) & ~freed
    pointing = foot[..., [0, 2]] / np.maximum(size, 1e-15)[..., None]
    feet.headings[characters] = np.where(caught[..., None], pointing, headings)
    feet.locked[characters], feet.refused[characters] = locked, plan.contacts & (plan.refused | freed)
    return caught, freed, locked


def _move_places(
    toes: np.ndarray, before: np.ndarray, places: np.ndarray, rests: np.ndarray, offsets: np.ndarray,
    rates: np.ndarray, velocities: np.ndarray, caught: np.ndarray, freed: np.ndarray, locked: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Target places of toes along the ground, and the offsets that keep the shown toes continuous."""
    caught, freed, locked = caught[..., None], freed[..., None], locked[..., None]
    jump = np.where(caught, before - rests, np.where(freed, places - before, 0.0))
    new_places = np.where(caught, rests, np.where(locked, places, toes))
    new_rates = rates + (caught.astype(float) - freed) * velocities
    ground = np.array([True, False, True])  # heights are the clip's
    return new_places, np.where(ground, offsets + jump, offsets), np.where(ground, new_rates, rates)


def _lift_toes(
    state: State, characters: np.ndarray, rests: np.ndarray, heights: np.ndarray, velocities: np.ndarray,
    locked: np.ndarray, dt: float, settings: Settings,
) -> np.ndarray:  # fmt: skip
    """By how much (M, L) toes are raised: those that move must not scrape along."""
    lift = np.zeros_like(heights)
    if settings.foot_lock:
        brisk = np.minimum(np.hypot(velocities[..., 0], velocities[..., 2]) / c.BRISK, 1.0)
        lift = np.where(locked, 0.0, np.maximum(rests + settings.clearance * brisk - heights, 0.0))
    own = state.feet.lifts[characters].astype(np.float64)
    x, v = spring(own[..., 0], own[..., 1], lift, halflife=settings.lock_halflife, dt=dt)
    state.feet.lifts[characters] = np.stack([x, v], axis=-1)
    return x


def _fade_toe_offsets(
    offsets: np.ndarray, rates: np.ndarray, locked: np.ndarray, dt: float, settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    """Springs draw toes to their places. That of a freed toe is softened to keep its acceleration below HARDEST_PULL,
    but not below SOFTEST_SPRING of its stiffness: a softer one overshoots."""
    w = float(omega(settings.unlock_halflife))
    far, speed = np.hypot(offsets[..., 0], offsets[..., 2]), np.hypot(rates[..., 0], rates[..., 2])
    hard = w * (w * far + 2 * speed) > c.HARDEST_PULL
    soft = c.HARDEST_PULL / np.maximum(speed + np.sqrt(speed**2 + c.HARDEST_PULL * far), 1e-9)
    stiffness = np.where(hard, np.maximum(soft, c.SOFTEST_SPRING * w), w)
    stiffness = np.where(locked, float(omega(settings.lock_halflife)), stiffness)[..., None]
    return spring(offsets, rates, 0.0, halflife=float(omega(1.0)) / stiffness, dt=dt)


def _shift_ankles(
    state: State, characters: np.ndarray, legs, places: np.ndarray, offsets: np.ndarray, on_terrain: bool
) -> tuple[np.ndarray, np.ndarray]:
    """How far (M, L, 3) ankles move for toes to be in place, and how feet turn (M, L, 4): as the slope asks, the less
    the higher they are."""
    shift = places - legs.toes + offsets
    slopes = quaternion.identity(shift.shape[:2], np.float64)
    if on_terrain:
        feet = state.feet
        above = places[..., 1] + offsets[..., 1] - feet.grounds[characters, 1:, 0]
        share = np.clip(1 - above / c.TILT_HEIGHT, 0.0, 1.0)
        lean = feet.slopes[characters]
        up = np.broadcast_to([0.0, 1.0, 0.0], shift.shape)
        normal = np.stack([-lean[..., 0], np.ones_like(above), -lean[..., 1]], axis=-1)
        turn = 2 * find_rotation_between(up, normal)[..., 1:]  # its rotation vector, nearly
        slopes = from_rotation_vector(turn * share[..., None])
        shift = shift + legs.feet - quaternion.rotate(slopes, legs.feet)
    return shift, slopes


def _lower_pelvis(
    state: State, characters: np.ndarray, depths: np.ndarray, dt: float, settings: Settings
) -> np.ndarray:
    """How much lower (M,) the body is, for what its legs (M, L) need."""
    if not settings.pelvis:
        return np.zeros(len(characters))
    target = np.clip(depths.max(axis=1, initial=0.0), 0.0, c.DEEPEST)
    own = state.feet.pelvis[characters].astype(np.float64)
    x, v = spring(own[:, 0], own[:, 1], target, halflife=settings.pelvis_halflife, dt=dt)
    state.feet.pelvis[characters] = np.stack([x, v], axis=-1)
    return np.where(np.abs(x) > c.UNSEEN, x, 0.0)
