"""Feed: a camera of this machine, a video or recorded landmarks, looked at by a thread of its own, live."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np

from kinematch.camera.landmarks import Landmarks
from kinematch.camera.landmarks_file import is_landmarks, read_landmarks
from kinematch.camera.mediapipe import PoseEstimator, read_pictures
from kinematch.camera.model_file import choose_model
from kinematch.errors import FileError, KinematchError, failure

MAX_WAITING_FRAMES = 20  # frames that were not taken yet
RETRY_SECONDS = 2.0  # s after which a camera that is not there is tried again
BRIGHTNESS_STRIDE = 16  # pixels between those that are measured
NEVER_SECONDS = 1e9  # s
CAMERA_LOST = "no more pictures of the camera came: was it taken away? It is tried again until it is back"


@dataclass(frozen=True, eq=False)
class Glimpse:
    """What was found in one picture."""

    landmarks: Landmarks  # one frame, on the monotonic clock of this machine: when the landmarks were known
    people: int = 1
    brightness: float = 1.0  # 0 to 1


class CameraFeed:
    """Landmarks of a source, as they come in. Videos and recordings play in real time, again and again; a camera that
    is not there, or is taken away, is tried again."""

    def __init__(self, source: str | Path, *, model: str | Path = "", near: tuple[float, float] | None = None):
        """A webcam by its number, a video, a folder of pictures, or recorded landmarks. Raises KinematchError where
        a file or the model is not what it should be."""
        self.source = str(source)
        self.trouble = ""  # why nothing comes, in words
        self._recorded = read_landmarks(source) if is_landmarks(source) else None
        self._estimator = None if self._recorded is not None else PoseEstimator(choose_model(model), near=near)
        if not self.is_webcam and not Path(source).exists():
            raise FileError(source, "no such video, folder of pictures or landmarks; a webcam is a number, such as 0")
        self._waiting: deque[Glimpse] = deque(maxlen=MAX_WAITING_FRAMES)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kinematch camera", daemon=True)

    @property
    def is_webcam(self) -> bool:
        return self.source.isdigit()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and give camera and model back."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        if self._estimator is not None:
            self._estimator.close()

    def take(self) -> list[Glimpse]:
        """What has come in since the last call."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                for glimpse in self._look() if self._recorded is None else self._replay(self._recorded):
                    self.trouble = ""
                    self._waiting.append(glimpse)
                    if self._stopped.is_set():
                        return
                if self.is_webcam:
                    self.trouble = CAMERA_LOST
            except KinematchError as error:
                self.trouble = str(error)
            except Exception as error:  # a driver's trouble is not the avatar's
                self.trouble = f"the camera failed: {failure(error)}"
            if self.trouble:
                self._stopped.wait(RETRY_SECONDS)

    def _look(self) -> Iterator[Glimpse]:
        assert self._estimator is not None
        began = monotonic()
        with closing(read_pictures(self.source, seconds=NEVER_SECONDS if self.is_webcam else None)) as pictures:
            for time, _, picture in pictures:
                if not self.is_webcam:
                    late = monotonic() - began - time
                    if late > 0.1:
                        continue  # a slow machine sees fewer pictures, not old ones
                    self._wait(-late)
                found = self._estimator.find(picture, monotonic())
                shown = replace(found, times=np.array([monotonic()]))
                brightness = float(picture[::BRIGHTNESS_STRIDE, ::BRIGHTNESS_STRIDE].mean()) / 255
                yield Glimpse(shown, self._estimator.people, brightness)

    def _replay(self, recorded: Landmarks) -> Iterator[Glimpse]:
        began = monotonic() - recorded.times[0]
        for number, time in enumerate(recorded.times):
            self._wait(began + time - monotonic())
            frame = recorded.take(slice(number, number + 1))
            yield Glimpse(replace(frame, times=np.array([began + time])), int(frame.seen[0]))

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._stopped.wait(seconds)
