"""The pelvis over the footsteps: height, sway, rotation, drop and tilt by phase, and the idle weight shifts."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import maximum_filter1d

from kinematch.math import quaternion, rotation
from kinematch.synth import feet, gait
from kinematch.synth.footsteps import SIDES, Footsteps, Stances, bouts
from kinematch.synth.gait import DEGREE, GRAVITY, Posture
from kinematch.synth.path import Path, directions, smooth
from kinematch.synth.skeleton import HIP_DROP, HIP_HALF_WIDTH

RUN_KNEE = 48 * DEGREE  # mid-stance flexion of a run
STRIKE_KNEE, RUN_STRIKE_KNEE = 9 * DEGREE, 25 * DEGREE
LOADED_KNEE = 20 * DEGREE  # half way from the strike of a walk to mid-stance
FLIGHT_RISE = 0.04  # m from landing to the top of the flight of a run
STRAIGHTEST = 6 * DEGREE  # a planted leg bends at least this much: the pelvis gives way, not the knee


TOP = 0.37  # share of the swing at which the body passes over the other foot


@dataclass(frozen=True)
class Signals:
    """What the whole body answers to, per frame."""

    idle: np.ndarray  # (F,) 1 stands, 0 moves
    load: np.ndarray  # (F,) weight on the left foot less that on the right, -1..1
    stride: np.ndarray  # (F,) m, left foot ahead of the right one
    lean: np.ndarray  # (F, 2) acceleration over gravity, forward and to the left


@dataclass(frozen=True)
class Pelvis:
    positions: np.ndarray  # (F, 3) m
    rotations: np.ndarray  # (F, 4)

    def hip(self, foot: int) -> np.ndarray:
        """World positions (F, 3) of one hip joint."""
        offset = np.array([SIDES[foot] * HIP_HALF_WIDTH, -HIP_DROP, 0.0])
        return self.positions + quaternion.rotate(self.rotations, offset)


def signals(path: Path, both: tuple[Stances, Stances], rng: np.random.Generator) -> Signals:
    """Read the footsteps as smooth signals."""
    times, rate = path.times, path.frame_rate
    idle = np.ones(len(times))
    for start, stop in bouts(path):
        idle[max(0, start - round(0.2 * rate)) : stop + round(0.3 * rate)] = 0
    left, right = (smooth(feet.loads(s, times), 0.42, rate) for s in both)
    load = (left - right) / np.maximum(left + right, 0.2)  # both small only in the long flight of a sprint
    ahead, leftward = directions(path.facings)
    apart = feet.rough_places(both[0], times) - feet.rough_places(both[1], times)
    pull = smooth(path.accelerations, 0.4, rate) / GRAVITY
    idle = smooth(idle, 0.8, rate)
    return Signals(
        idle=idle,
        load=load + _weight_shifts(len(times), rate, rng) * idle,
        stride=smooth(np.sum(apart * ahead, -1), 0.2, rate),
        lean=np.stack([np.sum(pull * ahead, -1), np.sum(pull * leftward, -1)], -1),
    )


def _weight_shifts(frames: int, frame_rate: float, rng: np.random.Generator) -> np.ndarray:
    """A person who stands moves the weight every 5 to 15 s."""
    values, at = np.zeros(frames), 0
    level = rng.uniform(-0.2, 0.2)
    while at < frames:
        stop = at + round(rng.uniform(5.0, 12.0) * frame_rate)
        values[at:stop] = level
        level = -np.sign(level) * rng.uniform(0.25, 0.6)
        at = stop
    return smooth(values, 1.6, frame_rate)


def pelvis(path: Path, steps: Footsteps, both: tuple[Stances, Stances], posture: Posture, signal: Signals) -> Pelvis:
    """Where the pelvis is before the legs have had their say about its height."""
    times, rate = path.times, path.frame_rate
    ahead, leftward = directions(path.facings)
    forward, _ = path.local_velocities.T
    spread = np.stack([feet.rough_places(s, times) for s in both])
    middle = (spread[0] + spread[1]) / 2 + (spread[0] - spread[1]) / 2 * signal.load[:, None]
    sway = np.sum((smooth(middle, 0.2, rate) - path.positions) * leftward, -1)
    # 0.42: lateral range of 4 cm at 1.35 m/s and more when slow; a wide sidestep must not throw the body about
    sway = 0.05 * np.tanh(0.42 * sway / 0.05)
    floor = path.positions + sway[:, None] * leftward - posture.back * ahead

    swing = 1 - signal.idle
    yaw = path.facings - 6.7 * DEGREE * signal.stride
    drop = 4.6 * DEGREE * signal.load * swing + 2.0 * DEGREE * signal.load * signal.idle - 0.5 * signal.lean[:, 1]
    tilt = 3 * DEGREE * swing + 0.25 * posture.trunk + (3 * DEGREE) * path.running + 0.3 * signal.lean[:, 0]
    tilt = tilt + 1.5 * DEGREE * np.clip(np.abs(forward), 0, 1) * (np.abs(signal.load) - 0.6) * swing
    rotations = quaternion.multiply(
        rotation.from_axis_angle([0, 1, 0], yaw),
        quaternion.multiply(rotation.from_axis_angle([1, 0, 0], tilt), rotation.from_axis_angle([0, 0, 1], drop)),
    )
    level = Pelvis(np.stack([floor[:, 0], np.zeros(len(times)), floor[:, 1]], -1), rotations)
    heights = _heights(path, steps, both, posture, level)
    return Pelvis(level.positions + heights[:, None] * [0.0, 1.0, 0.0], rotations)


def _heights(
    path: Path, steps: Footsteps, both: tuple[Stances, Stances], posture: Posture, level: Pelvis
) -> np.ndarray:
    """Knots at landings, mid-stances and flights, each at the height that gives the loaded knee its flexion."""
    times, rate = path.times, path.frame_rate
    ankle = float(feet.ankle_in_plane(np.array(posture.heel), np.array(0.0))[1])
    stand = HIP_DROP + ankle + float(gait.leg_length(posture.idle_knee)) - 0.004
    hips = level.hip(0), level.hip(1)
    knots, values = [times[0] - 1.0, times[-1] + 1.0], [stand, stand]

    def put(when: float, height: float) -> None:
        knots.append(when)
        values.append(height)

    def over(when: float, side: int, knee: float, *, pitch: float = posture.heel, apart: float = 0.6) -> float:
        """Height over a planted foot that is at most so far apart (m)."""
        stance = both[side]
        index = feet.stance_index(stance, np.array([when + 1e-6]))  # a landing belongs to its own stance
        ankle = feet.planted_ankle(stance, index, np.array([pitch]), np.zeros(1))[0]
        hip = [np.interp(when, times, hips[side][:, axis]) for axis in range(3)]
        reach = float(gait.leg_length(knee))
        apart = min(np.hypot(hip[0] - ankle[0], hip[2] - ankle[2]), apart, 0.8 * reach)
        return ankle[1] + np.sqrt(reach**2 - apart**2) - hip[1]

    bent = float(gait.ramp(posture.knee, 12 * DEGREE, 40 * DEGREE))
    for start, stop in bouts(path):
        mine = np.flatnonzero((steps.lands >= start / rate) & (steps.lands <= (stop + 0.5 * rate) / rate))
        put(steps.lifts[mine[0]] - 0.35, stand)
        put(steps.lands[mine[-1]] + 0.4, stand)
        for step in mine:
            side, lift, land = steps.feet[step], steps.lifts[step], steps.lands[step]
            run = float(np.interp((lift + land) / 2, times, path.running))
            sideways = float(np.interp(land, times, np.abs(path.local_velocities[:, 1])))
            speed = float(np.interp(land, times, np.linalg.norm(path.velocities, axis=-1)))
            top = lift + (TOP + 0.1 * run) * (land - lift)
            knee = posture.knee + max(RUN_KNEE - posture.knee, 0) * run + 12 * DEGREE * sideways * (1 - run)
            highest = over(top, 1 - side, knee, apart=0.16)
            put(top, highest)
            strike_knee = STRIKE_KNEE + (14 * sideways + 10 * max(speed - 1.3, 0.0)) * DEGREE
            strike_knee += (RUN_STRIKE_KNEE - strike_knee) * run
            strike = over(land, side, strike_knee, pitch=float(feet.strike_pitch(path, np.array(land), posture)))
            put(land, strike + (highest - 0.015 - strike) * bent)
            if step == mine[-1]:
                continue
            if run < 0.5:
                after = land + 0.55 * (
                    steps.lifts[step + 1] + TOP * (steps.lands[step + 1] - steps.lifts[step + 1]) - land
                )
                loaded = over(after, side, LOADED_KNEE)
                put(after, loaded + (highest - 0.007 - loaded) * bent)
            elif steps.lifts[step + 1] < land - 0.03:
                put((steps.lifts[step + 1] + land) / 2, strike + FLIGHT_RISE)
    order = np.argsort(knots)
    clock, heights = np.array(knots)[order], np.array(values)[order]
    distinct = np.concatenate([[True], np.diff(clock) > 0.03])  # a stand too short to be reached between two bouts
    return smooth(PchipInterpolator(clock[distinct], heights[distinct])(times), 0.12, rate)


def lowered(path: Path, body: Pelvis, both: tuple[Stances, Stances], ankles: tuple[np.ndarray, np.ndarray]) -> Pelvis:
    """Let the pelvis down, smoothly, wherever a planted leg would be over-stretched."""
    excess = np.zeros(len(path.facings))
    longest = float(gait.leg_length(STRAIGHTEST))
    for foot in (0, 1):
        hip = body.hip(foot)
        apart = np.hypot(hip[:, 0] - ankles[foot][:, 0], hip[:, 2] - ankles[foot][:, 2])
        highest = ankles[foot][:, 1] + np.sqrt(np.maximum(longest**2 - apart**2, 0.1))
        planted = feet.loads(both[foot], path.times) > 0
        excess = np.maximum(excess, np.where(planted, hip[:, 1] - highest, 0.0))
    # the average over a window no wider than that of the maximum is nowhere below the excess
    window = 0.2
    size = 2 * round(window * path.frame_rate / 2) + 3
    give = smooth(maximum_filter1d(excess, size, mode="nearest"), window, path.frame_rate)
    return Pelvis(body.positions - give[:, None] * [0.0, 1.0, 0.0], body.rotations)
