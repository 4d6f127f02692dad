"""The pelvis over the footsteps: height, sway, rotation, drop and tilt by phase, and the idle weight shifts."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.synth import feet
from kinematch.synth.footsteps import LEAN_PLACEMENT, SIDES, Footsteps, Stances, bouts
from kinematch.synth.gait import DEGREE, GRAVITY, IDLE_WIDTH, BodyCarriage, ramp
from kinematch.synth.height import heights
from kinematch.synth.path import GroundPath, directions, smooth
from kinematch.synth.skeleton import HIP_DROP, HIP_HALF_WIDTH, HIPS_HEIGHT

ARM_LEAD_SECONDS = 0.2  # s before the first step of a run in which the arms rise
LONGEST_GAP = 1.6  # s: a slower stretch of a run, such as a sharp turn, in which the arms stay up
SIDESTEP_DROP, SIDESTEP_TURN = 3 * DEGREE, 5 * DEGREE  # of the pelvis over each loaded foot, at 1 m/s aside


@dataclass(frozen=True)
class Signals:
    """What the whole body answers to, per frame."""

    idle: np.ndarray  # (F,) 1 stands, 0 moves
    load: np.ndarray  # (F,) weight on the left foot less that on the right, -1..1
    stride: np.ndarray  # (F,) m, left foot ahead of the right one
    spread: np.ndarray  # (F,) m, left foot to the left of the right one, less the width of a stand
    aside: np.ndarray  # (F,) sidesteps to the left per m/s, -1..1
    pace: np.ndarray  # (F,) 0 at rest, 1 from a slow walk on: arms swing with a body that travels
    carriage: np.ndarray  # (F,) 1 where the body is carried for a run: shortly before it, and through its sharp turns
    lean: np.ndarray  # (F, 2) acceleration over gravity, forward and to the left


@dataclass(frozen=True)
class Pelvis:
    positions: np.ndarray  # (F, 3) m
    rotations: np.ndarray  # (F, 4)

    def hip(self, foot: int) -> np.ndarray:
        """World positions (F, 3) of one hip joint."""
        offset = np.array([SIDES[foot] * HIP_HALF_WIDTH, -HIP_DROP, 0.0])
        return self.positions + quaternion.rotate(self.rotations, offset)

    def lowered(self, by: np.ndarray) -> "Pelvis":
        """The same, lowered by depths (F,) m."""
        return Pelvis(self.positions - by[:, None] * [0.0, 1.0, 0.0], self.rotations)


def signals(path: GroundPath, both: tuple[Stances, Stances], rng: np.random.Generator) -> Signals:
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
    speeds = np.linalg.norm(path.velocities, axis=-1)
    return Signals(
        idle=idle,
        load=load + _weight_shifts(len(times), rate, rng) * idle,
        stride=smooth(np.sum(apart * ahead, -1), 0.2, rate),
        spread=smooth(np.maximum(np.sum(apart * leftward, -1) - IDLE_WIDTH, 0.0), 0.25, rate),
        aside=smooth(np.clip(path.local_velocities[:, 1], -1.0, 1.0), 0.4, rate),
        pace=smooth(ramp(speeds, 0.05, 0.5), 0.3, rate),
        carriage=_carriage(path),
        lean=np.stack([np.sum(pull * ahead, -1), np.sum(pull * leftward, -1)], -1),
    )


def _carriage(path: GroundPath) -> np.ndarray:
    """`running` from before its start and without its short gaps: a runner who turns keeps the arms up."""
    from scipy.ndimage import grey_closing, maximum_filter1d

    early, size = (2 * round(seconds * path.frame_rate / 2) + 1 for seconds in (ARM_LEAD_SECONDS, LONGEST_GAP))
    running = np.pad(path.running, size)
    soon = maximum_filter1d(running, early, origin=-(early // 2))  # the most of the frames that follow
    return smooth(grey_closing(soon, size)[size:-size], 0.3, path.frame_rate)


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


def pelvis(
    path: GroundPath, steps: Footsteps, both: tuple[Stances, Stances], posture: BodyCarriage, signal: Signals
) -> Pelvis:
    """Where the pelvis is before the legs have had their say about its height."""
    times, rate = path.times, path.frame_rate
    ahead, leftward = directions(path.facings)
    forward, _ = path.local_velocities.T
    spread = np.stack([feet.rough_places(s, times) for s in both])
    middle = (spread[0] + spread[1]) / 2 + (spread[0] - spread[1]) / 2 * signal.load[:, None]
    # feet of a body that leans stand off by the lean; what is left is the weight that goes from foot to foot
    sway = np.sum((middle - path.positions) * leftward, -1) + LEAN_PLACEMENT * HIPS_HEIGHT * signal.lean[:, 1]
    # 0.48: lateral range of 4 cm at 1.35 m/s and more when slow; a wide sidestep must not throw the body about
    sway = smooth(0.05 * np.tanh(0.48 * smooth(sway, 0.25, rate) / 0.05), 0.3, rate)
    floor = path.positions + sway[:, None] * leftward - posture.back * ahead

    swing = 1 - signal.idle
    sidestep = np.abs(signal.aside) * signal.load
    yaw = path.facings - 6.7 * DEGREE * signal.stride - SIDESTEP_TURN * sidestep
    drop = 4.6 * DEGREE * signal.load * swing + 2.0 * DEGREE * signal.load * signal.idle - 0.5 * signal.lean[:, 1]
    drop = drop + SIDESTEP_DROP * sidestep
    tilt = 3 * DEGREE * swing + 0.25 * posture.trunk + (5 * DEGREE) * path.running + 0.3 * signal.lean[:, 0]
    tilt = tilt + 1.5 * DEGREE * np.clip(np.abs(forward), 0, 1) * (np.abs(signal.load) - 0.6) * swing
    rotations = quaternion.multiply(
        rotation.from_axis_angle([0, 1, 0], yaw),
        quaternion.multiply(rotation.from_axis_angle([1, 0, 0], tilt), rotation.from_axis_angle([0, 0, 1], drop)),
    )
    level = Pelvis(np.stack([floor[:, 0], np.zeros(len(times)), floor[:, 1]], -1), rotations)
    hips = level.hip(0), level.hip(1)
    high = heights(path, steps, both, posture, hips, gathered=signal.carriage - path.running)
    return Pelvis(level.positions + high[:, None] * [0.0, 1.0, 0.0], rotations)
