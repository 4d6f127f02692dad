"""A perceptually uniform colour map: lightness runs in even steps while the hue turns from yellow to violet."""

import numpy as np

from kinematch.draw.theme import Theme, encoded, rgb

# from OKLab to cone responses and on to linear sRGB (Ottosson 2020, "A perceptual color space for image processing")
_LAB_TO_CONES = np.array([
    [1.0, 0.3963377774, 0.2158037573],
    [1.0, -0.1055613458, -0.0638541728],
    [1.0, -0.0894841775, -1.2914855480],
])  # fmt: skip
_CONES_TO_RGB = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])  # fmt: skip


def colours_of(shares: np.ndarray, theme: Theme) -> np.ndarray:
    """Bytes (..., 3) of values in 0..1; the low end is the one nearest to the theme's background."""
    t = np.clip(np.asarray(shares, np.float64), 0, 1)
    if sum(rgb(theme.background_bottom)) < 3 * 128:
        lightness, hue = 0.3 + 0.6 * t, np.radians(300 - 200 * t)
    else:
        lightness, hue = 0.93 - 0.6 * t, np.radians(110 + 190 * t)
    chroma = 0.06 + 0.05 * np.sin(np.pi * t)  # as vivid as the hues between allow without being cut off
    lab = np.stack([lightness, chroma * np.cos(hue), chroma * np.sin(hue)], axis=-1)
    return encoded(np.clip((lab @ _LAB_TO_CONES.T) ** 3 @ _CONES_TO_RGB.T, 0, 1))
