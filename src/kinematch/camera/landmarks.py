"""Landmarks: where a pose estimator sees the points of one body, frame by frame, whichever estimator it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinematch.errors import KinematchError, unknown

# the 33 of BlazePose, in its order
NAMES = (
    *("nose", "left_eye_inner", "left_eye", "left_eye_outer", "right_eye_inner", "right_eye", "right_eye_outer"),
    *("left_ear", "right_ear", "mouth_left", "mouth_right", "left_shoulder", "right_shoulder"),
    *("left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_pinky", "right_pinky"),
    *("left_index", "right_index", "left_thumb", "right_thumb", "left_hip", "right_hip", "left_knee", "right_knee"),
    *("left_ankle", "right_ankle", "left_heel", "right_heel", "left_foot_index", "right_foot_index"),
)
REQUIRED_NAMES = ("nose", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_ankle", "right_ankle")
MAX_COORDINATE = 1000.0  # m; no estimator returns more


@dataclass(frozen=True, eq=False)
class Landmarks:
    """K landmarks of one body over F frames.

    Camera axes are ours, seen from the camera: +Y up, +Z away from it along its view, +X to its left. A frame without
    anybody has a visibility of zero everywhere.
    """

    times: np.ndarray  # (F,) s, when the pictures were taken, as far as the source knows
    places: np.ndarray  # (F, K, 3) m in camera axes, from the middle of the hips
    image: np.ndarray  # (F, K, 2) shares of the picture's width and height, from its top left corner
    visibility: np.ndarray  # (F, K) 0 to 1
    aspect: float = 16 / 9  # width of the picture by its height
    names: tuple[str, ...] = NAMES

    def __post_init__(self) -> None:
        count, shape = len(np.atleast_1d(self.times)), (len(self.names),)
        for name, own in {"times": (), "places": (*shape, 3), "image": (*shape, 2), "visibility": shape}.items():
            try:
                array = np.array(getattr(self, name), np.float64)
            except (TypeError, ValueError):
                raise KinematchError(f"landmarks: {name} are not numbers") from None
            if array.shape != (count, *own):
                raise KinematchError(f"landmarks: {name} of shape {array.shape}, expected {(count, *own)}")
            object.__setattr__(self, name, array)
        if not np.isfinite(self.times).all():
            raise KinematchError("landmarks: a time is not finite")
        if not 0.1 <= self.aspect <= 10:
            raise KinematchError(f"landmarks: aspect {self.aspect}, expected 0.1 to 10")
        for name in REQUIRED_NAMES:
            if name not in self.names:
                raise KinematchError(unknown("landmark", name, self.names))
        self._drop_what_is_not_finite()

    def _drop_what_is_not_finite(self) -> None:
        """A landmark with NaN in it was not seen."""
        together = np.concatenate([self.places, self.image], axis=-1)
        good = (np.abs(together) < MAX_COORDINATE).all(axis=-1) & np.isfinite(self.visibility)
        for name in ("places", "image"):
            object.__setattr__(self, name, np.where(good[..., None], getattr(self, name), 0.0))
        object.__setattr__(self, "visibility", np.where(good, np.clip(self.visibility, 0.0, 1.0), 0.0))

    def __len__(self) -> int:
        return len(self.times)

    def take(self, frames: np.ndarray | slice) -> "Landmarks":
        """Some of the frames."""
        changed = {name: getattr(self, name)[frames] for name in ("times", "places", "image", "visibility")}
        return replace(self, **changed)

    def find(self, names: Sequence[str]) -> np.ndarray:
        """Indices of landmarks by name."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise KinematchError(unknown("landmark", missing[0], self.names))
        return np.array([self.names.index(name) for name in names], int)

    @property
    def seen(self) -> np.ndarray:
        """(F,) whether anybody is in the picture."""
        return self.visibility.max(axis=1, initial=0.0) > 0


def find_mirror(names: tuple[str, ...]) -> np.ndarray:
    """The landmark (K,) on the other side of each one."""

    def other(name: str) -> str:
        return "_".join({"left": "right", "right": "left"}.get(part, part) for part in name.split("_"))

    return np.array([names.index(other(name)) if other(name) in names else k for k, name in enumerate(names)])


def join_landmarks(frames: Sequence[Landmarks]) -> Landmarks:
    """Frames end to end."""
    if not frames:
        raise KinematchError("no frames of landmarks")
    names = ("times", "places", "image", "visibility")
    times, places, image, visibility = (np.concatenate([getattr(one, name) for one in frames]) for name in names)
    return replace(frames[0], times=times, places=places, image=image, visibility=visibility)
