"""Jumps from a stand: a dip, a push off the toes, a flight that is a parabola, a landing that gives, and a stand."""

from dataclasses import dataclass

import numpy as np

from kinematch.motion.skeleton import Skeleton
from kinematch.synth.actions.puppet import Puppet, along_floor, curve, lean, move_arm
from kinematch.synth.gait import DEGREE, GRAVITY, ramp
from kinematch.synth.legs import Leg
from kinematch.synth.path import directions
from kinematch.synth.skeleton import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT

HEEL_RISE = 0.16  # s before the toes leave, in which the heels do
TOE_OFF, TOE_DOWN = -52 * DEGREE, -22 * DEGREE  # pitch of the foot as it leaves and as it lands
EXTENDED, LANDED, LANDED_FAR = 0.07, 0.015, -0.045  # m of the hips above their stand as toes leave and land
FULL_SWING_METRES = 1.2  # m: a jump from a stand that takes the whole swing


@dataclass(frozen=True)
class Leap:
    """A jump from a stand, and its moments in seconds of the clip."""

    distance: float = 0.0  # m ahead
    flight: float = 0.42  # s
    dip: float = 0.24  # m
    tuck: float = 0.06  # m that the legs are drawn up in flight
    stands: float = 0.7
    dips: float = 1.12
    leaves: float = 1.38
    give: float = 0.2  # s from the landing to the lowest point
    recover: float = 0.6  # s from there to the stand

    @property
    def lands(self) -> float:
        return self.leaves + self.flight

    @property
    def gives(self) -> float:
        return self.lands + self.give

    @property
    def ends(self) -> float:
        return self.gives + self.recover


def jump(puppet: Puppet, figure: Skeleton, leap: Leap) -> Puppet:
    """Have a standing body jump."""
    times, far = puppet.times, min(leap.distance / FULL_SWING_METRES, 1.0)
    landed = LANDED + (LANDED_FAR - LANDED) * far
    # a flight between unlike heights: its two rates differ by what gravity does in its time
    drift, pull = (landed - EXTENDED) / leap.flight, GRAVITY * leap.flight / 2
    height = curve(
        times,
        [(leap.stands, 0.0), (leap.dips, -leap.dip), (leap.leaves, EXTENDED, drift + pull),
         (leap.lands, landed, drift - pull), (leap.gives, -0.8 * leap.dip), (leap.ends, 0.0)],
    )  # fmt: skip
    # the hips are ahead of the feet as these leave, and behind them as they land
    before, after = 0.26 * far, 0.20 * far
    speed = (leap.distance - before - after) / leap.flight
    along = curve(
        times,
        [(leap.stands, 0.0), (leap.dips, -0.04 * far), (leap.leaves, before, speed),
         (leap.lands, leap.distance - after, speed), (leap.gives + 0.1, leap.distance + 0.03 * far),
         (leap.ends, leap.distance)],
    )  # fmt: skip
    both = fly_foot(puppet, 0, leap, height, along), fly_foot(puppet, 1, leap, height, along)
    flying = (times > leap.leaves) & (times < leap.lands)
    puppet = puppet.with_(
        hips=puppet.hips + along_floor(puppet.facings, along) + height[:, None] * [0, 1, 0],
        legs=both,
        contacts=puppet.contacts & ~flying[:, None],
    )
    return swing_upper_body(puppet, figure, leap, far)


def fly_foot(puppet: Puppet, foot: int, leap: Leap, height: np.ndarray, along: np.ndarray) -> Leg:
    """Heels rise before the toes leave; in flight the foot goes with the hips, drawn up; it lands on its ball."""
    leg, times, leaves, lands = puppet.legs[foot], puppet.times, leap.leaves, leap.lands
    share = np.clip((times - leaves) / leap.flight, 0.0, 1.0)
    pitch = curve(
        times,
        [(leaves - HEEL_RISE, 0.0), (leaves, TOE_OFF, -3.0), (leaves + 0.1, TOE_OFF - 4 * DEGREE),
         (lands - 0.05, TOE_DOWN), (lands, TOE_DOWN, 1.5), (lands + 0.09, 0.0)],
    )  # fmt: skip
    hang = height - np.interp(share, [0, 1], np.interp([leaves, lands], times, height))
    rise = np.where((share > 0) & (share < 1), hang + leap.tuck * np.sin(np.pi * share) ** 2, 0.0)
    first, last = np.interp([leaves, lands], times, along)
    swung = along - first + (leap.distance - last + first) * ramp(times, leaves, lands)
    way = np.where(share <= 0, 0.0, np.where(share >= 1, leap.distance, swung))
    stood = leg.ankles[0] + reach_ball(leg.yaws[:1], np.zeros(1))[0]
    balls = stood + along_floor(puppet.facings, way) + rise[:, None] * [0, 1, 0]
    curled = ramp(times, leaves, leaves + 0.12) * (1 - ramp(times, lands - 0.08, lands))
    return Leg(balls - reach_ball(leg.yaws, pitch), leg.yaws, pitch, -pitch * (1 - 0.75 * curled))


def reach_ball(yaws: np.ndarray, pitches: np.ndarray) -> np.ndarray:
    """From the ankle to the ball of a foot that is turned and pitched."""
    ahead, _ = directions(yaws)
    low = BALL_HEIGHT - ANKLE_HEIGHT
    along = BALL_AHEAD * np.cos(pitches) - low * np.sin(pitches)
    up = BALL_AHEAD * np.sin(pitches) + low * np.cos(pitches)
    return np.stack([along * ahead[:, 0], up, along * ahead[:, 1]], -1)


def swing_upper_body(puppet: Puppet, figure: Skeleton, leap: Leap, far: float) -> Puppet:
    """The trunk bends in the dip and in the landing; the arms go back, and then up ahead."""
    times, middle = puppet.times, (leap.leaves + leap.lands) / 2
    bow = curve(
        times,
        [(leap.stands, 0.0), (leap.dips, (34 + 10 * far) * DEGREE), (leap.leaves + 0.02, (4 + 8 * far) * DEGREE),
         (middle, (8 + 14 * far) * DEGREE), (leap.lands, (16 + 14 * far) * DEGREE),
         (leap.gives, (34 + 6 * far) * DEGREE), (leap.ends, 0.0)],
    )  # fmt: skip
    swing = curve(
        times,
        [(leap.stands, 0.0), (leap.dips - 0.02, -48 * DEGREE), (leap.leaves, 78 * DEGREE, 4.0), (middle, 98 * DEGREE),
         (leap.lands, 62 * DEGREE, -2.5), (leap.gives + 0.05, 12 * DEGREE), (leap.ends, 0.0)],
    )  # fmt: skip
    elbow = curve(
        times,
        [(leap.stands, 0.0), (leap.dips, 12 * DEGREE), (leap.leaves, 45 * DEGREE), (leap.lands, 25 * DEGREE),
         (leap.gives, 30 * DEGREE), (leap.ends, 0.0)],
    )  # fmt: skip
    puppet = lean(puppet, figure, bow)
    for side in (0, 1):
        puppet = move_arm(puppet, figure, side, raised=swing, elbow=elbow, out=0.12 * np.abs(np.sin(swing)))
    return puppet
