"""Motions of simulated users: devices of a user who strolls, sidesteps or gestures."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from kinematch.avatar.calibration import EYE_TO_CROWN, HEIGHT_RANGE, Calibration
from kinematch.avatar.simulate import track_joints
from kinematch.avatar.trackers import HANDS, HEAD, LEFT_HAND, RIGHT_HAND, Trackers
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y
from kinematch.motion.clip import Clip
from kinematch.stream.layout import MOTION, pack
from kinematch.studio.vr.samples import to_webxr
from kinematch.synth.gait import DEGREE
from kinematch.synth.path import Move, path_of_moves
from kinematch.synth.walker import walk

SEED = 1977  # of no clip of the built-in set
WORN = (HEAD, LEFT_HAND, RIGHT_HAND)  # what a simulated user wears
MAX_MOTION_SECONDS = 600.0  # s


def stroll() -> Trackers:
    """Twice around a square, now slower and now faster, with a stand at each corner."""
    moves = [Move(1.5)]
    for speed in (0.7, 1.2, 0.9, 1.4):
        moves += [Move(2.4 / speed, speed), Move(1.2), Move(1.0, turn=90 * DEGREE), Move(0.8)]
    return _look_around(_walk(moves), most=25 * DEGREE)


def side_steps() -> Trackers:
    """To the sides and back while the head looks around, then half a turn on the spot, and back."""
    moves = [Move(1.0)]
    for way in (90, -90, 180, 0, 135, -45):
        moves += [Move(1.8, 0.6, direction=way * DEGREE), Move(1.0)]
    for turn in (170, -170):
        moves += [Move(1.8, turn=turn * DEGREE), Move(1.2)]
    return _look_around(_walk(moves), most=40 * DEGREE)


def gestures() -> Trackers:
    """On one spot: reach out, wave, look over both shoulders, and squat."""
    still = _walk([Move(16.0)])
    t, positions, rotations = still.times, still.positions.copy(), still.rotations.copy()
    chest = positions[:, HEAD] - [0.0, 0.25, 0.0]
    both = _bump(t, 1.0, 4.0)[:, None]
    for hand, side in ((LEFT_HAND, 1.0), (RIGHT_HAND, -1.0)):
        out = chest + np.array([0.18 * side, 0.05, 0.48])
        out[:, 0] += 0.2 * side * np.sin(1.5 * np.pi * (t - 1.0)) ** 2
        _lead(positions, rotations, hand, out, both)
    wave = chest + np.stack([-0.38 + 0.16 * np.sin(6 * (t - 4.5)), 0.32 + 0 * t, 0.22 + 0 * t], axis=-1)
    _lead(positions, rotations, RIGHT_HAND, wave, _bump(t, 4.5, 8.0)[:, None])
    squat = 0.42 * _bump(t, 11.0, 15.0)
    positions[:, (HEAD, *HANDS), 1] -= squat[:, None]
    positions[:, HEAD, 2] += 0.2 * squat
    yaw = 60 * DEGREE * (_bump(t, 8.0, 9.6) - _bump(t, 9.4, 11.0))
    return _turn_heads(replace(still, positions=positions, rotations=rotations), yaw)


MOTIONS: dict[str, Callable[[], Trackers]] = {"stroll": stroll, "side steps": side_steps, "gestures": gestures}


@lru_cache(maxsize=8)
def pack_motion(name: str) -> bytes:
    """The devices of a simulated user as a binary frame."""
    if name not in MOTIONS:
        raise KinematchError(unknown("motion", name, MOTIONS))
    return pack_devices(MOTIONS[name]())


def pack_clip(clip: Clip) -> bytes:
    """The devices of the person of a clip, likewise."""
    if clip.duration > MAX_MOTION_SECONDS:
        raise KinematchError(f"{clip.duration:.0f} s of motion, expected at most {MAX_MOTION_SECONDS:.0f}")
    return pack_devices(track_joints(clip))


def pack_devices(joints: Trackers) -> bytes:
    """Headset and controllers of a person whose joints these are."""
    calibration = Calibration()
    # the head of a person who stands is nearly as high as it ever gets
    standing = float(np.quantile(joints.positions[:, HEAD, 1], 0.9)) + EYE_TO_CROWN + calibration.positions[HEAD, 1]
    calibration = replace(calibration, height=float(np.clip(standing, *HEIGHT_RANGE)))
    devices = calibration.place_devices(joints)
    times = devices.times
    header = {
        "count": len(devices), "points": devices.positions.shape[1], "height": calibration.height,
        "rate": 1 / np.median(np.diff(times)) if len(times) > 1 else 60.0,
    }  # fmt: skip
    bits = (devices.valid[:, WORN].astype(np.uint32) << np.array(WORN, np.uint32)).sum(axis=1, dtype=np.uint32)
    rotations = to_webxr(devices.rotations)
    return pack(MOTION, header, {"valid": bits, "positions": devices.positions, "rotations": rotations})


def _walk(moves: list[Move]) -> Trackers:
    clip = walk(path_of_moves(moves), seed=SEED, name="simulated").clip
    return _close(track_joints(clip))


def _close(joints: Trackers) -> Trackers:
    """Bend a way so that it ends where it began, and can be replayed for ever."""
    heads = joints.positions[:, HEAD]
    share = np.linspace(0, 1, len(heads))
    share = share * share * (3 - 2 * share)
    forward = quaternion.rotate(joints.rotations[[0, -1], HEAD], np.array([0.0, 0, 1]))
    first, last = np.arctan2(forward[:, 0], forward[:, 2])
    turns = -share * np.angle(np.exp(1j * (last - first)))
    away = joints.positions - heads[:1] * [1, 0, 1]
    positions = rotate_about_y(away, turns[:, None])
    positions -= share[:, None, None] * ((positions[-1, HEAD] - positions[0, HEAD]) * [1, 0, 1])
    about = rotation.from_axis_angle(np.array([0.0, 1, 0]), turns)[:, None]
    return replace(joints, positions=positions, rotations=quaternion.multiply(about, joints.rotations))


def _look_around(joints: Trackers, *, most: float) -> Trackers:
    """Turn the head as people with headsets do; it begins and ends straight ahead."""
    t = joints.times / joints.times[-1]
    n = round(joints.times[-1] / 5)
    return _turn_heads(joints, most * (0.7 * np.sin(2 * np.pi * n * t) + 0.3 * np.sin(2 * np.pi * (2 * n + 1) * t)))


def _turn_heads(joints: Trackers, yaws: np.ndarray) -> Trackers:
    rotations = joints.rotations.copy()
    about = rotation.from_axis_angle(np.array([0.0, 1, 0]), yaws)
    rotations[:, HEAD] = quaternion.multiply(about, rotations[:, HEAD])
    return replace(joints, rotations=rotations)


def _bump(t: np.ndarray, start: float, stop: float) -> np.ndarray:
    """From 0 to 1 and back, softly, within a span of time."""
    rise = np.clip(np.minimum(t - start, stop - t) / 0.8, 0, 1)
    return rise * rise * (3 - 2 * rise)


def _lead(positions: np.ndarray, rotations: np.ndarray, hand: int, to: np.ndarray, share: np.ndarray) -> None:
    """Blend a hand towards places (F, 3); there it points ahead with the palm inwards."""
    side = 1.0 if hand == LEFT_HAND else -1.0
    positions[:, hand] += share * (to - positions[:, hand])
    # from the T-pose: the fingers turn from the side to the front, the thumb from the front up
    ahead = quaternion.multiply(
        rotation.from_axis_angle(np.array([0.0, 1, 0]), -side * np.pi / 2),
        rotation.from_axis_angle(np.array([1.0, 0, 0]), -np.pi / 2),
    )
    rotations[:, hand] = quaternion.slerp(rotations[:, hand], ahead, share[:, 0])
