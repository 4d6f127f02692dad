"""MediaPipe: landmarks of a webcam, a video file or a folder of pictures (extra `camera`)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from kinematch.camera.landmarks import NAMES, Landmarks, join_landmarks
from kinematch.camera.model_file import find_model
from kinematch.errors import FileError, KinematchError

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
TO_OURS = np.array([-1.0, -1.0, 1.0])  # MediaPipe: x to the right of the picture, y down, z away from the camera
MAX_PEOPLE = 2  # looked for, so that a second one is noticed and not taken for the first
# share of the picture's width that a person moves between pictures; farther away is another person
MAX_MOVE_SHARE = 0.12
FORGET_SECONDS = 1.0  # s after which a person who has left is forgotten
HIP_LANDMARKS = [NAMES.index("left_hip"), NAMES.index("right_hip")]


class PoseEstimator:
    """MediaPipe's pose landmarker on pictures that follow each other."""

    def __init__(self, model: str | Path = "full", *, near: tuple[float, float] | None = None):
        """`near`: the place in the picture (shares of width and height) of the person to follow; else the largest."""
        path = find_model(model)
        vision, options = _import_vision()
        self.people = 0  # in the last picture
        self._before = -1
        self._place = None if near is None else np.array(near)  # of the hips of the followed person
        self._first, self._since = True, 0.0  # whether no person was followed yet; s, when one was last seen
        try:
            self._landmarker = vision.PoseLandmarker.create_from_options(
                vision.PoseLandmarkerOptions(
                    base_options=options(model_asset_path=str(path)), num_poses=MAX_PEOPLE,
                    running_mode=vision.RunningMode.VIDEO,
                )
            )  # fmt: skip
        except (RuntimeError, ValueError) as error:
            raise FileError(path, f"is not a pose model: {str(error).splitlines()[0]}") from None

    def find(self, picture: np.ndarray, time: float) -> Landmarks:
        """One frame: landmarks of the followed person in a picture (H, W, 3) uint8 RGB taken at a time (s)."""
        import mediapipe

        # it needs milliseconds that grow
        self._before = max(self._before + 1, round(time * 1000))
        image = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=np.ascontiguousarray(picture))
        found = self._landmarker.detect_for_video(image, self._before)
        self.people = len(found.pose_landmarks)
        aspect = picture.shape[1] / picture.shape[0]
        flat = [np.array([[one.x, one.y] for one in body]) for body in found.pose_landmarks]
        chosen = self._choose(flat, time)
        if chosen is None:
            none = np.zeros((1, len(NAMES)))
            return Landmarks(np.array([time]), np.zeros((1, len(NAMES), 3)), np.zeros((1, len(NAMES), 2)), none, aspect)
        world = found.pose_world_landmarks[chosen]
        places = np.array([[one.x, one.y, one.z] for one in world]) * TO_OURS
        visibility = np.array([one.visibility for one in world])
        return Landmarks(np.array([time]), places[None], flat[chosen][None], visibility[None], aspect)

    def _choose(self, bodies: list[np.ndarray], time: float) -> int | None:
        """The followed one of several bodies (33, 2); None if only others are seen."""
        if not bodies:
            return None
        places = np.array([body[HIP_LANDMARKS].mean(axis=0) for body in bodies])
        if self._place is None or (not self._first and time - self._since > FORGET_SECONDS):
            chosen = int(np.argmax([np.ptp(body[:, 1]) for body in bodies]))
        else:
            gaps = np.linalg.norm(places - self._place, axis=-1)
            chosen = int(np.argmin(gaps))
            if not self._first and gaps[chosen] > MAX_MOVE_SHARE:
                return None
        self._place, self._since, self._first = places[chosen], time, False
        return chosen

    def close(self) -> None:
        """Give the model back."""
        self._landmarker.close()


def estimate_landmarks(
    source: str | Path, *, model: str | Path = "full", start: float = 0.0, seconds: float | None = None,
    frame_rate: float = 30.0, near: tuple[float, float] | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[Landmarks, int]:  # fmt: skip
    """Landmarks of a video file, a folder of pictures (at `frame_rate`) or a webcam by its number (for `seconds`).

    Of a video, `start` (s) are skipped. `near`: where in the picture the person to follow is.
    The second result is the number of frames with more than one person in them.
    """
    pictures = read_pictures(source, frame_rate=frame_rate, start=start, seconds=seconds)
    estimator, frames, crowded = PoseEstimator(model, near=near), [], 0
    try:
        for time, total, picture in pictures:
            frames.append(estimator.find(picture, time))
            crowded += estimator.people > 1
            if progress is not None:
                progress(len(frames), total)
    finally:
        estimator.close()
        pictures.close()
    if not frames:
        raise FileError(source, "holds no picture")
    landmarks = join_landmarks(frames)
    if not landmarks.seen.any():
        raise FileError(source, f"no person is visible in {len(frames)} pictures")
    return landmarks, crowded


def read_pictures(
    source: str | Path, *, frame_rate: float = 30.0, start: float = 0.0, seconds: float | None = None
) -> Any:
    """Time (s), number of pictures if known, and picture (H, W, 3) RGB, one after another."""
    path = Path(source)
    if str(source).isdigit():
        return _watch_camera(int(str(source)), 10.0 if seconds is None else seconds)
    if path.is_dir():
        return _read_folder(path, frame_rate)
    if not path.is_file():
        raise FileError(path, "no such video, folder of pictures or landmarks; a webcam is a number, such as 0")
    return _read_video(path, start, seconds)


def _read_folder(folder: Path, frame_rate: float) -> Iterator[tuple[float, int | None, np.ndarray]]:
    from PIL import Image, UnidentifiedImageError

    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in PICTURES)
    if not files:
        raise FileError(folder, f"holds no pictures; expected {' '.join(PICTURES)}")
    for number, file in enumerate(files):
        try:
            with Image.open(file) as image:
                yield number / frame_rate, len(files), np.array(image.convert("RGB"))
        except (OSError, UnidentifiedImageError) as error:
            raise FileError(file, f"is not a picture: {error}") from None


def _read_video(path: Path, start: float, seconds: float | None) -> Iterator[tuple[float, int | None, np.ndarray]]:
    cv2 = _import_cv2()
    video = cv2.VideoCapture(str(path))
    try:
        if not video.isOpened():
            raise FileError(path, "is not a video that can be read")
        rate = video.get(cv2.CAP_PROP_FPS) or 30.0
        total = int(video.get(cv2.CAP_PROP_FRAME_COUNT)) or None
        number = 0
        while seconds is None or number / rate < start + seconds:
            good, picture = video.read()
            if not good:
                return
            if number / rate >= start:
                yield number / rate, total, picture[..., ::-1]
            number += 1
    finally:
        video.release()


def _watch_camera(number: int, seconds: float) -> Iterator[tuple[float, int | None, np.ndarray]]:
    cv2 = _import_cv2()
    camera = cv2.VideoCapture(number)
    try:
        if not camera.isOpened():
            raise KinematchError(f"no camera {number}, or another program uses it")
        started = monotonic()
        while (now := monotonic() - started) < seconds:
            good, picture = camera.read()
            if not good:  # it was taken away: go on with what there is
                return
            yield now, None, picture[..., ::-1]
    finally:
        camera.release()


def _import_vision() -> tuple[Any, Any]:
    try:
        from mediapipe.tasks.python import vision
        from mediapipe.tasks.python.core.base_options import BaseOptions
    except ImportError as error:
        raise KinematchError(
            f"landmarks of pictures need MediaPipe: pip install 'kinematch[camera]' ({error})"
        ) from None
    return vision, BaseOptions


def _import_cv2() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise KinematchError(f"videos and webcams need OpenCV: pip install 'kinematch[camera]' ({error})") from None
    return cv2
