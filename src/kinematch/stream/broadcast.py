"""Broadcast: the body of one user to the programs that were named on the command line, as VMC and to VRChat."""

from kinematch.avatar.trackers import Trackers
from kinematch.character.pose import Pose
from kinematch.motion.skeleton import Skeleton
from kinematch.stream import vmc, vrchat
from kinematch.stream.osc import OscSender, is_loopback, parse_address
from kinematch.stream.vmc import VmcSender
from kinematch.stream.vrchat import VrchatSender


class Broadcast:
    """Sends poses on; the body may change to another skeleton at any time."""

    def __init__(self, *, vmc_address: str | None = None, vrchat_address: str | None = None):
        """Addresses are HOST, HOST:PORT or :PORT; None sends nothing there."""
        self._vmc = None if vmc_address is None else parse_address(vmc_address, vmc.PORT)
        self._vrchat = None if vrchat_address is None else parse_address(vrchat_address, vrchat.PORT)
        for host, port in filter(None, (self._vmc, self._vrchat)):
            OscSender(host, port).close()  # an unknown machine is an error now, not with the first pose
        self._skeleton: Skeleton | None = None
        self._senders: tuple[VmcSender | None, VrchatSender | None] = (None, None)

    def describe(self, who: str = "the first user's body") -> list[str]:
        """Who gets what, a sentence each."""
        told = []
        for what, place in (("VMC", self._vmc), ("VRChat", self._vrchat)):
            if place is not None:
                where = "on this machine" if is_loopback(place[0]) else "over the network, not encrypted"
                told.append(f"{who} goes to {place[0]}:{place[1]} as {what}, {where}")
        return told

    def send(self, skeleton: Skeleton, pose: Pose, seconds: float, devices: Trackers | None = None) -> None:
        """Send the pose of the only character of a step."""
        if skeleton is not self._skeleton:
            self.close()
            self._skeleton = skeleton
            self._senders = (
                None if self._vmc is None else VmcSender(skeleton, *self._vmc),
                None if self._vrchat is None else VrchatSender(skeleton, *self._vrchat),
            )
        as_vmc, to_vrchat = self._senders
        if as_vmc is not None:
            as_vmc.send(pose, seconds, devices=devices)
        if to_vrchat is not None:
            to_vrchat.send(pose)

    def close(self) -> None:
        """Close the sockets."""
        for sender in self._senders:
            if sender is not None:
                sender.close()
        self._senders = (None, None)
