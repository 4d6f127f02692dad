"""Actions of a body that stands: sit down and stand up again, and wave."""

import numpy as np

from kinematch.math import rotation
from kinematch.math.quaternion import multiply
from kinematch.motion.skeleton import Skeleton
from kinematch.synth.actions.puppet import Puppet, along_floor, curve, lean, move_arm
from kinematch.synth.gait import DEGREE
from kinematch.synth.skeleton import HIPS_HEIGHT

BACK = 0.42  # m from the ankles to the hips of one who sits
HIPS_OVER_SEAT = 0.11  # m
BOW = 46 * DEGREE  # of the trunk on the way down and up


def sit(puppet: Puppet, figure: Skeleton, seat: float, *, begins: float, sits: float, rises: float) -> Puppet:
    """Sit down on a seat of a height (m), from one time to another, and stand up after a third."""
    times, down = puppet.times, sits - begins
    ends = rises + down
    middle, other = begins + 0.62 * down, rises + 0.38 * down
    drop = HIPS_HEIGHT - HIPS_OVER_SEAT - seat
    low = curve(times, [(begins + 0.1, 0.0), (sits, 1.0), (rises + 0.15, 1.0), (ends, 0.0)])
    back = curve(times, [(begins, 0.0), (sits - 0.1, 1.0), (rises, 1.0), (ends - 0.05, 0.0)])
    stood = puppet.hips[:, 1] - HIPS_HEIGHT
    hips = puppet.hips - along_floor(puppet.facings, BACK * back) - ((drop + stood) * low)[:, None] * [0, 1, 0]
    made = puppet.with_(hips=hips)
    bow = curve(
        times,
        [(begins, 0.0), (middle, BOW), (sits + 0.25, -4 * DEGREE), (rises, -4 * DEGREE), (other, BOW),
         (ends + 0.1, 0.0)],
    )  # fmt: skip
    made = lean(made, figure, bow)
    rest = curve(times, [(begins, 0.0), (sits + 0.2, 1.0), (rises, 1.0), (ends, 0.0)])
    for side in (0, 1):  # hands on the thighs
        made = move_arm(made, figure, side, raised=14 * DEGREE * rest, elbow=52 * DEGREE * rest)
    return made


def wave(puppet: Puppet, figure: Skeleton, *, begins: float, ends: float, beats: int = 4) -> Puppet:
    """Raise the right hand, and wave it to and fro."""
    times = puppet.times
    up = curve(times, [(begins, 0.0), (begins + 0.5, 1.0), (ends - 0.5, 1.0), (ends, 0.0)])
    made = move_arm(puppet, figure, 1, out=52 * DEGREE * up, raised=18 * DEGREE * up, elbow=0.0)
    phase = np.clip((times - begins - 0.35) / (ends - begins - 0.7), 0.0, 1.0)
    beat = np.sin(2 * np.pi * beats * phase) * np.sin(np.pi * phase) ** 0.5
    rotations = made.rotations.copy()
    fore, upper = figure.joint("RightForeArm"), figure.joint("RightArm")
    # the forearm stands up from the elbow, palm ahead, and sways sideways
    rotations[:, upper] = multiply(rotations[:, upper], rotation.from_axis_angle([1, 0, 0], -100 * DEGREE * up))
    lift = rotation.from_axis_angle([0, 1, 0], (62 * DEGREE + 24 * DEGREE * beat) * up)
    rotations[:, fore] = multiply(rotations[:, fore], lift)
    return lean(made.with_(rotations=rotations), figure, 2 * DEGREE * up * beat)
