"""A walk over a step up or down, and a walk under a bar."""

from dataclasses import replace

import numpy as np

from kinematch.motion.clip import true_ranges
from kinematch.motion.skeleton import Skeleton
from kinematch.synth.actions.puppet import Puppet, curve, lean, move_arm
from kinematch.synth.gait import DEGREE, ramp
from kinematch.synth.path import smooth

CLEAR = 0.07  # m that a swinging foot is carried above the step, besides what it is in a walk


def walk_over_step(puppet: Puppet, figure: Skeleton, height: float, *, after: float) -> tuple[Puppet, float, str]:
    """Raise all stances after a time by a height; a step down has a negative one, and begins that high above the floor.

    Also when the first foot lands on the other side, in seconds, and which foot.
    """
    times, rate = puppet.times, puppet.frame_rate
    landings = [
        (start / rate, foot)
        for foot in (0, 1)
        for start, _ in true_ranges(puppet.contacts[:, foot])
        if start / rate > after
    ]
    lands, leading = min(landings)
    follows = min(time for time, foot in landings if foot != leading)
    legs, up = [], max(height, 0.0)
    for foot in (0, 1):
        leg, first = puppet.legs[foot], min(time for time, one in landings if one == foot)
        down = np.flatnonzero(puppet.contacts[:, foot] & (times < first))[-1]  # the last frame on the lower floor
        share = np.clip((times - times[down]) / (first - times[down]), 0.0, 1.0)
        # up early and down late, so that the foot clears the edge
        raised = height * (ramp(share, 0.0, 0.75) if height > 0 else ramp(share, 0.4, 1.0))
        clear = (CLEAR + 0.25 * up) * np.sin(np.pi * share) ** 2
        legs.append(replace(leg, ankles=leg.ankles + (raised + clear)[:, None] * [0, 1, 0]))
    # weight goes over to the first foot that is on the step; going down, the body sinks before it lands
    begins, ends = (lands, follows + 0.12) if height > 0 else (lands - 0.28, lands + 0.12)
    rise = smooth(height * ramp(times, begins, ends), 0.12, rate)
    hips = puppet.hips + rise[:, None] * [0, 1, 0]
    above = max(-height, 0.0) * np.array([0.0, 1.0, 0.0])
    raised_legs = tuple(replace(leg, ankles=leg.ankles + above) for leg in legs)
    made = puppet.with_(hips=hips + above, legs=raised_legs)
    bow = curve(times, [(lands - 0.4, 0.0), (lands, 3 * DEGREE + 22 * DEGREE * abs(height)), (ends + 0.5, 0.0)])
    return lean(made, figure, bow), lands, ("left", "right")[leading]


def duck(puppet: Puppet, figure: Skeleton, depth: float, *, from_: float, to: float) -> Puppet:
    """Walk with bent knees and a bent back between two times, lower by a depth at the hips."""
    times = puppet.times
    low = curve(times, [(from_ - 0.6, 0.0), (from_, 1.0), (to, 1.0), (to + 0.6, 0.0)])
    made = puppet.with_(hips=puppet.hips - (depth * low)[:, None] * [0, 1, 0])
    made = lean(made, figure, 56 * DEGREE * low)
    for side in (0, 1):
        made = move_arm(made, figure, side, raised=25 * DEGREE * low, elbow=40 * DEGREE * low)
    return made
