"""Which tracked points have taken over their limbs, in one kernel."""

import math

from kinematch.avatar.trackers import HANDS, LEFT_HAND
from kinematch.compile.jit import kernel


@kernel
def take_points(positions, rotations, valid, fingers, weights, most, tracked):
    """Note where valid points are, and move the weights (N, 7 + 2) of points and hands' fingers on by `most`."""
    count, points = valid.shape
    for n in range(count):
        for k in range(points):
            tracked.valid[n, k] = valid[n, k]
            if valid[n, k]:
                tracked.positions[n, k] = positions[n, k]
                tracked.rotations[n, k] = rotations[n, k]
        for side in range(len(HANDS)):
            seen = len(fingers) > 0 and valid[n, LEFT_HAND + side]
            if seen:
                for value in fingers[n, side].flat:
                    seen = seen and math.isfinite(value)
            tracked.finger_valid[n, side] = seen
            if seen:
                tracked.fingers[n, side] = fingers[n, side]
        for k in range(points + len(HANDS)):
            goal = 1.0 if (valid[n, k] if k < points else tracked.finger_valid[n, k - points]) else 0.0
            step = min(max(goal - weights[n, k], -most), most)
            weights[n, k] = goal if math.isnan(weights[n, k]) else weights[n, k] + step
            share = weights[n, k] * weights[n, k] * (3 - 2 * weights[n, k])
            if k < points:
                tracked.shares[n, k] = share
            else:
                tracked.finger_shares[n, k - points] = share
