"""VMC in: headset, controllers, trackers and bones that another program sends become Trackers."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinematch.avatar import body_frames
from kinematch.avatar.trackers import LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion
from kinematch.stream.bones import ROLES_BY_NAME, ROOT, Placement, find_global_poses
from kinematch.stream.osc import OscMessage, OscReceiver

PORT = 39540  # where programs that take trackers listen
LOST_SECONDS = 0.5  # s without news, after which a device is lost
MAX_DEVICES = 64  # serial numbers that are remembered
MAX_DISTANCE = 1e4  # m
MAX_FRAME_SECONDS = 0.004  # s in which the packets of a frame come in
VELOCITY_SAMPLES = 12  # samples that velocities are found from
DEVICES = ("Hmd", "Con", "Tra")
PLACES = {  # words of a serial number -> where that device is worn; the first that fits
    "Hmd": {"": "head"},
    "Con": {"left": "left_hand", "right": "right_hand"},
    "Tra": {
        "waist": "waist", "hip": "waist", "pelvis": "waist", "chest": "chest", "left_foot": "left_foot",
        "leftfoot": "left_foot", "right_foot": "right_foot", "rightfoot": "right_foot",
    },
}  # fmt: skip
Moment = tuple[Placement, float]  # and when it was heard


class VmcReceiver:
    """Listens for VMC on one port; malformed packets and messages are ignored and counted."""

    def __init__(
        self,
        port: int = PORT,
        host: str = "127.0.0.1",
        *,
        serials: Mapping[str, str] | None = None,
        stale: float = LOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ):
        """`serials` maps serial numbers of devices to points of the body; others are assigned by name and place.

        `stale` [s] is how long a device counts as tracked after the last message of it.
        """
        for point in (serials or {}).values():
            if point not in POINTS:
                raise KinematchError(unknown("tracked point", str(point), POINTS))
        self.receiver = OscReceiver(port, host)
        self.malformed_messages, self.ignored = 0, 0  # known ones with wrong values, and unknown addresses
        self.available, self.seconds = True, 0.0  # what the sender last said of itself: ready, and its time
        self._clock, self._stale = clock, stale
        self._points: dict[str, int] = {serial: POINTS.index(point) for serial, point in (serials or {}).items()}
        self._devices: dict[tuple[str, str], Moment] = {}  # kind and serial number -> where it was last
        self._bones: dict[str, Moment] = {}  # role -> pose in the parent's space
        self._samples, self._bone_samples = Samples(), Samples()
        self._poses, self._usual_poses = 0, 0  # of the frame that comes in, and of the one before
        self._began, self._waiting = -math.inf, False  # when it began, and whether the rest of it is on its way

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.receiver.port

    @property
    def malformed(self) -> int:
        """Packets and messages that made no sense."""
        return self.receiver.malformed + self.malformed_messages

    def update(self) -> bool:
        """Take in what has arrived; whether a whole frame, or a pose outside of one, was among it."""
        now, news = self._clock(), False
        for message in self.receiver.receive():
            news |= self._take(message, now)
        news |= self._waiting
        # a frame is several packets; half of one with half of the frame before would be a pose that never was
        self._waiting = news and self._poses < self._usual_poses and now - self._began < MAX_FRAME_SECONDS
        if self._waiting:
            return False
        if news:
            self._name_devices()
            worn = {self._points[s]: moment for (_, s), moment in self._devices.items() if s in self._points}
            self._samples.append(worn, now)
            self._bone_samples.append(self._find_worn_bones(), now)
        return news

    def find_devices(self) -> Trackers:
        """Headset, controllers and trackers of the user now (1 sample); those not heard of are not valid."""
        return self._samples.find(self._clock(), self._stale)

    def find_joints(self) -> Trackers:
        """The tracked points of a received body (1 sample): joints, so no calibration is needed."""
        return self._bone_samples.find(self._clock(), self._stale)

    def find_bone_poses(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Global positions (3,) m and rotations (4,) since the T-pose, by role, 'root' among them."""
        found = self._find_global_bones()
        return {role: (np.array(place), np.array(turn)) for role, (place, turn) in found.items()}

    def find_local_bones(self) -> dict[str, Placement]:
        """Positions [m] and rotations since the T-pose in the parent's space, by role, as they were last heard."""
        return {role: placement for role, (placement, _) in self._bones.items()}

    def close(self) -> None:
        """Stop listening."""
        self.receiver.close()

    def _take(self, message: OscMessage, now: float) -> bool:
        parts = message.address.split("/")
        if parts[:3] != ["", "VMC", "Ext"]:
            self.ignored += 1
            return False
        kind, values = "/".join(parts[3:]), message.values
        if kind in ("Root/Pos", "Bone/Pos", "Hmd/Pos", "Con/Pos", "Tra/Pos"):
            pose = _read_pose(values)
            if pose is None:
                self.malformed_messages += 1
                return False
            self._poses += 1
            return self._keep(parts[3], *pose, now)
        if kind in ("T", "OK") and self._poses:  # what a frame begins with
            self._usual_poses, self._poses, self._began = self._poses, 0, now
        if kind == "T" and values and isinstance(values[0], float) and np.isfinite(values[0]):
            self.seconds = values[0]
        elif kind == "OK" and values and isinstance(values[0], int):
            self.available = bool(values[0])
        elif kind in ("T", "OK"):
            self.malformed_messages += 1
        else:
            self.ignored += 1
        return False

    def _keep(self, kind: str, name: str, placement: Placement, now: float) -> bool:
        if kind in DEVICES:
            if (kind, name) in self._devices or len(self._devices) < MAX_DEVICES:
                self._devices[kind, name] = placement, now
                return True
        elif kind == "Root" or name in ROLES_BY_NAME:
            self._bones[ROOT if kind == "Root" else ROLES_BY_NAME[name]] = placement, now
            return True
        self.ignored += 1
        return False

    def _name_devices(self) -> None:
        """Find where devices are worn: by their names, and controllers also by the side they are seen on first."""
        for kind, serial in self._devices:
            if serial in self._points:
                continue
            words = PLACES[kind]
            point = next((point for word, point in words.items() if word in serial.lower()), None)
            if point is None and kind == "Con" and (side := self._find_side(serial)) is not None:
                point = POINTS[side]
            if point is not None and POINTS.index(point) not in self._points.values():
                self._points[serial] = POINTS.index(point)

    def _find_side(self, serial: str) -> int | None:
        head = next((moment for (kind, _), moment in self._devices.items() if kind == "Hmd"), None)
        others = [k for k in (LEFT_HAND, RIGHT_HAND) if k in self._points.values()]
        if others:
            return RIGHT_HAND if others == [LEFT_HAND] else LEFT_HAND if others == [RIGHT_HAND] else None
        if head is None:
            return None
        place, turn = (np.array(part) for part in head[0])
        back = quaternion.inverse(quaternion.swing_twist(turn, [0.0, 1, 0])[1])
        across = {
            name: quaternion.rotate(back, np.array(moment[0][0]) - place)[0]
            for (kind, name), moment in self._devices.items()
            if kind == "Con" and name not in self._points
        }
        middle = np.mean(list(across.values())) if len(across) > 1 else 0.0
        return LEFT_HAND if across[serial] > middle else RIGHT_HAND

    def _find_global_bones(self) -> dict[str, Placement]:
        return find_global_poses(self.find_local_bones()) if self._bones else {}

    def _find_worn_bones(self) -> dict[int, Moment]:
        """The bones that tracked points are on."""
        found, worn = self._find_global_bones(), {}
        for k, point in enumerate(POINTS):
            role = next((role for role in body_frames.ROLES[point] if role in self._bones), None)
            if role is not None:
                worn[k] = found[role], self._bones[role][1]
        return worn


class Samples:
    """The last samples of one user, from which the newest gets its velocities."""

    def __init__(self) -> None:
        self._rows: deque[tuple[float, Mapping[int, Moment]]] = deque(maxlen=VELOCITY_SAMPLES)

    def append(self, worn: Mapping[int, Moment], now: float) -> None:
        """Remember where points are; time that goes backwards begins a new history."""
        if self._rows and now == self._rows[-1][0]:
            self._rows.pop()
        elif self._rows and now < self._rows[-1][0]:
            self._rows.clear()
        self._rows.append((now, worn))

    def find(self, now: float, stale: float) -> Trackers:
        """The newest sample; points that were not heard of for so long [s] are not tracked."""
        count = max(len(self._rows), 1)
        times, positions = np.full(count, now), np.zeros((count, len(POINTS), 3))
        rotations = quaternion.identity((count, len(POINTS)))
        valid: np.ndarray = np.zeros((count, len(POINTS)), bool)
        for n, (time_, worn) in enumerate(self._rows):
            times[n] = time_
            until = now if n == count - 1 else time_
            for k, ((place, turn), heard) in worn.items():
                positions[n, k], rotations[n, k], valid[n, k] = place, turn, until - heard <= stale
        return find_velocities(Poses(times, positions, rotations, valid)).take(slice(count - 1, None))


def _read_pose(values: list[Any]) -> tuple[str, Placement] | None:
    """Name and placement in our axes; None for messages without a pose. Later versions of VMC append values."""
    if len(values) < 8 or not isinstance(values[0], str) or not all(type(v) in (float, int) for v in values[1:8]):
        return None
    px, py, pz, x, y, z, w = values[1:8]
    size = math.hypot(x, y, z, w)
    if not max(abs(px), abs(py), abs(pz)) < MAX_DISTANCE or not 0.5 < size < 2:  # NaN is not less than anything
        return None
    if math.isnan(px + py + pz):  # which max may pass over
        return None
    return values[0][:256], ((-px, py, pz), (w / size, x / size, -y / size, -z / size))  # as axes.swap_unity does
