"""The camera alone, live: joints of a body from its landmarks, frame by frame."""

from collections import deque
from dataclasses import replace

import numpy as np

from kinematch.avatar.calibration import DEFAULT_HEIGHT
from kinematch.avatar.velocities import Poses
from kinematch.camera.alone import NOSE_SHARE, find_lowest, find_poses, find_stance, pick_pair
from kinematch.camera.follower import Follower
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.one_euro import OneEuro
from kinematch.camera.pose import CameraPose
from kinematch.camera.projection import FIELD_OF_VIEW, MIN_VISIBILITY, locate_bodies

WINDOW_FRAMES = 200  # frames from which pitch and size are found: 10 s at 20 frames a second
FIT_INTERVAL = 10  # frames between two such fits
UPDATE_SHARE = 0.2  # of a new fit that is taken over, after the first
ORIGIN_FRAMES = 10  # frames that are averaged for the origin of the user's space
MEDIAN_FRAMES = 3  # frames, of which the middle one is taken: a picture in which the estimator fails


class LiveBody:
    """`find_joints` for a live stream, from the frames so far: a body in a world with +Z towards the
    camera and its origin where the body was first seen.

    A person with feet outside the picture is assumed to stand; hips that are not seen are not tracked.
    """

    def __init__(
        self, *, height: float = DEFAULT_HEIGHT, field_of_view: float = FIELD_OF_VIEW, pitch: float | None = None
    ):
        """`height` (m) of the person, `field_of_view` (rad) across the picture, `pitch` (rad) where it is known."""
        self.world: np.ndarray | None = None  # (K, 3) m, landmarks of the last frame
        self.pose = CameraPose(np.pi, np.zeros(3), pitch or 0.0)
        self._height, self._field_of_view, self._pitch = height, field_of_view, pitch
        self._upright: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=WINDOW_FRAMES)
        self._count = 0  # of frames in which all of a body was seen
        self._recent: deque[np.ndarray] = deque(maxlen=MEDIAN_FRAMES)
        self._places: list[np.ndarray] = []
        self._origin = np.zeros(3)
        self._follower = Follower()
        self._floor, self._points = OneEuro(slowest=1.0, beta=0.0), OneEuro()

    def see(self, frame: Landmarks) -> Poses | None:
        """Joints in a frame of landmarks, as poses of one sample; None where no body is seen."""
        self.world = None
        place = locate_bodies(frame, self._field_of_view)[0]
        nose = frame.find(("nose",))[0]
        visibility, time = frame.visibility[0], float(frame.times[0])
        if np.isnan(place[0]) or visibility[nose] < MIN_VISIBILITY or not self._follower.accepts(place, time):
            return None
        body = frame.places[0] + place
        stands = bool(visibility[[*pick_pair(frame, "hip"), *pick_pair(frame, "ankle")]].min() > MIN_VISIBILITY)
        if stands:
            self._measure(frame, body, visibility)
        self._recent.append(self.pose.to_world(body))
        world = np.median(self._recent, axis=0)
        lowest = find_lowest(world[None], visibility[None])[0] if stands else world[nose, 1] - NOSE_SHARE * self._height
        world[:, 1] -= self._floor.smooth(time, np.array([lowest]))
        if len(self._places) < ORIGIN_FRAMES:
            self._places.append(world[pick_pair(frame, "hip")].mean(axis=0) * [1, 0, 1])
            self._origin = np.median(self._places, axis=0)
        self.world = self._points.smooth(time, world - self._origin)
        return find_poses(frame, self.world[None], visibility[None], frame.times)

    def _measure(self, frame: Landmarks, body: np.ndarray, visibility: np.ndarray) -> None:
        """Update pitch and size from the last frames: both improve the longer a person is seen."""
        self._upright.append((body, visibility))
        self._count += 1
        if self._count > FIT_INTERVAL and self._count % FIT_INTERVAL:
            return
        bodies, seen = (np.array(part) for part in zip(*self._upright))
        found = find_stance(frame, bodies, seen, self._height, self._pitch)
        share = 1.0 if self._count <= FIT_INTERVAL else UPDATE_SHARE
        mixed = {
            name: (1 - share) * getattr(self.pose, name) + share * getattr(found, name) for name in MEASURED_FIELDS
        }
        self.pose = replace(self.pose, **mixed)


MEASURED_FIELDS = ("pitch", "scale")
