"""Animation files: every picture is there, shown for the right time, and no half-written file is left."""

import itertools

import numpy as np
import pytest
from PIL import Image

from kinematch.draw.animation import animate, moving_pictures
from kinematch.draw.camera import ViewCamera
from kinematch.draw.montage import montage
from kinematch.draw.movie import write_movie
from kinematch.errors import FileError, KinematchError

SIZE = (96, 80)


def shown(path) -> tuple[list[Image.Image], float]:
    """All pictures of a file and the seconds they take together."""
    file = Image.open(path)
    pictures, total = [], 0.0
    for n in range(file.n_frames):
        file.seek(n)
        pictures.append(file.convert("RGB"))
        total += file.info["duration"]
    return pictures, total / 1000


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
@pytest.mark.parametrize("rate", [10, 24])
def test_pictures_and_duration_are_right(walking, tmp_path, suffix, rate):
    path = animate(walking, tmp_path / f"walk{suffix}", size=SIZE, frames_per_second=rate, seconds=1.5)
    pictures, total = shown(path)
    assert len(pictures) == round(1.5 * rate)
    assert abs(total - 1.5) <= 0.011  # a GIF counts hundredths of a second
    assert all(picture.size == SIZE for picture in pictures)


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
def test_a_slide_show_is_shown_a_minute_a_picture(walking, tmp_path, suffix):
    path = animate(walking.frames(0, 3).with_(frame_rate=0.0003), tmp_path / f"slow{suffix}", size=SIZE)
    pictures, seconds = shown(path)
    assert seconds == pytest.approx(60 * len(pictures))


def test_mp4_holds_every_picture(walking, tmp_path):
    reader = pytest.importorskip("imageio_ffmpeg")
    path = animate(walking, tmp_path / "walk.mp4", size=(97, 81), frames_per_second=20, seconds=1)
    count, seconds = reader.count_frames_and_secs(str(path))
    assert count == 20
    assert abs(seconds - 1) < 0.06


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".png"])
def test_a_file_shows_the_pictures_that_were_drawn(walking, tmp_path, suffix):
    options = {"size": SIZE, "frames_per_second": 10, "seconds": 1.0}
    pictures, rate = moving_pictures(walking, **options)
    drawn = list(pictures)
    assert rate == 10
    files, _ = shown(animate(walking, tmp_path / f"walk{suffix}", **options))
    for picture, file in zip(drawn, files):
        apart = np.abs(np.asarray(picture).astype(int) - np.asarray(file).astype(int))
        assert apart.mean() < 3


def test_a_clip_is_never_stretched_to_more_pictures_than_it_has(walking, tmp_path):
    pictures, total = shown(animate(walking, tmp_path / "walk.gif", size=SIZE, frames_per_second=60))
    assert len(pictures) == walking.frame_count
    assert abs(total - walking.frame_count / walking.frame_rate) < 0.011


@pytest.mark.parametrize("camera", ["follow", "fixed", ViewCamera((3, 1, 1), (0, 1, 1))])
def test_every_camera_keeps_the_body_in_the_picture(walking, camera):
    pictures, _ = moving_pictures(walking, size=SIZE, frames_per_second=5, camera=camera)
    for picture in pictures:
        pixels = np.asarray(picture).astype(int)
        limbs = np.abs(pixels[..., 2] - pixels[..., 0]) > 50
        assert limbs.mean() > 0.005


def test_progress_counts_to_the_end(walking, tmp_path):
    calls = []
    animate(
        walking, tmp_path / "a.gif", size=SIZE, frames_per_second=5, progress=lambda n, all_: calls.append((n, all_))
    )
    assert calls == [(n, 10) for n in range(1, 11)]


def test_an_interrupted_run_leaves_the_old_file_and_nothing_else(walking, tmp_path):
    path = tmp_path / "walk.gif"
    path.write_bytes(b"the old one")

    def broken():
        pictures, _ = moving_pictures(walking, size=SIZE, frames_per_second=5)
        yield from itertools.islice(pictures, 3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_movie(path, broken(), 5)
    assert path.read_bytes() == b"the old one"
    assert [p.name for p in tmp_path.iterdir()] == ["walk.gif"]


def test_overlays_reach_the_pictures(walking):
    options = {"size": SIZE, "frames_per_second": 5, "seconds": 1}
    plain = next(moving_pictures(walking, **options)[0]).tobytes()
    contacts = np.ones((walking.frame_count, 2), bool)
    for overlay in ({"trail": True}, {"caption": "walk"}, {"contacts": contacts}, {"theme": "dark"}):
        assert next(moving_pictures(walking, **options, **overlay)[0]).tobytes() != plain, overlay


def test_a_montage_puts_clips_side_by_side(walking, tmp_path):
    scenes = [(walking, 0.0), (walking, 0.5)]
    pictures, _ = shown(montage(scenes, tmp_path / "m.gif", seconds=1, tile=(60, 80), frames_per_second=10))
    assert len(pictures) == 10
    assert pictures[0].size == (120, 80)


def test_mistakes_are_named(walking, tmp_path):
    with pytest.raises(FileError, match=r"no animation format '\.avi'"):
        animate(walking, tmp_path / "walk.avi")
    with pytest.raises(KinematchError, match="no camera 'folow'; did you mean 'follow'"):
        animate(walking, tmp_path / "walk.gif", camera="folow")
    with pytest.raises(KinematchError, match="frames per second"):
        animate(walking, tmp_path / "walk.gif", frames_per_second=0)
    with pytest.raises(KinematchError, match=r"lasts 2\.000 s"):
        animate(walking, tmp_path / "walk.gif", start=9)
    with pytest.raises(KinematchError, match="expected a positive number"):
        animate(walking, tmp_path / "walk.gif", seconds=-1)
    with pytest.raises(KinematchError, match="contacts of 3 frames for a clip of 61"):
        animate(walking, tmp_path / "walk.gif", contacts=np.zeros((3, 2), bool))
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        animate(walking, tmp_path / "file" / "walk.gif", size=SIZE, seconds=0.1)
