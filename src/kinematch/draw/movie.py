"""Writers of moving pictures: GIF with one shared palette, WebP, APNG, and MP4 with the video extra."""

import errno
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.errors import FileError, KinematchError, unknown
from kinematch.writing import replacing

_COLOURS = 127  # with the transparent one they fit seven bits, which makes a GIF a third smaller than eight
MAX_PICTURE_MS = 60_000  # ms that a picture of a slide show stays; formats hold little more

Pictures = Iterator[Image.Image]


def write_movie(path: str | Path, pictures: Pictures, rate: float) -> None:
    """Write pictures at a rate per second; to a temporary file first, so that an interrupted run destroys nothing."""
    path = Path(path)
    writer = movie_writer(path)
    with replacing(path) as part:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(part, pictures, rate)


def movie_writer(path: Path) -> Callable[[Path, Pictures, float], None]:
    """The writer for a file's suffix."""
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise FileError(path, unknown("animation format", suffix, _WRITERS))
    return _WRITERS[suffix]


def _durations(count: int, rate: float, *, tick: int) -> list[int]:
    """Milliseconds of each picture in multiples of the format's tick, so that they add up to the true time."""
    edges = np.round(np.arange(count + 1) * (1000 / rate) / tick).astype(int) * tick
    return [int(d) for d in np.clip(np.diff(edges), tick, MAX_PICTURE_MS)]


def _write_gif(path: Path, pictures: Pictures, rate: float) -> None:
    frames = list(pictures)
    palette = _palette(frames)
    colours = (palette.getpalette() or [])[: 3 * _COLOURS]
    colours += [0] * (3 * (_COLOURS + 1) - len(colours))
    shown: np.ndarray | None = None
    indexed = []
    for frame in frames:
        pixels = np.asarray(frame.quantize(palette=palette, dither=Image.Dither.NONE))
        # what did not change since the last picture is left out: long runs of one index pack best
        changes = pixels if shown is None else np.where(pixels == shown, np.uint8(_COLOURS), pixels)
        shown = pixels
        picture = Image.frombytes("P", frame.size, changes.tobytes())
        picture.putpalette(colours)
        indexed.append(picture)
    indexed[0].save(
        path, "GIF", save_all=True, append_images=indexed[1:], duration=_durations(len(frames), rate, tick=10), loop=0,
        disposal=1, transparency=_COLOURS, optimize=False,
    )  # fmt: skip


def _palette(frames: list[Image.Image]) -> Image.Image:
    """One palette from a few moments that span the clip, so that no colour flickers."""
    chosen = [np.asarray(frames[int(n)])[::2, ::2] for n in np.linspace(0, len(frames) - 1, 6)]
    colours, counts = np.unique(np.concatenate(chosen).reshape(-1, 3), axis=0, return_counts=True)
    # a root keeps the wide backdrop from taking the colours that the small body needs
    samples = np.repeat(colours, np.ceil(counts**0.7).astype(int), axis=0)
    return Image.fromarray(samples[None]).quantize(
        _COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE
    )


def _write_webp(path: Path, pictures: Pictures, rate: float) -> None:
    frames = list(pictures)
    durations = _durations(len(frames), rate, tick=1)
    frames[0].save(
        path, "WEBP", save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=85, method=2
    )  # fmt: skip


def _write_png(path: Path, pictures: Pictures, rate: float) -> None:
    frames = list(pictures)
    durations = _durations(len(frames), rate, tick=1)
    frames[0].save(path, "PNG", save_all=True, append_images=frames[1:], duration=durations, loop=0)


def _write_mp4(path: Path, pictures: Pictures, rate: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise KinematchError("writing .mp4 needs an extra: pip install 'kinematch[video]'") from error
    writer = None
    try:
        for picture in pictures:
            even = picture.crop((0, 0, picture.width // 2 * 2, picture.height // 2 * 2))  # the codec wants whole pairs
            if writer is None:
                writer = imageio_ffmpeg.write_frames(
                    str(path), even.size, fps=rate, codec="libx264", quality=7, macro_block_size=2,
                    output_params=["-f", "mp4"], ffmpeg_log_level="quiet",
                )  # fmt: skip
                writer.send(None)
            writer.send(even.tobytes())
        if writer is not None:
            writer.close()
            imageio_ffmpeg.count_frames_and_secs(str(path))  # the encoder does not say whether it could write the end
    except (OSError, RuntimeError) as error:
        raise OSError(errno.EIO, "the video encoder failed; is the disk full?") from error
    finally:
        if writer is not None:
            writer.close()


_WRITERS: dict[str, Callable[[Path, Pictures, float], None]] = {
    ".gif": _write_gif, ".webp": _write_webp, ".png": _write_png, ".mp4": _write_mp4,
}  # fmt: skip
