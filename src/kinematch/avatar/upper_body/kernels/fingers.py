"""Fingers: each bone points where the tracked finger does."""

import math

from kinematch.avatar.upper_body.kernels.vectors import normalize, slerp, unit
from kinematch.compile.jit import inner, part
from kinematch.math.kernels import cross, dot, inverse, multiply, read3, read4, rotate, subtract, write4


@part
def bend_fingers(plan, body, pose, tracked, memory, n):
    """Write the local rotations of fingers that are tracked; those that are not any more go back to the animation."""
    for k in range(plan.fingers.shape[0]):
        joint, above, side = plan.fingers[k, 0], plan.fingers[k, 1], plan.fingers[k, 2]
        share = tracked.finger_shares[n, side]
        if share <= 0:
            continue
        hand, first, second = tracked.fingers[n, side], plan.fingers[k, 3], plan.fingers[k, 4]
        start = read4(body.turns, above)
        if tracked.finger_valid[n, side]:
            bone = rotate(start, read3(plan.finger_bones, k))
            turn = multiply(_turn_between(bone, unit(subtract(read3(hand, second), read3(hand, first)), bone)), start)
            write4(memory.fingers[n], k, multiply(inverse(start), turn))
        local = multiply(inverse(read4(body.animated, above)), read4(body.animated, joint))
        local = slerp(local, read4(memory.fingers[n], k), share)
        write4(body.turns, joint, multiply(start, local))
        # joints between this one and the one above, bones of the palm, stay as they are
        parent = plan.parents[joint]
        carrier = multiply(start, multiply(inverse(read4(body.animated, above)), read4(body.animated, parent)))
        carrier = multiply(carrier, read4(plan.references, parent))
        own = multiply(read4(body.turns, joint), read4(plan.references, joint))
        write4(pose.rotations[n], joint, normalize(multiply(inverse(carrier), own)))


@inner
def _turn_between(a, b):
    """The shortest turn between unit vectors; none for opposite ones, which no finger reaches."""
    w = 1 + dot(a, b)
    if not w > 1e-6:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = cross(a, b)
    by = 1 / math.sqrt(w * w + x * x + y * y + z * z)
    return w * by, x * by, y * by, z * by
