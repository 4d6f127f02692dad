"""The camera alone, live: joints of a body from its landmarks, frame by frame."""

from collections import deque
from dataclasses import replace

import numpy as np

from kinematch.avatar.calibration import HEIGHT
from kinematch.avatar.velocities import Poses
from kinematch.camera.alone import NOSE_SHARE, SEEN, find_lowest, find_poses, find_stance, pick_pair
from kinematch.camera.follower import Follower
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.one_euro import OneEuro
from kinematch.camera.pose import CameraPose
from kinematch.camera.projection import FIELD_OF_VIEW, LEAST_VISIBILITY, locate_bodies

WINDOW = 200  # frames that tell pitch and size: 10 s at 20 frames a second
EVERY = 10  # frames between two findings of them
SHARE = 0.2  # of a new finding that is taken over, once there is one
BEGINNING = 10  # frames whose place becomes the middle of the user's space
GLITCH = 3  # frames, of which the middle one is taken: a picture in which the estimator fails


class LiveBody:
    """What `find_joints` makes of a whole recording, from the frames so far: a body in a world whose +Z points at the
    camera, and whose origin is where the body was seen first.

    Somebody whose feet are outside the picture stands, for all that is known; hips that are not seen are not told.
    """

    def __init__(self, *, height: float = HEIGHT, field_of_view: float = FIELD_OF_VIEW, pitch: float | None = None):
        """`height` (m) of the person, `field_of_view` (rad) across the picture, `pitch` (rad) where it is known."""
        self.world: np.ndarray | None = None  # (K, 3) m, landmarks of the last frame
        self.pose = CameraPose(np.pi, np.zeros(3), pitch or 0.0)
        self._height, self._field_of_view, self._pitch = height, field_of_view, pitch
        self._upright: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=WINDOW)
        self._count = 0  # of frames in which all of a body was seen
        self._recent: deque[np.ndarray] = deque(maxlen=GLITCH)
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
        if np.isnan(place[0]) or visibility[nose] < LEAST_VISIBILITY or not self._follower.accepts(place, time):
            return None
        body = frame.places[0] + place
        stands = bool(visibility[[*pick_pair(frame, "hip"), *pick_pair(frame, "ankle")]].min() > SEEN)
        if stands:
            self._measure(frame, body, visibility)
        self._recent.append(self.pose.to_world(body))
        world = np.median(self._recent, axis=0)
        lowest = find_lowest(world[None], visibility[None])[0] if stands else world[nose, 1] - NOSE_SHARE * self._height
        world[:, 1] -= self._floor.smooth(time, np.array([lowest]))
        if len(self._places) < BEGINNING:
            self._places.append(world[pick_pair(frame, "hip")].mean(axis=0) * [1, 0, 1])
            self._origin = np.median(self._places, axis=0)
        self.world = self._points.smooth(time, world - self._origin)
        return find_poses(frame, self.world[None], visibility[None], frame.times)

    def _measure(self, frame: Landmarks, body: np.ndarray, visibility: np.ndarray) -> None:
        """Pitch and size, again and again: the longer somebody is seen, the better both are known."""
        self._upright.append((body, visibility))
        self._count += 1
        if self._count > EVERY and self._count % EVERY:
            return
        bodies, seen = (np.array(part) for part in zip(*self._upright))
        found = find_stance(frame, bodies, seen, self._height, self._pitch)
        share = 1.0 if self._count <= EVERY else SHARE
        mixed = {name: (1 - share) * getattr(self.pose, name) + share * getattr(found, name) for name in MEASURED}
        self.pose = replace(self.pose, **mixed)


MEASURED = ("pitch", "scale")
