"""What is measured of directions: those fed to matching, those of the shown hips, and where a camera sees the hips."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematch.camera.landmarks import Landmarks
from kinematch.evaluate.vr.measures import WARM_UP, find_direction_errors, find_hips_errors
from kinematch.evaluate.vr.performance import Performance
from kinematch.evaluate.vr.users import SimulatedUser
from kinematch.motion.heading import yaw_direction

SPIKE_DEGREES, SPIKE_SECONDS = 45.0, 0.5  # degrees and s: a body that is turned wrongly for long enough to be noticed
TURNS = np.radians(60)  # rad/s of a body that turns
APART = 0.15  # m along the way between the feet when one is ahead
VISIBLE = 0.5  # of hips that are seen


class CameraColumn(NamedTuple):
    name: str
    text: str


COLUMNS = (
    CameraColumn("fed", "fed, mean"),
    CameraColumn("fed_p95", "95 %"),
    CameraColumn("seen", "hips seen"),
    CameraColumn("unseen", "not seen"),
    CameraColumn("rendered", "rendered, mean"),
    CameraColumn("rendered_p95", "95 %"),
    CameraColumn("turning", "while turning"),
    CameraColumn("spikes", "spikes"),
    CameraColumn("feet", "own foot, %"),
    CameraColumn("share", "seen, %"),
)


class CameraPoseError(NamedTuple):
    """How far a camera's pose is off."""

    user: str
    yaw: float  # degrees
    place: float  # cm
    offset: float  # ms


def find_seen(user: SimulatedUser, landmarks: Landmarks) -> np.ndarray:
    """(F,) whether the last picture that is known shows the hips."""
    hips = landmarks.visibility[:, landmarks.find(("left_hip", "right_hip"))].min(axis=1) > VISIBLE
    last = np.searchsorted(landmarks.times, user.devices.times, side="right") - 1
    return np.where(last >= 0, hips[np.maximum(last, 0)], False)


def find_spikes(errors: np.ndarray, rate: float) -> list[slice]:
    """Stretches over which errors (F,) in degrees stay beyond what is noticed, for long."""
    large = np.concatenate([[False], np.abs(errors) > SPIKE_DEGREES, [False]])
    starts, stops = (np.flatnonzero(np.diff(large.astype(int)) == sign) for sign in (1, -1))
    return [slice(start, stop) for start, stop in zip(starts, stops) if stop - start > SPIKE_SECONDS * rate]


def compare_feet(one: Performance) -> np.ndarray:
    """(M,) whether the avatar has the same foot ahead as its user, at the moments at which one of the user's is."""
    ahead = []
    for skeleton, places in ((one.user.skeleton, one.user.positions), (one.skeleton, one.global_positions)):
        left, right = (places[:, skeleton.roles[f"{side}_foot"]] for side in ("left", "right"))
        ahead.append(((left - right) * yaw_direction(one.user.yaws)).sum(axis=-1))
    start = round(WARM_UP * one.user.rate)
    user, avatar = (part[start:] for part in ahead)
    return (user * avatar > 0)[np.abs(user) > APART]


def measure_source(
    performances: Sequence[Performance], seen: Sequence[np.ndarray], truth: Sequence[Performance]
) -> dict[str, float]:
    """Errors in degrees over all users, without their first second; `spikes` are those that the true direction, fed
    instead, does not have."""
    fed, rendered, visible, turning = [], [], [], []
    spikes = 0
    for one, own, true in zip(performances, seen, truth):
        start, rate = round(WARM_UP * one.user.rate), one.user.rate
        errors = find_hips_errors(one)
        unavoidable = (np.abs(find_hips_errors(true)) > SPIKE_DEGREES)[start:]
        spikes += sum(not unavoidable[spike].any() for spike in find_spikes(errors[start:], rate))
        fed.append(np.abs(find_direction_errors(one))[start:])
        rendered.append(np.abs(errors)[start:])
        visible.append(own[start:])
        turning.append((np.abs(np.gradient(one.user.yaws, 1 / rate)) > TURNS)[start:])
    f, r, v, t = (np.concatenate(part) for part in (fed, rendered, visible, turning))
    return {
        "fed": float(f.mean()), "fed_p95": float(np.quantile(f, 0.95)), "fed_p90": float(np.quantile(f, 0.9)),
        "seen": _mean(f[v]), "unseen": _mean(f[~v]), "rendered": float(r.mean()),
        "rendered_p95": float(np.quantile(r, 0.95)), "turning": _mean(r[t]), "spikes": float(spikes),
        "share": float(100 * v.mean()),
        "feet": 100 * _mean(np.concatenate([compare_feet(one) for one in performances])),
    }  # fmt: skip


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
