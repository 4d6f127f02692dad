"""The colours of a picture, light or dark, and the way from sRGB to the linear light that shading adds up in."""

from dataclasses import dataclass

import numpy as np

from kinematch.errors import KinematchError, unknown


@dataclass(frozen=True)
class Theme:
    """Colours as '#rrggbb'."""

    background_top: str
    background_bottom: str
    floor: str
    grid: str
    body: str
    left: str
    right: str
    left_arm: str  # lighter than the legs, so that a hand shows before a thigh
    right_arm: str
    joints: str
    accent: str  # contacts, arrows, trails
    ink: str  # text and axes
    faint: str  # secondary text, rulings
    series: tuple[str, ...]  # of charts, in order


LIGHT = Theme(
    background_top="#dfe5ec",
    background_bottom="#eef1f4",
    floor="#f6f7f8",
    grid="#c3cbd4",
    body="#d8d3cb",
    left="#4a82d6",
    right="#ea813a",
    left_arm="#7fabeb",
    right_arm="#f5ad76",
    joints="#8d939c",
    accent="#18a777",
    ink="#27313d",
    faint="#7d8896",
    series=("#3b73c8", "#e57a2e", "#18a777", "#b4479b", "#8a7a24", "#d1495b", "#4aa3b5", "#6b5fc7"),
)
DARK = Theme(
    background_top="#12161c",
    background_bottom="#1a2028",
    floor="#232a34",
    grid="#3d4857",
    body="#c9c4bc",
    left="#4b86de",
    right="#ec853f",
    left_arm="#80afee",
    right_arm="#f6b07b",
    joints="#767d88",
    accent="#2fd09a",
    ink="#e8ecf1",
    faint="#8a95a3",
    series=("#6aa3f5", "#f5985a", "#3fd6a2", "#d879c2", "#cfb94a", "#f0707f", "#6cc7da", "#9d92f0"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(theme: Theme | str) -> Theme:
    """A theme, or one of THEMES by name."""
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise KinematchError(unknown("theme", theme, THEMES))
    return THEMES[theme]


def rgb(colour: str) -> tuple[int, int, int]:
    """'#rrggbb' as three bytes."""
    digits = colour.removeprefix("#")
    try:
        value = int(digits, 16)
    except ValueError:
        value = -1
    if len(digits) != 6 or value < 0:
        raise KinematchError(f"colour {colour!r}, expected '#rrggbb'")
    return value >> 16, (value >> 8) & 255, value & 255


def linear(colour: str) -> np.ndarray:
    """'#rrggbb' as linear light (3,) in 0..1 (the sRGB transfer function, IEC 61966-2-1)."""
    s = np.array(rgb(colour)) / 255
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def encoded(light: np.ndarray) -> np.ndarray:
    """Linear light in 0..1 as sRGB bytes: the inverse of linear."""
    s = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(s * 255).astype(np.uint8)


def encoding_table(size: int = 4096) -> np.ndarray:
    """sRGB bytes (size,) of evenly spaced linear light: a table, since a power per pixel would cost most of a frame."""
    return encoded((np.arange(size) + 0.5) / size)
