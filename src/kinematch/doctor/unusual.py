"""Unusual: ranges in which the performer holds the upper body as in no other clip of the set at that speed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinematch.doctor.labels import SET_APART, UNUSUAL
from kinematch.doctor.left_out import usable
from kinematch.doctor.report import Activity, Report, UpperBodyRange
from kinematch.math.quaternion import Array
from kinematch.motion.clean.contacts import switch_with_hysteresis
from kinematch.motion.clean.root import body_forward
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.kinematics import global_pose, tpose
from kinematch.motion.labels.posture import HEAD_HEIGHT
from kinematch.motion.roles import missing_roles

POINTS = ("head", "left_hand", "right_hand")
LOOKS_PER_SECOND = 10.0
SPEED_SECONDS = 0.5  # over which the speed of the hips is averaged
SPEEDS = (0.3, 1.8, 3.0)  # m/s between standing, walking, jogging and running
MAX_APART = np.array([0.35, 0.65, 0.65])  # m of an adult that POINTS may be from where they usually are
GOES_ON = 0.7  # of that, above which a stretch goes on
COMMON_SHARE = 0.33  # of the time at a speed: what is seen as often is a way of moving, not an oddity
MIN_STRETCH_SECONDS = 0.3
AROUND_SECONDS = 0.2  # before and after, in which arms go up and down
MIN_BAND_SECONDS = 3.0  # of motion at a speed that say what is usual there
MAX_OWN_SHARE = 0.1  # of a band that is of one file, beyond which that file is compared with the others alone


def measure_upper_body(clip: Clip) -> UpperBodyRange | None:
    """Where head and hands are, from the hips along the body's ground axes; None for other rigs than humanoids."""
    skeleton = clip.skeleton
    if skeleton.tpose is None or missing_roles(skeleton.roles) or has_four_legs(skeleton):
        return None
    roles, reference = skeleton.roles, tpose(skeleton)[0]
    height = float(reference[roles["head"], 1] - reference[roles["left_foot"], 1])
    if height <= 0:
        return None
    step = max(1, round(clip.frame_rate / LOOKS_PER_SECOND))
    positions = global_pose(clip)[0].astype(np.float64) * (HEAD_HEIGHT / height)
    hips = positions[:, roles["hips"]]
    ahead = body_forward(clip)
    aside = np.stack([ahead[:, 2], np.zeros(len(ahead)), -ahead[:, 0]], axis=-1)
    axes = np.stack([aside, np.broadcast_to([0.0, 1.0, 0.0], aside.shape), ahead], axis=-1)
    apart = positions[:, [roles[point] for point in POINTS]] - hips[:, None]
    half = max(1, round(SPEED_SECONDS * clip.frame_rate / 2))
    ends = np.arange(len(hips))
    first, last = np.maximum(ends - half, 0), np.minimum(ends + half, len(hips) - 1)
    way = np.linalg.norm((hips[last] - hips[first])[:, [0, 2]], axis=-1)
    speeds = way * clip.frame_rate / np.maximum(last - first, 1)
    return UpperBodyRange(
        clip.frame_rate / step, speeds[::step].astype(np.float32), (apart @ axes)[::step].astype(np.float32)
    )


@dataclass(frozen=True, eq=False)
class _Usual:
    """Of one band of speeds."""

    places: Array  # (3, 3) m
    limits: Array  # (3,) m


def mark_unusual(reports: Sequence[Report]) -> list[Report]:
    """The reports with activities `unusual`, found by comparing files of one animation with all the others."""
    chosen = [report for report in reports if usable(report) and report.upper_body and len(report.clips) == 1]
    if not chosen:
        return list(reports)
    plain = [_find_plain(report) for report in chosen]
    files = np.concatenate([np.full(own.sum(), k) for k, own in enumerate(plain)])
    places = np.concatenate([_read(report).places[own] for report, own in zip(chosen, plain)])
    speeds = np.concatenate([_read(report).speeds[own] for report, own in zip(chosen, plain)])
    bands = np.searchsorted(SPEEDS, speeds)
    together = [_find_usual(places[bands == band]) for band in range(len(SPEEDS) + 1)]
    found = {}
    for k, report in enumerate(chosen):
        usual = list(together)
        for band in range(len(usual)):
            here = bands == band
            if here.any() and (files[here] == k).mean() > MAX_OWN_SHARE and len(chosen) > 1:
                usual[band] = _find_usual(places[here & (files != k)])
        found[report.path] = _find_stretches(report, plain[k], [_nearest(usual, band) for band in range(len(usual))])
    return [
        replace(report, activities=(*report.activities, *found[report.path])) if found.get(report.path) else report
        for report in reports
    ]


def _nearest(usual: Sequence[_Usual | None], band: int) -> _Usual | None:
    """What is usual in a band, or else in the nearest one that is known."""
    order = sorted(range(len(usual)), key=lambda other: abs(other - band))
    return next((usual[other] for other in order if usual[other] is not None), None)


def _read(report: Report) -> UpperBodyRange:
    assert report.upper_body is not None
    return report.upper_body


def _find_plain(report: Report) -> Array:
    """Looks (T,) that neither a calibration pose nor another label sets apart."""
    own = _read(report)
    times = np.arange(len(own.speeds)) / own.rate
    plain = np.ones(len(times), bool)
    aside = [(one.start, one.stop) for one in report.activities if one.name in SET_APART]
    for start, stop in [*aside, *(pose.drop for pose in report.calibration_poses)]:
        plain &= (times < start) | (times >= stop)
    return plain


def _find_usual(places: Array) -> _Usual | None:
    if len(places) < MIN_BAND_SECONDS * LOOKS_PER_SECOND:
        return None
    middle = np.median(places, axis=0)
    apart = np.linalg.norm(places - middle, axis=-1)
    return _Usual(middle, np.maximum(MAX_APART, np.quantile(apart, 1 - COMMON_SHARE, axis=0)))


def _find_stretches(report: Report, plain: Array, usual: Sequence[_Usual | None]) -> list[Activity]:
    own = _read(report)
    bands = np.searchsorted(SPEEDS, own.speeds)
    far = np.zeros(len(bands))  # as a share of the limit
    for band, one in enumerate(usual):
        if one is not None:
            here = bands == band
            apart = np.linalg.norm(own.places[here] - one.places, axis=-1)
            far[here] = (apart / one.limits).max(axis=-1, initial=0.0)
    far = np.where(plain, far, 0.0)
    flags = switch_with_hysteresis((far > 1.0)[:, None], (far < GOES_ON)[:, None])[:, 0]
    made: list[Activity] = []
    for start, stop in true_ranges(flags):
        if (stop - start) / own.rate < MIN_STRETCH_SECONDS:
            continue
        first = max(0.0, start / own.rate - AROUND_SECONDS)
        last = min(report.duration, stop / own.rate + AROUND_SECONDS)
        if made and first <= made[-1].stop:
            made[-1] = replace(made[-1], stop=round(last, 3))
        else:
            made.append(Activity(UNUSUAL, round(first, 3), round(last, 3)))
    return made
