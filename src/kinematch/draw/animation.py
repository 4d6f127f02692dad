"""Moving pictures of a clip: GIF, WebP, APNG, and MP4 with the video extra."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.draw.camera import Camera, follow, frame_clip
from kinematch.draw.figure import trail_marks
from kinematch.draw.frames import Frames, frames_of
from kinematch.draw.scene import check_size, render_scene
from kinematch.draw.solid import join
from kinematch.draw.text import caption as write_caption
from kinematch.draw.theme import Theme, find_theme
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.motion.clip import Clip

SUFFIXES = (".gif", ".webp", ".png", ".mp4")
CAMERAS = ("follow", "fixed")

Progress = Callable[[int, int], None]  # frames done, frames in all


def animate(
    clip: Clip,
    path: str | Path,
    *,
    size: tuple[int, int] = (480, 360),
    frames_per_second: float = 25,
    start: float = 0.0,
    seconds: float | None = None,
    camera: str | Camera = "follow",
    azimuth: float = np.radians(-40),
    elevation: float = np.radians(10),
    contacts: np.ndarray | None = None,
    contact_joints: Sequence[int] | None = None,
    trail: bool = False,
    caption: str = "",
    theme: Theme | str = "light",
    progress: Progress | None = None,
) -> Path:
    """Write the clip as .gif, .webp, .png (APNG) or .mp4, in real time, and return the path.

    camera 'follow' goes along with the body, 'fixed' stands still and sees the whole way; a Camera stands where it is.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, unknown("animation format", path.suffix, SUFFIXES))
    pictures, total, rate = _pictures(
        clip, size=check_size(size), frames_per_second=frames_per_second, start=start, seconds=seconds, camera=camera,
        azimuth=azimuth, elevation=elevation, contacts=contacts, contact_joints=contact_joints, trail=trail,
        caption=caption, theme=find_theme(theme),
    )  # fmt: skip
    pictures = _counted(pictures, total, progress)
    write_animation(path, pictures, rate)
    return path


def _counted(pictures: Iterator[Image.Image], total: int, progress: Progress | None) -> Iterator[Image.Image]:
    for done, picture in enumerate(pictures, 1):
        yield picture
        if progress is not None:
            progress(done, total)


def _pictures(
    clip: Clip, *, size, frames_per_second, start, seconds, camera, azimuth, elevation, contacts, contact_joints, trail,
    caption, theme,
) -> tuple[Iterator[Image.Image], int, float]:  # fmt: skip
    """The pictures one by one, how many, and their true rate."""
    if not 0 < frames_per_second <= 240:
        raise KinematchError(f"{frames_per_second} frames per second, expected more than 0 and at most 240")
    if not 0 <= start <= clip.duration:
        raise KinematchError(f"start at {start} s, but the clip lasts {clip.duration:.3f} s")
    left = clip.duration - start
    seconds = left if seconds is None else min(seconds, left)
    if seconds < 0:
        raise KinematchError(f"{seconds} seconds, expected a positive number")
    rate = min(frames_per_second, clip.frame_rate)
    count = max(1, round(seconds * rate))
    times = start + np.arange(count) / rate
    indices = np.minimum(np.round(times * clip.frame_rate).astype(int), clip.frame_count - 1)
    frames = frames_of(clip, indices, contacts=contacts, contact_joints=contact_joints)
    cameras = _cameras(frames, camera, rate, size, azimuth, elevation)
    path = trail_marks(frames.hips, theme, floor_height=frames.floor_height) if trail else None

    def draw() -> Iterator[Image.Image]:
        for n in range(count):
            solids = frames.solids(n, theme)
            solids = solids if path is None else join(solids, path)
            picture = Image.fromarray(
                render_scene(solids, cameras[n], size=size, theme=theme, floor_height=frames.floor_height)
            )
            if caption:
                write_caption(picture, caption, theme)
            yield picture

    return draw(), count, rate


def _cameras(
    frames: Frames, camera: str | Camera, rate: float, size: tuple[int, int], azimuth: float, elevation: float
) -> list[Camera]:
    skeleton, count = frames.clip.skeleton, len(frames.indices)
    if isinstance(camera, Camera):
        return [camera] * count
    if camera not in CAMERAS:
        raise KinematchError(unknown("camera", camera, CAMERAS))
    if camera == "fixed":
        return [frame_clip(skeleton, frames.positions, size=size, azimuth=azimuth, elevation=elevation)] * count
    # all poses put on one spot give the closest view that never cuts a hand
    places = frames.hips * [1, 0, 1]
    around = frames.positions - places[:, None] + places[0]
    first = frame_clip(skeleton, around, size=size, azimuth=azimuth, elevation=elevation, margin=0.2)
    return follow(first, places, frame_rate=rate)


def write_animation(path: Path, pictures: Iterator[Image.Image], rate: float) -> None:
    """Write beside, then rename: an interrupted run leaves the old file whole."""
    beside = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix.lower()}")
    writers = {".gif": _write_gif, ".webp": _write_webp, ".png": _write_png, ".mp4": _write_mp4}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writers[path.suffix.lower()](beside, pictures, rate)
        os.replace(beside, path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _durations(count: int, rate: float, tick: int) -> list[int]:
    """Milliseconds of each frame in multiples of the format's tick, so that they add up to the true time."""
    edges = np.round(np.arange(count + 1) * (1000 / rate) / tick).astype(int) * tick
    return [int(d) for d in np.maximum(np.diff(edges), tick)]


def _write_gif(path: Path, pictures: Iterator[Image.Image], rate: float) -> None:
    frames = list(pictures)
    # one palette for all: from a few frames that span the clip, so that nothing flickers
    chosen = [frames[int(n)] for n in np.linspace(0, len(frames) - 1, 6)]
    montage = Image.new("RGB", (chosen[0].width, chosen[0].height * len(chosen)))
    for n, picture in enumerate(chosen):
        montage.paste(picture, (0, n * picture.height))
    palette = montage.quantize(255, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    indexed[0].save(
        path, "GIF", save_all=True, append_images=indexed[1:], duration=_durations(len(frames), rate, 10), loop=0,
        disposal=1, optimize=False,
    )  # fmt: skip


def _write_webp(path: Path, pictures: Iterator[Image.Image], rate: float) -> None:
    frames = list(pictures)
    durations = _durations(len(frames), rate, 1)
    frames[0].save(
        path, "WEBP", save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=82, method=2
    )


def _write_png(path: Path, pictures: Iterator[Image.Image], rate: float) -> None:
    frames = list(pictures)
    durations = _durations(len(frames), rate, 1)
    frames[0].save(path, "PNG", save_all=True, append_images=frames[1:], duration=durations, loop=0)


def _write_mp4(path: Path, pictures: Iterator[Image.Image], rate: float) -> None:
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg  # noqa: F401  (the writer needs it and says so less clearly)
    except ImportError as error:
        raise KinematchError("writing .mp4 needs an extra: pip install kinematch[video]") from error
    with imageio.get_writer(path, fps=rate, codec="libx264", quality=7, macro_block_size=2) as writer:
        for picture in pictures:
            writer.append_data(np.asarray(picture))
