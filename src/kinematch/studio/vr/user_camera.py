"""One user's camera: it corrects the body of a user with trackers, and drives that of a user without."""

from collections import deque
from time import monotonic

import numpy as np

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.velocities import find_velocities
from kinematch.camera.fusion import CameraFusion
from kinematch.camera.live_body import LiveBody
from kinematch.camera.problems import ProblemVote, name_problem
from kinematch.studio.server.answers import Bearing, CameraNow
from kinematch.studio.vr.camera_views import CameraView
from kinematch.studio.vr.samples import DeviceSample

MOST_WAITING = 20  # views of a body that is not stepped
GONE_SECONDS = 3.0  # s without a view, after which a camera is taken for gone
DIGITS = 3  # of what is sent to pages: m, and shares of a picture


class UserCamera:
    """`take` belongs to the server's loop, the rest to the room's thread."""

    def __init__(self) -> None:
        self.waiting: deque[CameraView] = deque(maxlen=MOST_WAITING)
        self.seen_at = -np.inf  # s, when the last view came in
        self._last: CameraView | None = None
        self._body: LiveBody | None = None
        self._height = 0.0
        self._sequence = 0
        self._trouble = ProblemVote()

    @property
    def is_there(self) -> bool:
        return monotonic() - self.seen_at < GONE_SECONDS

    def hear(self, view: CameraView) -> None:
        """A view that corrects what trackers say."""
        self.seen_at = monotonic()
        self.waiting.append(view)

    def take(self, view: CameraView, calibration: Calibration) -> DeviceSample | None:
        """The sample that devices would give of a user whom a camera alone sees; None without a person."""
        if self._body is None or self._height != calibration.height or not self.is_there:
            self._body, self._height = LiveBody(height=calibration.height), calibration.height
        self.hear(view)
        poses = self._body.see(view.landmarks)
        if poses is None:
            return None
        positions = poses.positions + view.spot
        devices = calibration.place_devices(find_velocities(poses._replace(positions=positions)))
        self._sequence += 1
        return DeviceSample(
            self._sequence, view.time, devices.positions[0], devices.rotations[0], devices.valid[0], None
        )

    def feed(self, fusion: CameraFusion) -> None:
        """Let the direction of a body with trackers be corrected by what was seen."""
        while self.waiting:
            self._last = self.waiting.popleft()
            fusion.see(self._last.landmarks)

    def skip(self) -> None:
        """Nothing is to be corrected: the camera drives the body."""
        while self.waiting:
            self._last = self.waiting.popleft()

    def report(self, user: int, fusion: CameraFusion, *, alone: bool) -> CameraNow | None:
        """The report on the last view; None if there is nothing new."""
        view, self._last = self._last, None
        if view is None:
            return None
        observer = fusion.observers[0]
        pose = observer.alignment.pose
        places, camera, residual = None, None, -1.0
        if alone and self._body is not None and self._body.world is not None:
            places = self._body.world + view.spot
            pose = self._body.pose
        elif not alone and observer.sighting is not None and observer.body is not None:
            places = pose.to_world(observer.body)
            deviation = min(observer.sighting.deviation, np.pi)
            camera = Bearing(observer.sighting.yaw, deviation)
            residual = observer.sighting.residual
        now, base = fusion.direction, fusion.base
        fused = Bearing(float(now.yaws[0]), float(now.uncertainties[0]))
        own = view.landmarks
        word = name_problem(own, people=view.people, brightness=view.brightness, residual=max(residual, 0.0))
        return CameraNow(
            user=user, time=view.time, alone=alone, own=view.own, trouble=self._trouble.watch(word),
            places=_flatten(places), image=[] if view.own else _flatten(own.image[0]), aspect=own.aspect,
            visibility=_flatten(own.visibility[0]), camera=fused if alone else camera, fused=fused,
            trackers=None if alone else Bearing(float(base.yaws[0]), float(base.uncertainties[0])),
            offset=0.0 if alone else observer.offset.seconds,
            position=[] if alone or pose.position is None else _flatten(pose.position), yaw=pose.yaw, pitch=pose.pitch,
            residual=residual,
        )  # fmt: skip


def _flatten(array: np.ndarray | None) -> list[float]:
    return [] if array is None else np.round(array, DIGITS).ravel().tolist()
