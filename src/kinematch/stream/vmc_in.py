"""VMC in: headset, controllers, trackers and bones that another program sends become Trackers."""

import time
from collections import deque
from collections.abc import Callable, Mapping

import numpy as np

from kinematch.avatar import body_frames
from kinematch.avatar.axes import swap_unity, swap_unity_rotations
from kinematch.avatar.trackers import LEFT_HAND, POINTS, RIGHT_HAND, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion
from kinematch.stream.bones import ROLES_BY_NAME, ROOT, find_global_poses
from kinematch.stream.osc import Message, OscReceiver

PORT = 39540  # where programs that take trackers listen
STALE = 0.5  # s without news, after which a device is lost
MOST_DEVICES = 64  # serial numbers that are remembered
FARTHEST = 1e4  # m
HISTORY = 16  # samples that velocities are found from
DEVICES = ("Hmd", "Con", "Tra")
PLACES = {  # words of a serial number -> where that device is worn; the first that fits
    "Hmd": {"": "head"},
    "Con": {"left": "left_hand", "right": "right_hand"},
    "Tra": {
        "waist": "waist", "hip": "waist", "pelvis": "waist", "chest": "chest", "left_foot": "left_foot",
        "leftfoot": "left_foot", "right_foot": "right_foot", "rightfoot": "right_foot",
    },
}  # fmt: skip
Moment = tuple[np.ndarray, np.ndarray, float]  # position (3,), rotation (4,), time


class VmcReceiver:
    """Listens for VMC on one port; malformed packets and messages are ignored and counted."""

    def __init__(
        self,
        port: int = PORT,
        host: str = "127.0.0.1",
        *,
        serials: Mapping[str, str] | None = None,
        stale: float = STALE,
        clock: Callable[[], float] = time.monotonic,
    ):
        """`serials` maps serial numbers of devices to the points that wear them; others are told by name and place.

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
        self._samples: deque[Poses] = deque(maxlen=HISTORY)
        self._bone_samples: deque[Poses] = deque(maxlen=HISTORY)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.receiver.port

    @property
    def malformed(self) -> int:
        """Packets and messages that made no sense."""
        return self.receiver.malformed + self.malformed_messages

    def update(self) -> bool:
        """Take in what has arrived; whether a pose was among it."""
        now, news = self._clock(), False
        for message in self.receiver.receive():
            news |= self._take(message, now)
        if news:
            self._name_devices()
            self._append(self._samples, self._sample_devices(now))
            self._append(self._bone_samples, self._sample_bones(now))
        return news

    def find_devices(self) -> Trackers:
        """Headset, controllers and trackers of the user now (1 sample); those not heard of are not valid."""
        return self._find(self._samples, self._sample_devices)

    def find_joints(self) -> Trackers:
        """The tracked points of the body whose bones were received (1 sample): joints, so no calibration is needed."""
        return self._find(self._bone_samples, self._sample_bones)

    def find_bone_poses(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Global positions (3,) m and rotations (4,) since the T-pose, by role, 'root' among them."""
        poses = {role: (place, turn) for role, (place, turn, _) in self._bones.items()}
        return find_global_poses(poses) if poses else {}

    def close(self) -> None:
        """Stop listening."""
        self.receiver.close()

    def _take(self, message: Message, now: float) -> bool:
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
            return self._keep(parts[3], *pose, now)
        if kind == "T" and values and isinstance(values[0], float) and np.isfinite(values[0]):
            self.seconds = values[0]
        elif kind == "OK" and values and isinstance(values[0], int):
            self.available = bool(values[0])
        elif kind in ("T", "OK"):
            self.malformed_messages += 1
        else:
            self.ignored += 1
        return False

    def _keep(self, kind: str, name: str, place: np.ndarray, turn: np.ndarray, now: float) -> bool:
        if kind in DEVICES:
            if (kind, name) in self._devices or len(self._devices) < MOST_DEVICES:
                self._devices[kind, name] = place, turn, now
                return True
        elif kind == "Root" or name in ROLES_BY_NAME:
            self._bones[ROOT if kind == "Root" else ROLES_BY_NAME[name]] = place, turn, now
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
        yaw = quaternion.swing_twist(head[1], [0.0, 1, 0])[1]
        across = {
            name: quaternion.rotate(quaternion.inverse(yaw), place - head[0])[0]
            for (kind, name), (place, _, _) in self._devices.items()
            if kind == "Con" and name not in self._points
        }
        middle = np.mean(list(across.values())) if len(across) > 1 else 0.0
        return LEFT_HAND if across[serial] > middle else RIGHT_HAND

    def _sample_devices(self, now: float) -> Poses:
        worn = {self._points[serial]: moment for (_, serial), moment in self._devices.items() if serial in self._points}
        return _make_sample(worn, now, self._stale)

    def _sample_bones(self, now: float) -> Poses:
        poses, worn = self.find_bone_poses(), {}
        for k, point in enumerate(POINTS):
            role = next((role for role in body_frames.ROLES[point] if role in self._bones), None)
            if role is not None:
                worn[k] = (*poses[role], self._bones[role][2])
        return _make_sample(worn, now, self._stale)

    @staticmethod
    def _append(samples: deque[Poses], sample: Poses) -> None:
        if samples and sample.times[0] <= samples[-1].times[0]:
            samples.pop() if sample.times[0] == samples[-1].times[0] else samples.clear()
        samples.append(sample)

    def _find(self, samples: deque[Poses], sample: Callable[[float], Poses]) -> Trackers:
        now = sample(self._clock())  # what has gone stale since the last message is not tracked any more
        if not samples:
            return find_velocities(now)
        poses = [*list(samples)[:-1], samples[-1]._replace(valid=samples[-1].valid & now.valid)]
        joined = Poses(*(np.concatenate([getattr(p, field) for p in poses]) for field in Poses._fields[:4]))
        return find_velocities(joined).take(slice(len(poses) - 1, None))


def _make_sample(worn: Mapping[int, Moment], now: float, stale: float) -> Poses:
    positions, rotations = np.zeros((1, len(POINTS), 3)), quaternion.identity((1, len(POINTS)))
    valid: np.ndarray = np.zeros((1, len(POINTS)), bool)
    for k, (place, turn, heard) in worn.items():
        positions[0, k], rotations[0, k], valid[0, k] = place, turn, now - heard <= stale
    return Poses(np.array([now]), positions, rotations, valid)


def _read_pose(values: list) -> tuple[str, np.ndarray, np.ndarray] | None:
    """Name, position and rotation in our axes; None for what is no pose. Later versions of VMC add values behind."""
    if len(values) < 8 or not isinstance(values[0], str) or not all(type(v) in (float, int) for v in values[1:8]):
        return None
    numbers = np.array(values[1:8], np.float64)
    size = np.linalg.norm(numbers[3:])
    if not (np.abs(numbers) < FARTHEST).all() or not 0.5 < size < 2:
        return None
    turn = swap_unity_rotations(np.array([numbers[6], *numbers[3:6]]) / size)
    return values[0][:256], swap_unity(numbers[:3]), turn
