"""Recorder: frames that come in at uneven times, from VMC or a pose stream, become one clip at an even rate."""

from collections.abc import Mapping

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.roles import ROLES
from kinematch.motion.skeleton import Skeleton, skeleton
from kinematch.stream.bones import NAMES, ROOT, Placement, find_parent
from kinematch.stream.vmc_in import VmcReceiver

MAX_FRAMES = 100_000  # 28 minutes at 60 a second; as VMC 160 MB of memory
COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 75.0, 90.0, 100.0, 120.0)
RATE_TOLERANCE = 0.04  # relative difference of a measured rate from the common one that is meant
ORDER = (ROOT, *ROLES)


class VmcRecorder:
    """Keeps the bones of every frame that a receiver hears of."""

    def __init__(self, receiver: VmcReceiver):
        self.receiver = receiver
        self._frames: list[np.ndarray] = []  # (R, 7) float32, in the order of ORDER: position and rotation, or NaN
        self._times: list[tuple[float, float]] = []  # s: as the sender says, and of arrival

    def __len__(self) -> int:
        return len(self._frames)

    def update(self, now: float) -> bool:
        """Take in what has arrived until `now` [s]; whether a frame with bones was among it."""
        if not self.receiver.update() or not (bones := self.receiver.find_local_bones()):
            return False
        if len(self) < MAX_FRAMES:
            self._frames.append(_to_row(bones))
            self._times.append((self.receiver.seconds, now))
        return True

    def make_clip(self, frame_rate: float | None = None) -> Clip:
        """All that was heard, on a skeleton of the bones that came: its rest pose is the T-pose.

        Bones that were missing in a frame stay as they were; those missing in most frames are left out.
        """
        if not self._frames:
            raise KinematchError(
                "no bones were received; from a headset and trackers alone, `kinematch play --vr --vmc-in` makes a body"
            )
        frames = np.stack(self._frames)
        heard = np.isfinite(frames[:, :, 0])
        kept = [k for k, role in enumerate(ORDER) if role != ROOT and heard[:, k].mean() > 0.5]
        if not kept:
            raise KinematchError("no bone was received in most frames")
        own = [0, *sorted(kept, key=lambda k: _depth(ORDER[k]))]  # parents first
        values = _fill_gaps(frames[:, own], heard[:, own])
        rig = _make_skeleton([ORDER[k] for k in own], np.median(values[:, :, :3], axis=0))
        times = np.array(self._times)
        said, arrived = times.T
        steady = np.mean(np.diff(said) > 0) > 0.9 if len(said) > 1 else False  # whether the sender sends its time
        return even_out(
            rig, said if steady else arrived, values[:, :, :3], values[:, :, 3:], frame_rate, Origin(format="vmc")
        )


def _to_row(bones: Mapping[str, Placement]) -> np.ndarray:
    row = np.full((len(ORDER), 7), np.nan, np.float32)
    for k, role in enumerate(ORDER):
        if role in bones:
            row[k, :3], row[k, 3:] = bones[role]
    return row


def _depth(role: str) -> int:
    depth = 0
    while role != ROOT:
        role, depth = find_parent(role, ORDER), depth + 1
    return depth


def _fill_gaps(values: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """The last value that was heard; before the first, the first; a bone never heard of (the root) rests."""
    numbers = np.arange(len(values))[:, None]
    last = np.maximum.accumulate(np.where(heard, numbers, -1), axis=0)
    last = np.where(last < 0, np.argmax(heard, axis=0), last)
    filled = np.take_along_axis(values, last[..., None], axis=0)
    return np.where(np.isfinite(filled), filled, np.array([0, 0, 0, 1, 0, 0, 0], np.float32))


def _make_skeleton(roles: list[str], offsets: np.ndarray) -> Skeleton:
    """Bones named as Unity names them. They are counted from the T-pose, so that is where nothing turns."""
    parents = [-1, *(roles.index(find_parent(role, roles)) for role in roles[1:])]
    offsets = np.concatenate([np.zeros((1, 3)), offsets[1:]])
    names = ["Root", *(NAMES[role] for role in roles[1:])]
    rig = skeleton(names, parents, offsets, roles={role: k for k, role in enumerate(roles)})
    return rig.with_tpose(quaternion.identity((len(roles),)))


def even_out(
    rig: Skeleton,
    times: np.ndarray,
    positions: np.ndarray,
    rotations: np.ndarray,
    frame_rate: float | None,
    source: Origin,
) -> Clip:
    """A clip from local poses (F, J, ...) at times (F,) s, interpolated at even steps; without a rate, their own."""
    later = np.concatenate([[True], times[1:] > np.maximum.accumulate(times)[:-1]])  # a clock may go backwards
    times, positions, rotations = times[later] - times[0], positions[later], rotations[later]
    rate = frame_rate or find_rate(times)
    even = np.arange(int(times[-1] * rate + 1e-3) + 1) / rate
    after = np.clip(np.searchsorted(times, even - 1e-6), 0, len(times) - 1)
    before = np.maximum(after - 1, 0)
    gaps = times[after] - times[before]
    share = np.where(gaps > 0, (even - times[before]) / np.where(gaps > 0, gaps, 1.0), 1.0).clip(0, 1)
    share[np.abs(even - times[after]) < 1e-6] = 1.0  # times of a steady clock: frames stay as they came
    share = share[:, None, None]
    places = np.where(share == 1, positions[after], positions[before] + share * (positions[after] - positions[before]))
    turns = quaternion.slerp(rotations[before], rotations[after], share[..., 0])
    turns = np.where(share == 1, rotations[after], turns)
    return Clip(rig, places, quaternion.unroll(quaternion.normalize(turns)), rate, "recorded", source=source)


def find_rate(times: np.ndarray) -> float:
    """Frames a second of times [s]: a common rate where it is near one."""
    if len(times) < 2:
        return 60.0
    measured = 1 / float(np.median(np.diff(times)))
    near = min(COMMON_RATES, key=lambda rate: abs(rate / measured - 1))
    return near if abs(near / measured - 1) < RATE_TOLERANCE else round(measured, 3)
