"""The walker: from a path over the floor to a whole clip, with the exact truth about contacts and root."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clip import Clip, Origin
from kinematch.synth import arms, feet, gait, legs, swing, upper
from kinematch.synth.feet import Roll
from kinematch.synth.footsteps import CLEARANCE, SIDES, Stances, plan, stances
from kinematch.synth.gait import DEGREE, UPRIGHT, BodyCarriage
from kinematch.synth.height import overstretch
from kinematch.synth.path import GroundPath, directions, path_through
from kinematch.synth.pelvis import pelvis, signals
from kinematch.synth.roll import roll
from kinematch.synth.skeleton import skeleton


@dataclass(frozen=True, eq=False)
class SynthClip:
    """A clip and what is true of it by construction."""

    clip: Clip
    contacts: np.ndarray  # (F, 2) bool, left and right foot has a planted point
    pivots: np.ndarray  # (F, 2) int8, that point: -1 none, 0 heel, 1 toe joint, 2 toe tip
    root_positions: np.ndarray  # (F, 3) m, the path on the floor
    root_directions: np.ndarray  # (F, 3) where the body faces


def walk(
    path: GroundPath,
    posture: BodyCarriage = UPRIGHT,
    *,
    seed: int | list[int] = 0,
    name: str = "walk",
    tags: frozenset[str] = frozenset(),
) -> SynthClip:
    """Walk (or run, strafe, turn, stand) along a path; one that no person could follow is refused."""
    _check(path, posture)
    rng = np.random.default_rng(seed)
    times = path.times
    steps = plan(path, posture, rng)
    both = stances(steps, 0), stances(steps, 1)
    signal = signals(path, both, rng)
    body = pelvis(path, steps, both, posture, signal)
    rolls = roll(path, both[0], body.hip(0), posture), roll(path, both[1], body.hip(1), posture)
    indices = [feet.stance_index(foot, times) for foot in both]
    planted = [feet.ankle_at(*of, times) for of in zip(both, rolls, indices)]
    body = body.lowered(overstretch(path, both, [body.hip(0), body.hip(1)], planted))
    places = [feet.rough_places(foot, times) for foot in both]
    limbs = []
    for foot in (0, 1):
        hips = body.hip(foot)
        outward = SIDES[foot] * directions(path.facings)[1]
        around = swing.Around(times, hips, path.facings, outward, places[1 - foot])
        leg = swing.solve(both[foot], rolls[foot], _swings(path, both[foot], posture), around)
        limbs.append(legs.rotations(leg, hips, path.facings))
    breathing = upper.breath(path, rng)
    figure = skeleton()
    rotations = quaternion.identity((len(times), figure.joint_count))
    parts = upper.trunk(path, body.rotations, posture, signal, breathing)
    parts |= arms.arms(path, posture, signal, breathing)
    parts["Hips"] = body.rotations
    for side, limb in zip(("Left", "Right"), limbs):
        above = body.rotations
        for joint, turn in zip(("UpLeg", "Leg", "Foot", "Toe"), limb):
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
        Origin(format="synth"),
    )
    return _with_truth(clip, path, both, rolls)


def _check(path: GroundPath, posture: BodyCarriage) -> None:
    forward, left = path.local_velocities.T
    speeds = np.hypot(forward, left)
    rates = np.abs(path.turn_rates)
    limits = (
        (speeds, gait.top_speed(forward, left, posture), "m/s in direction {direction:.0f} degrees of the facing"),
        (rates, np.full(len(rates), gait.FASTEST_TURN), "rad/s of turning"),
        (speeds * rates, np.full(len(rates), gait.STRONGEST_PULL), "m/s^2 in a curve"),
    )
    for values, most, unit in limits:
        f = int(np.argmax(values - most))
        # a tenth more is the ripple of smoothing, not a wish
        if values[f] > 1.1 * most[f] + 0.05:
            unit = unit.format(direction=np.degrees(np.arctan2(left[f], forward[f])))
            raise KinematchError(
                f"at {path.times[f]:.2f} s the path asks for {values[f]:.2f} {unit}; "
                f"at most {most[f]:.2f} can be walked in posture {posture.name!r}"
            )


def walk_along(
    points: ArrayLike,
    speed: float = 1.35,
    *,
    posture: BodyCarriage = UPRIGHT,
    frame_rate: float = 60.0,
    seed: int = 0,
    name: str = "walk_along",
) -> Clip:
    """A clip of a person who goes through floor points (N, 2) in x and z, from a stand to a stand."""
    return walk(path_through(points, speed, frame_rate=frame_rate), posture, seed=seed, name=name).clip


def _with_truth(clip: Clip, path: GroundPath, both: tuple[Stances, Stances], rolls: tuple[Roll, Roll]) -> SynthClip:
    times = path.times
    contacts = np.stack([feet.loads(s, times) > 0 for s in both], -1)
    pivots = np.stack([_pivots(s, r, times) for s, r in zip(both, rolls)], -1)
    ahead, _ = directions(path.facings)
    flat = np.zeros(len(times))
    return SynthClip(
        clip,
        contacts,
        np.where(contacts, pivots, -1).astype(np.int8),
        np.stack([path.positions[:, 0], flat, path.positions[:, 1]], -1),
        np.stack([ahead[:, 0], flat, ahead[:, 1]], -1),
    )


def _pivots(foot: Stances, roll: Roll, times: np.ndarray) -> np.ndarray:
    index = feet.stance_index(foot, times)
    tip = feet.toe_pitch(foot, roll, index, times) < 0
    # below a tenth of a degree the whole sole lies on the floor, and the toe joint stands for it
    return np.where(feet.pitch(foot, roll, index, times) > 0.1 * DEGREE, 0, np.where(tip, 2, 1))


def _swings(path: GroundPath, foot: Stances, posture: BodyCarriage) -> swing.Swings:
    """How high each swing goes."""
    middle = np.clip((foot.lifts[:-1] + foot.lands[1:]) / 2, 0, path.times[-1])
    forward = np.interp(middle, path.times, path.local_velocities[:, 0])
    running = np.interp(middle, path.times, path.running)
    along = gait.ramp(np.abs(forward), 0.0, 1.3)
    backward = gait.ramp(-forward, 0.0, 0.6)
    walk_peak = (42 + 20 * along * (1 - backward) + 4 * np.clip(forward - 1.3, 0, 1)) * DEGREE
    peak = walk_peak * (1 - running) + (90 + 10 * (forward - 2.5)) * DEGREE * running
    peak = np.minimum(np.maximum(peak, posture.knee + 22 * DEGREE), 135 * DEGREE)
    when = (0.34 + 0.12 * (1 - along) + 0.2 * along * backward) * (1 - running) + 0.42 * running
    hang = gait.ramp(forward, 0.1, 0.9) * (0.4 if posture.heel < 0 else 1.0)
    return swing.Swings(peak, when, hang, 0.015 + 0.01 * running, CLEARANCE * (1 - 0.5 * running))
