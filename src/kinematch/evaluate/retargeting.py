"""How good a retarget is: feet that stand and do not slip, arms outside of the body, joints that bend as they can."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.motion.clip import Clip
from kinematch.motion.inverse_kinematics import find_hinge
from kinematch.motion.retarget.body import Corrections, find_parts, make_corrections
from kinematch.motion.retarget.bulk import Bulk
from kinematch.motion.retarget.measures import measure_gaps
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.retarget.settings import ROTATIONS_ONLY, RetargetSettings
from kinematch.motion.role_names import ARM, LEG, SIDES
from kinematch.motion.skeleton import Skeleton

SUNK = 0.005  # m below the floor from which a frame counts
STANDING_HEIGHT = 0.01  # m from the floor within which a planted sole stands on it
INVERTED = np.radians(5)  # a knee or elbow bent the wrong way by more; rest poses are not exact to less
INSIDE = 0.01  # m inside of trunk or head from which a frame counts
TARGETS = ("hips", "head", "left_hand", "right_hand", "left_foot", "right_foot")
LIMBS = [(f"{side}_{limb[0]}", f"{side}_{limb[1]}", f"{side}_{limb[2]}") for side in SIDES for limb in (LEG, ARM[1:])]


@dataclass(frozen=True)
class RetargetMeasure:
    """One measure: source, rotations alone, corrected; and what it should be."""

    name: str
    text: str
    unit: str
    values: tuple[float, float, float]  # NaN where it means nothing
    aim: float | None = None
    most: float | None = None  # that the corrected one may have, from the aim and the source

    @property
    def met(self) -> bool | None:
        judged = self.values[1 if np.isnan(self.values[2]) else 2]
        return None if self.most is None else bool(judged <= self.most)


@dataclass(frozen=True, eq=False)
class RetargetScore:
    frames: int
    seconds: float
    scale: float
    rows: tuple[RetargetMeasure, ...]
    notes: tuple[str, ...]  # what could not be matched


class _Pool:
    """Measures of one body over all clips, in metres, seconds and radians."""

    def __init__(self) -> None:
        self.values: dict[str, list[np.ndarray]] = {}

    def add(self, **values: np.ndarray) -> None:
        for name, value in values.items():
            self.values.setdefault(name, []).append(np.atleast_1d(value))

    def get(self, name: str) -> np.ndarray:
        return np.concatenate(self.values.get(name, [np.zeros(0)]))

    def mean(self, name: str) -> float:
        values = self.get(name)
        return float(values.mean()) if len(values) else float("nan")

    def largest(self, name: str) -> float:
        return float(self.get(name).max(initial=0.0))


def score_retarget(
    clips: Sequence[Clip],
    target: Skeleton,
    settings: RetargetSettings | None = None,
    *,
    bulk: Bulk | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RetargetScore:
    """Clips of one rig on another skeleton; each is put on the floor first. Slip and heights are in its metres."""
    if not clips:
        raise KinematchError("there is no motion to retarget")
    settings = settings or RetargetSettings()
    pools = _Pool(), _Pool(), _Pool()
    frames, seconds, scale = 0, 0.0, 1.0
    notes: tuple[str, ...] = ()
    back = []
    retarget(clips[0].frames(0, 1), target, settings, bulk=bulk)  # compile before the clock runs
    for number, given in enumerate(clips):
        if progress is not None:
            progress(number, len(clips))
        clip = put_on_floor(given)
        plan = Retargeting(clip.skeleton, target, ROTATIONS_ONLY)
        scale, notes = plan.scale, plan.problems
        fixes = make_corrections(clip.skeleton, target, RetargetSettings(), scale=scale, bulk=bulk)
        contacts = find_contacts(clip, [f"role:{side}_{_find_end(clip.skeleton, side)}" for side in SIDES])
        plain = retarget(clip, target, ROTATIONS_ONLY, bulk=bulk)
        began = perf_counter()
        corrected = retarget(clip, target, settings, bulk=bulk)
        seconds += perf_counter() - began
        frames += clip.frame_count
        source = kinematics.global_pose(clip)[0].astype(np.float64)
        for pool, body, which in zip(pools, (clip, plain, corrected), (0, 1, 1)):
            _measure(pool, body, which, fixes, contacts)
            if which:
                _compare(pool, body, source, clip.skeleton, scale)
        back.append(_measure_return(clip, retarget(plain, clip.skeleton, ROTATIONS_ONLY), target))
    return RetargetScore(
        frames, seconds, scale, _make_rows(pools, scale, np.concatenate(back), frames / seconds), notes
    )


def _find_end(skeleton: Skeleton, side: str) -> str:
    return "toes" if f"{side}_toes" in skeleton.roles else "foot"


def _measure(pool: _Pool, clip: Clip, which: int, fixes: Corrections, contacts: np.ndarray) -> None:
    skeleton = clip.skeleton
    places, turns = (array.astype(np.float64) for array in kinematics.global_pose(clip))
    feet = fixes.legs[:, 2] if which else fixes.source_legs[:, 1]
    balls = places[:, feet] + quaternion.rotate(turns[:, feet], fixes.balls if which else fixes.source_balls)
    soles = np.stack([_find_lowest(skeleton, (places, turns), fixes, which, k) for k in range(len(feet))], axis=1)
    moved = np.gradient(balls[..., [0, 2]], clip.dt, axis=0) if clip.frame_count > 1 else np.zeros_like(balls[..., :2])
    planted = contacts[:, : len(feet)]
    pool.add(
        depth=np.maximum(-soles.min(axis=1), 0.0),
        slip=np.linalg.norm(moved, axis=-1)[planted],
        sole=np.abs(soles)[planted],
    )
    bends = np.stack([_measure_bend(skeleton, places, turns, limb) for limb in LIMBS], axis=1)
    pool.add(inverted=(bends < -INVERTED).any(axis=1), bend=-bends.min(axis=1))
    gaps = np.full(clip.frame_count, np.inf)
    for arm in fixes.arms if which else fixes.source_arms:
        middle = (places[:, arm[1]] + places[:, arm[2]]) / 2
        for point in (places[:, arm[1]], middle, places[:, arm[2]]):
            gaps = np.minimum(gaps, np.min([gap for gap, _ in measure_gaps(fixes, which, (places, turns), point)], 0))
    pool.add(inside=gaps < -INSIDE * (float(fixes.lengths.mean() / fixes.source_lengths.mean()) if which else 1.0))
    joints = sorted(set(skeleton.roles.values()))
    local = clip.rotations[:, joints].astype(np.float64)
    if clip.frame_count > 1:
        pool.add(speed=quaternion.angle(local[1:], local[:-1]).max(axis=1) * clip.frame_rate)


def _find_lowest(
    skeleton: Skeleton, pose: tuple[np.ndarray, np.ndarray], fixes: Corrections, which: int, leg: int
) -> np.ndarray:
    """Height (F,) of the lowest point of a foot, end sites and the soles of meshes included."""
    points = find_parts(skeleton, int(fixes.source_legs[leg, 1]), True)
    if which:
        own = fixes.sole_legs == leg
        points = list(zip(fixes.sole_joints[own].tolist(), fixes.sole_offsets[own]))
    heights = [pose[0][:, j, 1] + quaternion.rotate(pose[1][:, j], offset)[:, 1] for j, offset in points]
    return np.min(heights, axis=0)


def _measure_bend(skeleton: Skeleton, places: np.ndarray, turns: np.ndarray, limb: tuple[str, str, str]) -> np.ndarray:
    """The angle (F,) by which a knee or elbow is bent, negative where it is bent the wrong way.

    One that is bent sideways, about an axis more than 60 degrees from its hinge, is twisted but not bent back.
    """
    upper, middle, end = (skeleton.roles[role] for role in limb)
    u, v = places[:, middle] - places[:, upper], places[:, end] - places[:, middle]
    bend = np.cross(u, v)
    hinge = quaternion.rotate(turns[:, upper], find_hinge(skeleton, limb[0]))
    size, along = np.linalg.norm(bend, axis=-1), np.sum(bend * hinge, axis=-1)
    return np.arctan2(np.where(np.abs(along) > size / 2, along, size), np.sum(u * v, axis=-1))


def _compare(pool: _Pool, body: Clip, source: np.ndarray, skeleton: Skeleton, scale: float) -> None:
    """Targets against the scaled ones of the source; limbs against their directions there."""
    places = kinematics.global_pose(body)[0].astype(np.float64)
    away = [
        np.linalg.norm(places[:, body.skeleton.roles[role]] - scale * source[:, skeleton.roles[role]], axis=-1)
        for role in TARGETS
    ]
    pool.add(deviation=np.mean(away, axis=0) / scale)
    angles = []
    for limb in LIMBS:
        for start, stop in ((limb[0], limb[1]), (limb[1], limb[2])):
            a, b = (
                quaternion.unit(pose[:, rig.roles[stop]] - pose[:, rig.roles[start]])
                for pose, rig in ((places, body.skeleton), (source, skeleton))
            )
            angles.append(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))
    pool.add(limbs=np.mean(angles, axis=0))


def _measure_return(clip: Clip, back: Clip, target: Skeleton) -> np.ndarray:
    """Angles (F,) between joints that both rigs have, there and back, the mean over joints."""
    shared = sorted({clip.skeleton.roles[role] for role in target.roles if role in clip.skeleton.roles})
    turns = [kinematics.global_pose(one)[1][:, shared].astype(np.float64) for one in (clip, back)]
    return quaternion.angle(*turns).mean(axis=1)


def _make_rows(
    pools: tuple[_Pool, _Pool, _Pool], scale: float, back: np.ndarray, rate: float
) -> tuple[RetargetMeasure, ...]:
    sizes = 1.0, scale, scale  # slip is compared at the source's size

    def every(find: Callable[[_Pool], float]) -> tuple[float, float, float]:
        return find(pools[0]), find(pools[1]), find(pools[2])

    nan = float("nan")
    slips = [100 * pool.mean("slip") / size for pool, size in zip(pools, sizes)]
    sunk = every(lambda pool: 100 * float(np.mean(pool.get("depth") > SUNK)))
    stands = every(
        lambda pool: 100 * float(np.mean(pool.get("sole") > STANDING_HEIGHT)) if len(pool.get("sole")) else nan
    )
    degrees = 180 / np.pi

    def after(name: str, factor: float) -> tuple[float, float, float]:
        """Of what is measured against the source."""
        return 0.0, factor * pools[1].mean(name), factor * pools[2].mean(name)

    return (
        RetargetMeasure("deviation", "deviation of targets, at the source's size", "cm", after("deviation", 100)),
        RetargetMeasure("limbs", "direction of limbs", "degrees", after("limbs", degrees)),
        RetargetMeasure("depth", "deepest below the floor", "cm", every(lambda pool: 100 * pool.largest("depth"))),
        RetargetMeasure("sunk", f"frames deeper than {100 * SUNK:g} cm", "%", sunk, 0.1, 0.1),
        RetargetMeasure("sole", "sole from the floor at contacts", "cm", every(lambda pool: 100 * pool.mean("sole"))),
        RetargetMeasure("floating", f"contacts farther than {100 * STANDING_HEIGHT:g} cm", "%", stands, 0.0, 0.1),
        RetargetMeasure("slip", "slip in stance, at the source's size", "cm/s", (slips[0], slips[1], slips[2]), 1.2,
            1.2 * slips[0]),
        RetargetMeasure("collision", f"frames with an arm {100 * INSIDE:g} cm in the body", "%",
            every(lambda pool: 100 * pool.mean("inside"))),
        RetargetMeasure("inverted", "frames with a knee or elbow bent back", "%",
            every(lambda pool: 100 * pool.mean("inverted")), 0.0, 0.0),
        RetargetMeasure("speed", "largest joint speed", "rad/s", every(lambda pool: pool.largest("speed"))),
        RetargetMeasure("back", "there and back, rotations alone", "degrees",
            (nan, degrees * float(back.mean()), nan), 3.0, 3.0),
        RetargetMeasure("rate", "frames a second", "1/s", (nan, nan, rate)),
    )  # fmt: skip
