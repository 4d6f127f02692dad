"""The frame rate that a printed frame time stands for: 0.033333 is 30 frames a second, not 30.0003."""

import re

# tried in this order, since 0.0167 is meant to be 60 even though 59.94 prints alike
WHOLE_RATES = (
    5, 10, 12, 12.5, 15, 20, 24, 25, 30, 40, 48, 50, 60, 72, 75, 80, 90, 100, 120, 125, 144, 150, 160, 180, 200,
)  # fmt: skip
FAST_RATES = (240, 250, 300, 360, 400, 480, 500, 600, 720, 960, 1000, 1200, 2000)
BROADCAST_RATES = (24000 / 1001, 30000 / 1001, 48000 / 1001, 60000 / 1001, 120000 / 1001)
ROUNDED_RATES = (23.976, 29.97, 47.952, 59.94, 119.88)


def frame_rate_from_time(printed: str) -> float:
    """Frames per second of a frame time in seconds, snapped to a common rate where the printed digits allow it."""
    seconds = float(printed)
    exact = 1 / seconds
    if abs(exact - round(exact)) < 1e-9 * exact:  # equal within float64: a whole rate was printed in full
        return float(round(exact))
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(re.sub(r"^[^.]*\.?", "", mantissa)) - int(exponent or 0)
    last = 10.0**-decimals
    for rates in (WHOLE_RATES, FAST_RATES, BROADCAST_RATES, ROUNDED_RATES, (max(1, round(exact)),)):
        # a printed time is the true one rounded (half a digit either way) or cut off (up to a digit below it)
        near = [rate for rate in rates if -last / 2 * 1.000001 <= 1 / rate - seconds < last]
        # so few digits that several rates fit say nothing, except which is nearest
        if near:
            return float(min(near, key=lambda rate: abs(1 / rate - seconds)))
    return exact
