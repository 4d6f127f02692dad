"""Broadcast: who was named gets the body, whatever body it is; nobody else gets anything."""

import time

import pytest

import kinematch as km
from kinematch.errors import KinematchError
from kinematch.stream.broadcast import Broadcast
from kinematch.stream.osc import OscReceiver
from kinematch.stream.vmc_in import VmcReceiver


def test_vmc_and_vrchat_get_the_body():
    vmc, vrchat = VmcReceiver(0), OscReceiver(0)
    broadcast = Broadcast(vmc_address=f"127.0.0.1:{vmc.port}", vrchat_address=f":{vrchat.port}")
    database = km.load("built-in")
    pose = km.Crowd(database).step(km.move([0, 0, 1.0]), 1 / 60)
    heard, end = False, time.monotonic() + 60
    while not heard and time.monotonic() < end:
        for skeleton in (database.skeleton, database.skeleton.with_scale(1.0)):  # another body of the same user
            broadcast.send(skeleton, pose, 0.0)
        vmc.update()
        addresses = {message.address for message in vrchat.receive()}
        heard = "left_foot" in vmc.find_bone_poses() and "/tracking/trackers/1/position" in addresses
    assert heard
    broadcast.close()
    vmc.close()
    vrchat.close()


def test_it_says_who_gets_what():
    told = Broadcast(vmc_address="127.0.0.1:39539", vrchat_address="192.0.2.1").describe()
    assert told == [
        "the first user's body goes to 127.0.0.1:39539 as VMC, on this machine",
        "the first user's body goes to 192.0.2.1:9000 as VRChat, over the network, not encrypted",
    ]
    assert Broadcast().describe() == []


def test_an_unknown_machine_is_told_at_once():
    with pytest.raises(KinematchError, match=r"no machine 'no\.such\.machine\.invalid' is known"):
        Broadcast(vmc_address="no.such.machine.invalid:1")
