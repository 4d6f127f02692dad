"""Text on pictures, in the font that pillow carries."""

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from kinematch.draw.theme import Theme, rgb


@lru_cache
def font(pixels: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(pixels)


def write(
    draw: ImageDraw.ImageDraw,
    place: tuple[float, float],
    text: str,
    *,
    colour: str,
    size: int = 14,
    anchor: str = "la",
    halo: str | None = None,
) -> None:
    """Text at a pixel; the anchor is pillow's two letters (l m r for across, a m s for down)."""
    draw.text(
        place,
        text,
        font=font(size),
        fill=rgb(colour),
        anchor=anchor,
        stroke_width=0 if halo is None else max(1, size // 8),
        stroke_fill=None if halo is None else rgb(halo),
    )


def text_width(text: str, size: int = 14) -> float:
    return font(size).getlength(text)


def caption(picture: Image.Image, text: str, theme: Theme) -> None:
    """A line of text in the lower left corner, sized to the picture."""
    size = max(11, round(picture.height / 30))
    pad = round(0.8 * size)
    write(
        ImageDraw.Draw(picture),
        (pad, picture.height - pad),
        text,
        colour=theme.ink,
        size=size,
        anchor="ls",
        halo=theme.background_bottom,
    )
