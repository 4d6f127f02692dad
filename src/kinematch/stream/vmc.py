"""VMC out: root, bones, devices and time of a character, to programs that speak Virtual Motion Capture."""

import struct
from collections.abc import Mapping

import numpy as np
from pythonosc.parsing import osc_types

from kinematch.avatar.axes import swap_unity, swap_unity_rotations
from kinematch.avatar.trackers import HANDS, HEAD, POINTS, Trackers
from kinematch.character.pose import Pose
from kinematch.errors import KinematchError, unknown
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.bones import NAMES, ROOT, find_bones
from kinematch.stream.osc import OscSender, encode_message, make_bundles

PORT = 39539  # where programs that show avatars listen
MAX_NAME_LENGTH = 64
POSE = struct.Struct(">7f")
KINDS = tuple("Hmd" if point == HEAD else "Con" if point in HANDS else "Tra" for point in range(len(POINTS)))


class VmcSender:
    """Sends the poses of one character as VMC; nothing leaves before `send` is called."""

    def __init__(
        self,
        skeleton: Skeleton,
        host: str = "127.0.0.1",
        port: int = PORT,
        *,
        rate: float | None = None,
        bone_names: Mapping[str, str] | None = None,
        serials: Mapping[str, str] | None = None,
        gap: float = 0.0,
    ):
        """Send for a skeleton, at most `rate` frames a second.

        `bone_names` maps roles to names other than Unity's, "root" among them; `serials` maps tracked points to the
        serial numbers of devices. `gap` is the pause [s] between the datagrams of a frame.
        """
        if rate is not None and not 0 < rate <= 1000:
            raise KinematchError(f"a rate of {rate} per second, expected more than 0 and at most 1000")
        self.bones = find_bones(skeleton)
        names = _rename({ROOT: ROOT} | NAMES, bone_names, "bone")
        devices = _rename({point: point for point in POINTS}, serials, "tracked point")
        self._bone_starts = [
            _start_pose(f"/VMC/Ext/{'Root' if role == ROOT else 'Bone'}/Pos", names[role]) for role in self.bones.roles
        ]
        self._device_starts = [
            _start_pose(f"/VMC/Ext/{kind}/Pos", devices[point]) for kind, point in zip(KINDS, POINTS, strict=True)
        ]
        self._sender = OscSender(host, port, gap=gap)
        self._step = 0.0 if rate is None else 1 / rate
        self._next = self._last = -np.inf  # s, when the next frame is due, when the last one was sent

    @property
    def sent(self) -> int:
        """Datagrams that were sent."""
        return self._sender.sent

    @property
    def lost(self) -> int:
        """Datagrams that the network refused."""
        return self._sender.lost

    def send(self, pose: Pose, seconds: float, *, character: int = 0, devices: Trackers | None = None) -> bool:
        """Send one frame at a time [s] since the start; whether it was sent, which the rate decides.

        `devices` are those of the same users as the pose; without them, no devices are sent.
        """
        if self._last <= seconds < self._next - 1e-6:  # rounding of times must not cost a frame
            return False
        late = seconds < self._last or seconds > self._next + self._step  # time went backwards, or there was a pause
        self._next = (seconds if late else self._next) + self._step
        self._last = seconds
        self._sender.send(make_bundles(self._encode(pose, seconds, character, devices)))
        return True

    def _encode(self, pose: Pose, seconds: float, character: int, devices: Trackers | None) -> list[bytes]:
        places, turns = self.bones.find_local_poses(pose.global_positions[character], pose.global_rotations[character])
        messages = [encode_message("/VMC/Ext/OK", 1), encode_message("/VMC/Ext/T", float(seconds))]
        messages += _encode_poses(self._bone_starts, places, turns)
        if devices is not None:
            worn = np.flatnonzero(devices.valid[character])
            starts = [self._device_starts[k] for k in worn]
            messages += _encode_poses(starts, devices.positions[character, worn], devices.rotations[character, worn])
        return messages

    def close(self) -> None:
        """Close the socket."""
        self._sender.close()


def _rename(names: dict[str, str], given: Mapping[str, str] | None, what: str) -> dict[str, str]:
    for key, name in (given or {}).items():
        if key not in names:
            raise KinematchError(unknown(what, str(key), names))
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH or "\0" in name:
            raise KinematchError(f"{what} {key} is named {name!r}, expected 1 to {MAX_NAME_LENGTH} letters")
    return names | dict(given or {})


def _start_pose(address: str, name: str) -> bytes:
    """All of a message but the pose, which alone changes."""
    return osc_types.write_string(address) + osc_types.write_string(",sfffffff") + osc_types.write_string(name)


def _encode_poses(starts: list[bytes], positions: np.ndarray, rotations: np.ndarray) -> list[bytes]:
    """Messages of poses in Unity's axes, quaternions x y z w."""
    turned = swap_unity_rotations(rotations)
    values = np.concatenate([swap_unity(positions), turned[:, 1:], turned[:, :1]], axis=-1).tolist()
    return [start + POSE.pack(*row) for start, row in zip(starts, values, strict=True)]
