"""VRChat out: hips, feet, knees, chest and elbows of a character as trackers, so that its legs walk in VRChat."""

import numpy as np

from kinematch.avatar.axes import swap_unity, swap_unity_rotations
from kinematch.avatar.body_frames import find_reference_rotations
from kinematch.character.pose import Pose
from kinematch.errors import KinematchError, listed
from kinematch.math import quaternion, rotation
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.osc import OscSender, encode_message, make_bundles

PORT = 9000
TRACKERS = {  # name of a tracker -> the role that it follows
    "head": "head", "1": "hips", "2": "left_foot", "3": "right_foot", "4": "left_lower_leg", "5": "right_lower_leg",
    "6": "chest", "7": "left_lower_arm", "8": "right_lower_arm",
}  # fmt: skip
CHESTS = ("upper_chest", "chest", "spine")


class VrchatSender:
    """Sends parts of one character as trackers of VRChat; nothing leaves before `send` is called."""

    def __init__(
        self, skeleton: Skeleton, host: str = "127.0.0.1", port: int = PORT, *, trackers: tuple[str, ...] | None = None
    ):
        """`trackers` are roles to send, such as ("hips", "left_foot", "right_foot"); all of them by default.

        The head is always sent: VRChat lays its space over ours by it.
        """
        wanted = set(TRACKERS.values()) if trackers is None else {*trackers, "head"}
        if odd := sorted(wanted - set(TRACKERS.values())):
            raise KinematchError(f"no tracker {listed(odd)} in VRChat; choose from: {listed(list(TRACKERS.values()))}")
        roles = skeleton.roles
        found = {
            name: next((r for r in (CHESTS if role == "chest" else (role,)) if r in roles), None)
            for name, role in TRACKERS.items()
            if role in wanted
        }
        self.names = tuple(name for name, role in found.items() if role is not None)
        self._joints = np.array([roles[role] for role in found.values() if role is not None])
        self._references = find_reference_rotations(skeleton, self._joints)
        self._sender = OscSender(host, port)

    @property
    def sent(self) -> int:
        """Datagrams that were sent."""
        return self._sender.sent

    @property
    def lost(self) -> int:
        """Datagrams that the network refused."""
        return self._sender.lost

    def send(self, pose: Pose, *, character: int = 0) -> None:
        """Send one frame: metres and degrees in Unity's axes, angles as Unity turns them: Z first, then X, then Y."""
        turns = pose.global_rotations[character, self._joints].astype(np.float64)
        turns = swap_unity_rotations(quaternion.multiply(turns, quaternion.inverse(self._references)))
        angles = np.degrees(rotation.to_euler(turns, "YXZ"))[:, [1, 0, 2]].tolist()
        places = swap_unity(pose.global_positions[character, self._joints].astype(np.float64)).tolist()
        messages = []
        for name, place, angle in zip(self.names, places, angles, strict=True):
            messages.append(encode_message(f"/tracking/trackers/{name}/position", *place))
            messages.append(encode_message(f"/tracking/trackers/{name}/rotation", *angle))
        self._sender.send(make_bundles(messages))

    def close(self) -> None:
        """Close the socket."""
        self._sender.close()
