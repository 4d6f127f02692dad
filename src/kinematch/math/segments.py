"""Segments: the shortest way between two, of single numbers or of lanes."""

from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, smaller
from kinematch.math.vectors import dot

NO_SQUARE = 1e-12  # m^2, of a segment or gap without a direction


@inner
def find_gap(a, b, p, q):
    """The shortest way from segment p-q to segment a-b (Ericson, Real-Time Collision Detection 5.1.9)."""
    u, v, w = b - a, q - p, a - p
    uu, vv, uv = larger(dot(u, u), NO_SQUARE), larger(dot(v, v), NO_SQUARE), dot(u, v)
    uw, vw = dot(u, w), dot(v, w)
    s = clip((uv * vw - uw * vv) / larger(uu * vv - uv * uv, NO_SQUARE * NO_SQUARE))
    t = clip((uv * s + vw) / vv)
    s = clip((uv * t - uw) / uu)
    return w + u * s - v * t


@inner
def clip(value):
    return smaller(larger(value, 0.0), 1.0)
