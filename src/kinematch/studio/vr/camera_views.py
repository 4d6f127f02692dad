"""Views: what a page's camera sees, checked, and turned from MediaPipe's axes into ours."""

from dataclasses import dataclass, field

import numpy as np

from kinematch.camera.landmarks import NAMES, Landmarks
from kinematch.camera.mediapipe import TO_OURS
from kinematch.errors import KinematchError
from kinematch.stream.layout import VIEW, unpack
from kinematch.studio.vr.samples import MAX_CLOCK_SECONDS

MOST_PEOPLE = 100
MAX_DISTANCE = 1000.0  # m


@dataclass(frozen=True, eq=False)
class CameraView:
    """A picture's landmarks, and what else is known of it."""

    landmarks: Landmarks  # one frame, on the clock of the user's trackers
    people: int = 1
    brightness: float = 1.0  # 0 to 1
    spot: np.ndarray = field(
        default_factory=lambda: np.zeros(3)
    )  # (3,) m, where a user without trackers enters the room
    own: bool = True  # of the page's camera, not of the server's

    @property
    def time(self) -> float:
        return float(self.landmarks.times[0])


def read_view(data: bytes) -> CameraView:
    """The view of a page's message; raises ValueError when it is none. Landmarks that make no sense are not seen."""
    header, arrays = unpack(VIEW, data)
    count = header["landmarks"]
    if count not in (0, len(NAMES)) or header["people"] > MOST_PEOPLE:
        raise ValueError(f"{count:.0f} landmarks of {header['people']:.0f} people, expected 0 or {len(NAMES)}")
    if not 0 <= header["time"] <= MAX_CLOCK_SECONDS:
        raise ValueError(f"a view of time {header['time']}, expected seconds from 0 to {MAX_CLOCK_SECONDS:g}")
    spot = np.array([header["x"], 0.0, header["z"]])
    if not (np.abs(spot) < MAX_DISTANCE).all() or not 0 <= header["brightness"] <= 1:
        raise ValueError(f"a view at {spot} of brightness {header['brightness']}, expected metres, and 0 to 1")
    if count:
        places, image, visibility = arrays["places"] * TO_OURS, arrays["image"], arrays["visibility"]
    else:
        places, image, visibility = (np.zeros((len(NAMES), *own)) for own in ((3,), (2,), ()))
    try:
        landmarks = Landmarks(
            np.array([header["time"]]), places[None], image[None], visibility[None], float(header["aspect"])
        )
    except KinematchError as error:
        raise ValueError(str(error)) from None
    return CameraView(landmarks, int(header["people"]), float(header["brightness"]), spot)
