"""A user in the room: from the tracker samples of a page to the frames of a body."""

import threading
from collections import deque
from dataclasses import replace
from time import monotonic, perf_counter

import numpy as np

from kinematch.avatar.avatar import Avatar
from kinematch.avatar.calibration import Calibration
from kinematch.avatar.calibrator import Calibrator
from kinematch.avatar.trackers import Trackers
from kinematch.avatar.velocities import WINDOW
from kinematch.character.pose import Pose
from kinematch.stream.layout import AVATAR, pack
from kinematch.stream.picture import XYZW
from kinematch.studio.server.answers import CameraNow
from kinematch.studio.server.messages import Calibrate
from kinematch.studio.vr.body import Outfit
from kinematch.studio.vr.camera_views import CameraView
from kinematch.studio.vr.samples import DeviceSample, to_trackers
from kinematch.studio.vr.user_camera import UserCamera

MAX_SAMPLE_RATE = 200  # samples a second that are taken
RESTART_SECONDS = 1.0  # s by which time may go back; beyond, the page's clock has restarted
MAX_GAP_SECONDS = 0.25  # s between samples that are made good; a longer silence is jumped over
MIN_STEP_SECONDS = 1e-3  # s
USUAL = 1 / 90  # s, where there is no sample before
FLOOD = f"more than {MAX_SAMPLE_RATE} samples a second came in; the rest is left out"
LOST_SECONDS = 1.0  # s without a sample, after which there are no trackers
DRIFT = 1e-5  # s by which the difference of two clocks may grow from sample to sample
QUIET = 2.0  # s between two words of the same kind
LONGEST_RECORDING = 600.0  # s
MIN_HEIGHT_CHANGE = 0.01  # m by which a measured height differs before the body is rebuilt


class VrUser:
    """`hear`, `measure` and what is recorded belong to the server's loop, all else to the room's thread."""

    def __init__(self, number: int, client: str, name: str, place: int, outfit: Outfit, calibrator: Calibrator):
        self.number, self.client, self.name, self.place = number, client, name, place
        self.outfit = outfit  # replaced as a whole: the body then restarts where the user is
        self.calibrator = calibrator
        self.is_known = False  # by a name, under which the calibration is kept
        self.fresh: DeviceSample | None = None  # heard, not yet stepped
        self.recent: deque[DeviceSample] = deque(maxlen=round(MAX_SAMPLE_RATE * WINDOW))  # stepped
        self.devices: Trackers | None = None
        self.pose: Pose | None = None  # of the own body
        self.camera_now: CameraNow | None = None  # what the last step says of the user's camera
        self.recorded: deque[DeviceSample] = deque()
        self.recording = False
        self._measuring = threading.Lock()
        self._fitted: tuple[Calibration, Outfit] | None = None
        self._arrivals: deque[float] = deque(maxlen=MAX_SAMPLE_RATE)
        self._told: dict[str, float] = {}
        self._heard_time = -np.inf
        self._seen_time: float | None = None
        self._tracked_at = -np.inf  # s, when trackers said something last
        self._clock = -np.inf  # s that the samples' clock is ahead of ours
        self._own_camera_at = -np.inf  # s, when the page's own camera saw something last
        self.camera = UserCamera()

    @property
    def is_tracked(self) -> bool:
        """Whether there are trackers; without them a camera alone drives the body."""
        return monotonic() - self._tracked_at < LOST_SECONDS

    def find_time(self, moment: float) -> float:
        """A moment of our monotonic clock (s) on that of the samples."""
        return moment + self._clock if self.is_tracked else moment

    @property
    def own_camera(self) -> bool:
        """Whether the page itself has a camera on."""
        return monotonic() - self._own_camera_at < LOST_SECONDS

    def see(self, view: CameraView) -> str:
        """Take what a camera sees; returns the answer to the page, if any."""
        if view.own:
            self._own_camera_at = monotonic()
        if self.is_tracked:
            self.camera.hear(view)
            return ""
        if self._is_flooded(monotonic()):
            return self._once("flood", FLOOD)
        sample = self.camera.take(view, self.calibrator.calibration)
        if sample is not None:
            return self._take(sample)
        self.camera.skip()  # nothing to step by, but something to say
        self.camera_now = self.camera.report(self.number, self.outfit.fusion, alone=True)
        return ""

    def hear(self, sample: DeviceSample) -> str:
        """Take a sample; returns the answer to the page, if any."""
        now = self._tracked_at = monotonic()
        # the quickest sample gives the best estimate of the clocks' difference; clocks drift slowly
        self._clock = max(sample.time - now, self._clock - DRIFT)
        if self._is_flooded(now):
            return self._once("flood", FLOOD)
        return self._take(sample)

    def _is_flooded(self, now: float) -> bool:
        if len(self._arrivals) == MAX_SAMPLE_RATE and now - self._arrivals[0] < 1.0:
            return True
        self._arrivals.append(now)
        return False

    def _take(self, sample: DeviceSample) -> str:
        if self._heard_time - RESTART_SECONDS < sample.time <= self._heard_time:
            return self._once("time", "time went backwards from one sample to the next, which is left out")
        problem = sample.problem
        if sample.time <= self._heard_time:
            problem = "the clock of this page's samples restarted, and so does the body"
            self.recorded.clear()
        self._heard_time, self.fresh = sample.time, sample
        if self.recording:
            self.recorded.append(sample)
            while sample.time - self.recorded[0].time > LONGEST_RECORDING:
                self.recorded.popleft()
        return self._once("pose", problem) if problem else ""

    def record(self, on: bool) -> None:
        """Keep samples from now on, or stop; those kept stay until the next start."""
        if on and not self.recording:
            self.recorded.clear()
        self.recording = on

    def _once(self, kind: str, text: str) -> str:
        """The text, unless one of its kind was sent a moment ago."""
        now = monotonic()
        if now - self._told.get(kind, -np.inf) < QUIET:
            return ""
        self._told[kind] = now
        return text

    def measure(self, message: Calibrate) -> Calibration:
        """Measure the user as a page asks; raises KinematchError with what to do better."""
        with self._measuring:
            if message.height is not None:
                self.calibrator = Calibrator(replace(self.calibrator.calibration, height=message.height))
            elif message.by == "again":
                self.calibrator.restart()
            elif message.by == "pose":
                self.calibrator.measure_pose()
            elif message.by == "floor":
                self.calibrator.measure_floor()
            else:
                self.calibrator.measure_height()
            return self.calibrator.calibration

    @property
    def has_grown(self) -> bool:
        """Whether a height was measured that the body does not have yet."""
        return abs(self.calibrator.calibration.height - self.outfit.calibration.height) > MIN_HEIGHT_CHANGE

    def take_words(self) -> list[str]:
        """What the calibrator has noticed since it was asked last."""
        messages = self.calibrator.problems.messages
        return [messages.popleft() for _ in range(len(messages))]

    def step_own(self) -> bytes:
        """A step to the newest sample, and its frame as the user sees it."""
        began = perf_counter()
        sample, self.fresh = self.fresh, None
        assert sample is not None
        dt = sample.time - self.recent[-1].time if self.recent else USUAL
        if not 0 < dt <= MAX_GAP_SECONDS:
            self.recent.clear()  # too long ago for a velocity
            dt = MAX_GAP_SECONDS if dt > 0 else USUAL
        dt = max(dt, MIN_STEP_SECONDS)
        self.recent.append(sample)
        self.devices, outfit = to_trackers(self.recent), self.outfit
        alone = not self.is_tracked  # a camera's scale comes from the body's height, so it cannot measure it
        with self._measuring:
            calibration = self.calibrator.calibration if alone else self.calibrator.watch(self.devices)
        if (calibration, outfit) != self._fitted:  # something was learned, or the outfit is new
            self._fitted = calibration, outfit
            outfit.adjust(calibration)
        if alone:
            self.camera.skip()
        else:
            self.camera.feed(outfit.fusion)
        frame = self._frame(outfit.own, outfit.version, dt, began, own=1)
        self.camera_now = self.camera.report(self.number, outfit.fusion, alone=alone)
        return frame

    def step_seen(self) -> bytes | None:
        """The same as others see it; None while there is nothing new."""
        if self.devices is None or self._seen_time == self.recent[-1].time:
            return None
        dt = USUAL if self._seen_time is None else self.recent[-1].time - self._seen_time
        self._seen_time = self.recent[-1].time
        outfit, dt = self.outfit, float(np.clip(dt, MIN_STEP_SECONDS, MAX_GAP_SECONDS))
        return self._frame(outfit.seen, outfit.version, dt, perf_counter(), own=0)

    def _frame(self, body: Avatar, version: int, dt: float, began: float, *, own: int) -> bytes:
        assert self.devices is not None
        pose = body.step(self.devices, dt)
        if own:
            self.pose = pose
        header = {
            "user": self.number, "sequence": self.recent[-1].sequence, "time": self.recent[-1].time,
            "joints": pose.rotations.shape[1], "own": own, "version": version,
            "milliseconds": 1000 * (perf_counter() - began),
        }  # fmt: skip
        return pack(AVATAR, header, {"positions": pose.positions[0], "rotations": pose.rotations[0][:, XYZW]})
