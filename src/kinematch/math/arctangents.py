"""Arctangents from our own series, so that every machine computes the same bits."""

import math

from kinematch.compile.jit import inner

EIGHTH, QUARTER = math.pi / 4, math.pi / 2  # rad


@inner
def arctan2(y, x):
    """The angle from +x to a point, in rad, between -pi and pi; 0 for the origin."""
    high, low = max(abs(x), abs(y)), min(abs(x), abs(y))
    if high == 0.0:
        return 0.0
    angle = arctan_of_unit(low / high)
    angle = QUARTER - angle if abs(y) > abs(x) else angle
    angle = math.pi - angle if x < 0 else angle
    return -angle if y < 0 else angle


@inner
def arctan_of_unit(t):
    """For t from 0 to 1; the rational approximation of Moshier (Cephes), within two units in the last place."""
    start = 0.0
    if t > 0.66:
        start, t = EIGHTH, (t - 1.0) / (t + 1.0)
    z = t * t
    p = -8.750608600031904122785e-1 * z - 1.615753718733365076637e1
    p = (p * z - 7.500855792314704667340e1) * z - 1.228866684490136173410e2
    p = p * z - 6.485021904942025371773e1
    q = (z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2
    q = (q * z + 4.328810604912902668951e2) * z + 4.853903996359136964868e2
    q = q * z + 1.945506571482613964425e2
    return start + (t * (z * (p / q)) + t)
