"""Several clips moving side by side in one picture."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from kinematch.draw.animation import moving_pictures
from kinematch.draw.movie import movie_writer, write_movie
from kinematch.motion.clip import Clip


def montage(
    scenes: Sequence[tuple[Clip, float]],
    path: str | Path,
    *,
    seconds: float = 3.0,
    tile: tuple[int, int] = (180, 260),
    frames_per_second: float = 20,
    theme: str = "light",
) -> Path:
    """Write clips, each from its own start in seconds, as tiles of one animation; the shortest sets the length."""
    path = Path(path)
    movie_writer(path)
    tiles = [
        moving_pictures(
            clip,
            size=tile,
            frames_per_second=frames_per_second,
            start=start,
            seconds=seconds,
            caption=clip.name,
            theme=theme,
        )
        for clip, start in scenes
    ]

    def rows() -> Iterator[Image.Image]:
        for pictures in zip(*(tile_pictures for tile_pictures, _ in tiles)):
            whole = Image.new("RGB", (tile[0] * len(pictures), tile[1]))
            for n, picture in enumerate(pictures):
                whole.paste(picture, (n * tile[0], 0))
            yield whole

    write_movie(path, rows(), tiles[0][1])
    return path
