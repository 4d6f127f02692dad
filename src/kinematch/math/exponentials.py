"""Exponentials of numbers from our own series: the same bits on every machine, which no system's library promises."""

import math

from kinematch.compile.jit import inner, replace_in_kernels
from kinematch.compile.memory import bits_to_double

HIGH = math.floor(math.log(2) * 2**32) / 2**32  # of the logarithm of 2: products with small whole numbers are exact
LOW = 1.9082149292705877e-10  # the rest of it
MAX_EXPONENT = 708.0  # beyond it, results would leave the normal numbers
BIAS, MANTISSA = 1023, 52  # of the exponent of a float64, and its place


def power_of_two(exponent):
    """Of a whole number from -1022 to 1023."""
    return math.ldexp(1.0, int(exponent))


@replace_in_kernels(power_of_two)
def _power_of_two(exponent):
    return bits_to_double((exponent + BIAS) << MANTISSA)


@inner
def expm1_near_zero(r):
    """exp(r) - 1 within half the logarithm of 2, by its series; odd and even powers side by side."""
    u = r * r
    odd = 1 / 362880 + u * (1 / 39916800 + u * (1 / 6227020800))
    odd = 1.0 + u * (1 / 6 + u * (1 / 120 + u * (1 / 5040 + u * odd)))
    even = 1 / 2 + u * (1 / 24 + u * (1 / 720 + u * (1 / 40320 + u * (1 / 3628800 + u * (1 / 479001600)))))
    return r * odd + u * even


@inner
def split(x):
    """A whole number k and r, so that exp(x) is 2 ** k * exp(r)."""
    k = math.floor(x / math.log(2) + 0.5)
    return k, (x - k * HIGH) - k * LOW


@inner
def exp(x):
    """exp(x); zero or infinity beyond MAX_EXPONENT."""
    if not abs(x) < MAX_EXPONENT:
        return x if math.isnan(x) else (0.0 if x < 0 else math.inf)
    k, r = split(x)
    return (1.0 + expm1_near_zero(r)) * power_of_two(k)


@inner
def expm1(x):
    """exp(x) - 1, to all digits where x is small."""
    if not abs(x) < MAX_EXPONENT:
        return x if math.isnan(x) else (-1.0 if x < 0 else math.inf)
    k, r = split(x)
    size = power_of_two(k)
    return expm1_near_zero(r) * size + (size - 1.0)


@inner
def halve(times):
    """0.5 ** times; zero or infinity beyond MAX_EXPONENT / log(2)."""
    if not abs(times) * math.log(2) < MAX_EXPONENT:
        return times if math.isnan(times) else (math.inf if times < 0 else 0.0)
    k = math.floor(0.5 - times)
    return (1.0 + expm1_near_zero((-times - k) * math.log(2))) * power_of_two(k)
