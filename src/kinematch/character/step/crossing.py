"""Crossing: a swinging leg that comes into the other one is pushed away from it."""

from kinematch.character import constants as c
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, smaller, where
from kinematch.math.segments import NO_SQUARE, find_gap
from kinematch.math.vectors import Vector, dot, vector


@inner
def push_legs_apart(data, here, n, by):
    """Accelerate the toes of swinging legs along the ground, away from where shanks and feet, taken as capsules, are
    inside one another. The spring that draws a toe to its animated place brings it back."""
    rig, feet = data.rig, data.feet
    x = z = 0.0 * here.whole[0]
    for i in range(2):
        for j in range(2):
            touch = (c.SHANK_RADIUS if i == 0 else c.FOOT_RADIUS) + (c.SHANK_RADIUS if j == 0 else c.FOOT_RADIUS)
            gap = find_gap(
                here.positions[rig.legs[0, 1 + i]], here.positions[rig.legs[0, 2 + i]],
                here.positions[rig.legs[1, 1 + j]], here.positions[rig.legs[1, 2 + j]],
            )  # fmt: skip
            square = dot(gap, gap)
            depth = larger((touch + c.TOUCHES) * here.whole[0] - square * inverse_root(larger(square, NO_SQUARE)), 0.0)
            scale = inverse_root(larger(gap.x * gap.x + gap.z * gap.z, NO_SQUARE))
            x, z = x + depth * gap.x * scale, z + depth * gap.z * scale
    size = inverse_root(larger(x * x + z * z, NO_SQUARE))
    pull = smaller(c.PUSHES_APART, c.HARDEST_PUSH * size) * by.dt
    for k in range(2):
        sign = pull if k == 0 else -pull
        swings = where(feet.locked[n][k], 0.0 * x, sign)
        rate = vector(feet.rates[n][k])
        feet.rates[n][k] = Vector(rate.x + swings * x, rate.y, rate.z + swings * z)
