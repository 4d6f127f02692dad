"""Moving pictures of a clip, in real time: GIF, WebP, APNG and MP4."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from kinematch.draw.camera import ViewCamera, follow, frame_clip
from kinematch.draw.figure import trail_marks
from kinematch.draw.frames import DrawnFrames, frames_of
from kinematch.draw.movie import movie_writer, write_movie
from kinematch.draw.scene import check_size, render_scene
from kinematch.draw.solid import join
from kinematch.draw.text import caption as write_caption
from kinematch.draw.theme import Theme, find_theme
from kinematch.errors import KinematchError, unknown
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip

CAMERAS = ("follow", "fixed")

Progress = Callable[[int, int], None]  # pictures done, pictures in all


def animate(clip: Clip, path: str | Path, **options: Any) -> Path:
    """Draw a clip as an animated .gif, .webp, .png (APNG) or .mp4, and return the path.

    Options: `size` in pixels, `frames_per_second`, `start` and `seconds` of the part to show, `camera` ("follow" or
    "fixed"), `trail`, `caption`, `theme` and more: see `kinematch.draw.animation.moving_pictures`.
    """
    path = Path(path)
    movie_writer(path)  # an unknown suffix fails before the work, not after
    pictures, rate = moving_pictures(clip, **options)
    write_movie(path, pictures, rate)
    return path


def moving_pictures(
    clip: Clip,
    *,
    size: tuple[int, int] = (480, 360),
    frames_per_second: float = 25,
    start: float = 0.0,
    seconds: float | None = None,
    camera: str | ViewCamera = "follow",
    azimuth: float = np.radians(-40),
    elevation: float = np.radians(10),
    contacts: np.ndarray | None = None,
    contact_joints: Sequence[int] | None = None,
    trail: bool = False,
    caption: str = "",
    theme: Theme | str = "light",
    progress: Progress | None = None,
) -> tuple[Iterator[Image.Image], float]:
    """The clip's pictures, drawn one by one on demand, and their rate per second.

    camera 'follow' goes along with the body, 'fixed' stands still and sees the whole way; a Camera stands where it is.
    contacts (F, K) and contact_joints as from motion.contacts mark planted feet, trail the way of the hips.
    """
    size, colours = check_size(size), find_theme(theme)
    frames = _frames(clip, frames_per_second, start, seconds, contacts, contact_joints)
    cameras = _cameras(frames, camera, size, azimuth, elevation)
    path_marks = trail_marks(frames.hips, colours, floor_height=frames.floor_height) if trail else None

    def draw(n: int) -> Image.Image:
        solids = frames.solids(n, colours)
        solids = solids if path_marks is None else join(solids, path_marks)
        pixels = render_scene(solids, cameras[n], size=size, theme=colours, floor_height=frames.floor_height)
        picture = Image.fromarray(pixels)
        if caption:
            write_caption(picture, caption, colours)
        return picture

    return _drawn(draw, len(frames.indices), progress), frames.clip.frame_rate


def _drawn(draw: Callable[[int], Image.Image], count: int, progress: Progress | None) -> Iterator[Image.Image]:
    """Pictures in order, several at a time: the kernels let go of the interpreter."""
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, count, 4 * workers):
            batch = range(first, min(first + 4 * workers, count))
            for n, picture in zip(batch, pool.map(draw, batch)):
                yield picture
                if progress is not None:
                    progress(n + 1, count)


def _frames(
    clip: Clip,
    frames_per_second: float,
    start: float,
    seconds: float | None,
    contacts: np.ndarray | None,
    contact_joints: Sequence[int] | None,
) -> DrawnFrames:
    """The asked part of the clip at the rate of the pictures, which is never higher than the clip's own."""
    if not 0 < frames_per_second <= 240:
        raise KinematchError(f"{frames_per_second} frames per second, expected more than 0 and at most 240")
    if not 0 <= start <= clip.duration:
        raise KinematchError(f"start at {start} s, expected within the clip, which lasts {clip.duration:.3f} s")
    if seconds is not None and not seconds > 0:
        raise KinematchError(f"{seconds} seconds, expected a positive number")
    if contacts is not None and len(contacts) != clip.frame_count:
        raise KinematchError(f"contacts of {len(contacts)} frames for a clip of {clip.frame_count}")
    rate = min(frames_per_second, clip.frame_rate)
    first = round(start * clip.frame_rate)
    left = (clip.frame_count - first) / clip.frame_rate
    count = max(1, round(min(left, seconds or left) * rate))
    last = min(clip.frame_count, first + int(np.ceil(count * clip.frame_rate / rate)) + 1)
    section = resample(clip.frames(first, last), rate)
    count = min(count, section.frame_count)
    if contacts is not None:
        nearest = first + np.round(np.arange(count) * clip.frame_rate / rate).astype(int)
        contacts = np.asarray(contacts)[np.minimum(nearest, clip.frame_count - 1)]
    return frames_of(section.frames(0, count), np.arange(count), contacts=contacts, contact_joints=contact_joints)


def _cameras(
    frames: DrawnFrames, camera: str | ViewCamera, size: tuple[int, int], azimuth: float, elevation: float
) -> list[ViewCamera]:
    skeleton, count = frames.clip.skeleton, len(frames.indices)
    if isinstance(camera, ViewCamera):
        return [camera] * count
    if camera not in CAMERAS:
        raise KinematchError(unknown("camera", camera, CAMERAS))
    if camera == "fixed":
        return [frame_clip(skeleton, frames.positions, size=size, azimuth=azimuth, elevation=elevation)] * count
    # all poses put on one spot give the closest view that never cuts off a hand
    places = frames.hips * [1, 0, 1]
    around = frames.positions - places[:, None] + places[0]
    first = frame_clip(skeleton, around, size=size, azimuth=azimuth, elevation=elevation, margin=0.2)
    return follow(first, places, frame_rate=frames.clip.frame_rate)
