"""The walker: from a path over the floor to a whole clip, with the exact truth about contacts and root."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from kinematch.math import quaternion
from kinematch.motion.clip import Clip, Source
from kinematch.synth import feet, gait, legs, upper
from kinematch.synth.feet import Roll
from kinematch.synth.footsteps import Stances, plan, stances
from kinematch.synth.gait import DEGREE, UPRIGHT, Posture
from kinematch.synth.path import Path, directions, path_through
from kinematch.synth.pelvis import lowered, pelvis, signals
from kinematch.synth.skeleton import skeleton


@dataclass(frozen=True, eq=False)
class SynthClip:
    """A clip and what is true of it by construction."""

    clip: Clip
    contacts: np.ndarray  # (F, 2) bool, left and right foot has a planted point
    toe_contacts: np.ndarray  # (F, 2) bool, that point is the toe joint (otherwise the heel)
    root_positions: np.ndarray  # (F, 3) m, the path on the floor
    root_directions: np.ndarray  # (F, 3) where the body faces


def walk(
    path: Path,
    posture: Posture = UPRIGHT,
    *,
    seed: int | list[int] = 0,
    name: str = "walk",
    tags: frozenset[str] = frozenset(),
) -> SynthClip:
    """Walk (or run, strafe, turn, stand) along a path."""
    rng = np.random.default_rng(seed)
    times = path.times
    steps = plan(path, posture, rng)
    both = stances(steps, 0), stances(steps, 1)
    signal = signals(path, both, rng)
    body = pelvis(path, steps, both, posture, signal)
    rolls = _roll(path, both[0], body.hip(0), posture), _roll(path, both[1], body.hip(1), posture)
    planted = []
    for foot in (0, 1):
        index = feet.stance_index(both[foot], times)
        planted.append(feet.planted_ankle(both[foot], index, feet.pitch(both[foot], rolls[foot], index, times)))
    body = lowered(path, body, both, (planted[0], planted[1]))
    limbs = [
        legs.leg(both[foot], rolls[foot], _swing(path, both[foot], posture), body.hip(foot), path.facings, times)
        for foot in (0, 1)
    ]
    breathing = upper.breath(path, rng)
    figure = skeleton()
    rotations = quaternion.identity((len(times), figure.joint_count))
    parts = upper.trunk(path, body.rotations, posture, signal, breathing)
    parts |= upper.arms(path, posture, signal, breathing)
    parts["Hips"] = body.rotations
    for side, limb in zip(("Left", "Right"), limbs):
        above = body.rotations
        for joint, turn in (("UpLeg", limb.thighs), ("Leg", limb.shanks), ("Foot", limb.feet), ("Toe", limb.toes)):
            parts[side + joint] = quaternion.multiply(quaternion.inverse(above), turn)
            above = turn
    for joint, turn in parts.items():
        if joint != "chest":
            rotations[:, figure.joint(joint)] = turn
    positions = np.tile(figure.offsets.astype(float), (len(times), 1, 1))
    positions[:, 0] = body.positions
    clip = Clip(
        figure,
        positions,
        quaternion.unroll(rotations),
        path.frame_rate,
        name,
        tags,
        Source(format="synth"),
    )
    return _with_truth(clip, path, both, rolls)


def walk_along(
    points: np.ndarray,
    speed: float = 1.35,
    *,
    posture: Posture = UPRIGHT,
    frame_rate: float = 60.0,
    seed: int = 0,
    name: str = "walk_along",
) -> Clip:
    """A clip of a person who goes through floor points (N, 2) in x and z, from a stand to a stand."""
    return walk(path_through(points, speed, frame_rate=frame_rate), posture, seed=seed, name=name).clip


def _with_truth(clip: Clip, path: Path, both: tuple[Stances, Stances], rolls: tuple[Roll, Roll]) -> SynthClip:
    times = path.times
    contacts = np.stack([feet.loads(s, times) > 0 for s in both], -1)
    toes = np.stack(
        [feet.pitch(s, r, feet.stance_index(s, times), times) <= 0.1 * DEGREE for s, r in zip(both, rolls)], -1
    )
    ahead, _ = directions(path.facings)
    flat = np.zeros(len(times))
    return SynthClip(
        clip,
        contacts,
        contacts & toes,
        np.stack([path.positions[:, 0], flat, path.positions[:, 1]], -1),
        np.stack([ahead[:, 0], flat, ahead[:, 1]], -1),
    )


def _roll(path: Path, foot: Stances, hips: np.ndarray, posture: Posture) -> Roll:
    """How the foot rolls in each stance, by the speed and direction at its ends."""
    forward, left = path.local_velocities.T
    land = np.clip(foot.lands, 0, path.times[-1])
    lift = np.clip(foot.lifts, 0, path.times[-1])

    def at(when: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.interp(when, path.times, x)

    stance = np.minimum(foot.lifts - foot.lands, 1.2)
    running = at(land, path.running)
    tiptoe = posture.heel < 0
    ahead = np.clip(at(land, forward) / 1.2, -1.0, 1.0)
    strike = np.where(ahead > 0, 18 * DEGREE, 14 * DEGREE) * ahead * (1 - 0.85 * running)
    strike = strike * (1 - 0.5 * gait.ramp(posture.knee, 20 * DEGREE, 90 * DEGREE))
    flat = np.full(len(land), posture.heel)
    away = np.clip(at(lift, forward) / 1.2, -1.0, 1.0)
    knee = posture.knee + (26 * DEGREE * np.clip(np.abs(away), 0.3, 1)) * (1 - gait.ramp(posture.knee, 0.2, 0.9))
    knee = knee * (1 - at(lift, path.running)) + 24 * DEGREE * at(lift, path.running)
    rise = legs.lift_pitch(foot, CubicSpline(path.times, hips)(lift), knee, np.full(len(land), 14 * DEGREE))
    rise = np.where(away < 0, rise * (1 + away) + 10 * DEGREE * -away, rise)
    settle = np.minimum(np.where(running > 0.5, 0.06, 0.1), 0.3 * stance)
    return Roll(
        strike=flat - 6 * DEGREE * np.abs(ahead) if tiptoe else strike,
        flat=flat,
        lift=np.minimum(rise, flat - 18 * DEGREE) if tiptoe else rise,
        settle=settle,
        rise=np.minimum(0.42 * stance, 0.3) + 0.1 * stance * at(lift, path.running),
    )


def _swing(path: Path, foot: Stances, posture: Posture) -> legs.Swing:
    """How high each swing goes."""
    middle = np.clip((foot.lifts[:-1] + foot.lands[1:]) / 2, 0, path.times[-1])
    forward, left = (np.interp(middle, path.times, x) for x in path.local_velocities.T)
    running = np.interp(middle, path.times, path.running)
    along = gait.ramp(np.abs(forward), 0.0, 1.3)
    walk_peak = (42 + 20 * along + 4 * np.clip(np.abs(forward) - 1.3, 0, 1)) * DEGREE
    peak = walk_peak * (1 - running) + (90 + 10 * (forward - 2.5)) * DEGREE * running
    peak = np.minimum(np.maximum(peak, posture.knee + 22 * DEGREE), 135 * DEGREE)
    when = (0.34 + 0.12 * (1 - along)) * (1 - running) + 0.42 * running
    return legs.Swing(peak, when, np.full(len(middle), 0.015) + 0.01 * running)
