"""Features: each kind defines, side by side, how it is built from a database and how a query is made at run time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinematch.database.measures import find_joint_axis, joint_motion, measure_root_paths
from kinematch.database.poses import FeaturePose, PoseDatabase
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton

Trajectory = Callable[[tuple[float, ...]], tuple[np.ndarray, np.ndarray]]
LARGEST_WEIGHT = 1e6  # a larger weight would leave the other features no influence
LONGEST_TIME = 60.0  # s, into the past or the future
AXES = {"forward": (0.0, 0.0, 1.0), "up": (0.0, 1.0, 0.0), "left": (1.0, 0.0, 0.0)}


@dataclass(frozen=True)
class Feature:
    """One block of columns of a feature vector, as a recipe or a schema names it."""

    kind: str  # position, velocity, direction, height, trajectory_position, trajectory_direction, or a user's own
    joint: str = ""  # a joint or role; trajectories have none
    times: tuple[float, ...] = ()  # s from now, negative for the past; trajectories only
    dimensions: int = 3  # 2 leaves the height out
    axis: str = "forward"  # direction only: which side of the joint, as it stands in the T-pose
    weight: float = 1.0  # multiplies the squared distance (thesis eq. 3.15)
    name: str = ""  # by which weights and reports refer to it; default: joint and kind
    width: int = 0  # columns; width and group come from the kind, or from the file of a database
    group: str = ""  # 'pose', weighted by quality, or 'trajectory', weighted by responsiveness

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{self.joint}_{self.kind}" if self.joint else self.kind)
        if not self.width or self.kind in BUILT_IN:  # the kind's own width stands; kernels know the columns by it
            found = find_kind(self)
            for need in ("joint", "times"):
                if bool(getattr(self, need)) < (need in found.needs):
                    raise KinematchError(f"feature {self.name!r}: a {self.kind} needs `{need}`")
            width = found.width(self)
            if not isinstance(width, int) or width < 1:
                raise KinematchError(f"feature {self.name!r}: width {width!r}, expected a whole number from 1 on")
            if (self.width or width, self.group or found.group) != (width, found.group):
                told, own = f"width {self.width} and group {self.group!r}", f"{width} and {found.group!r}"
                raise KinematchError(f"feature {self.name!r}: {told}, expected {own}")
            object.__setattr__(self, "width", width)
            object.__setattr__(self, "group", found.group)
        if not 0 <= self.weight <= LARGEST_WEIGHT:
            raise KinematchError(f"feature {self.name!r}: weight {self.weight}, expected 0 to {LARGEST_WEIGHT:g}")
        for time in self.times:
            if not abs(time) <= LONGEST_TIME:
                raise KinematchError(
                    f"feature {self.name!r}: time {time} s, expected -{LONGEST_TIME:g} to {LONGEST_TIME:g}"
                )
        if self.dimensions not in (2, 3):
            raise KinematchError(f"feature {self.name!r}: dimensions = {self.dimensions}, expected 2 or 3")
        if self.axis not in AXES:
            raise KinematchError(f"feature {self.name!r}: {unknown('axis', self.axis, AXES)}")


@dataclass(frozen=True, eq=False)
class QueryInput:
    """What queries of N characters are made from, in physical units (m, m/s)."""

    skeleton: Skeleton | None = None  # the pose's skeleton
    pose: FeaturePose | None = None  # (N, J, ...) of the frames that play, with velocities
    current: np.ndarray | None = None  # (N, D) features of the frames that play, as stored
    trajectory: Trajectory | None = None  # times (s) -> positions (N, H, 3) m, directions (N, H, 3), in the root's axes


@dataclass(frozen=True)
class FeatureKind:
    group: Literal["pose", "trajectory"]  # weighted by quality or by responsiveness
    width: Callable[[Feature], int]
    build: Callable[[Feature, PoseDatabase], np.ndarray]  # (F, width)
    query: Callable[[Feature, QueryInput], np.ndarray] | None  # (N, width); None: as stored for the frame that plays
    needs: frozenset[str] = frozenset()  # which of joint and times must be given


KINDS: dict[str, FeatureKind] = {}


def find_kind(feature: Feature) -> FeatureKind:
    if feature.kind not in KINDS:
        raise KinematchError(f"{unknown('feature kind', feature.kind, KINDS)} (register_feature adds your own)")
    return KINDS[feature.kind]


def register_feature(
    name: str,
    *,
    build: Callable[[Feature, PoseDatabase], np.ndarray],
    query: Callable[[Feature, QueryInput], np.ndarray] | None = None,
    width: int | Callable[[Feature], int],
    group: Literal["pose", "trajectory"] = "pose",
) -> None:
    """Add a kind of feature of your own; recipes then name it as their `kind`.

    `build(feature, poses)` returns the values (F, width) of all frames that it is given: a recipe is built a clip at a
    time. `query(feature, given)` returns what to search
    for, (N, width): `given.pose`, `given.skeleton` and `given.current` describe the frames that play, and
    `given.trajectory(times)` where the roots will be, or for negative times were: positions (N, H, 3) and directions
    (N, H, 3) in the root's axes. A feature of the group "pose" needs no `query`: a search then uses the stored values
    of the frame that plays, as it does for the built-in kinds.
    """
    if name in BUILT_IN:
        raise KinematchError(f"{name!r} is a built-in kind of feature; choose another name")
    if group not in ("pose", "trajectory"):
        raise KinematchError(unknown("feature group", str(group), ("pose", "trajectory")))
    if query is None and group != "pose":
        raise KinematchError(f"feature kind {name!r}: a {group} feature needs `query`, only pose features do without")
    KINDS[name] = FeatureKind(group, width if callable(width) else lambda _: width, build, query)


def _from_pose(
    measure: Callable[[Feature, Skeleton, FeaturePose], np.ndarray], width: Callable[[Feature], int]
) -> FeatureKind:
    """A kind measured on one pose: one function serves all frames of a database and all characters."""

    def build(feature: Feature, poses: PoseDatabase) -> np.ndarray:
        return measure(feature, poses.skeleton, poses.pose())

    def query(feature: Feature, input_: QueryInput) -> np.ndarray:
        if input_.pose is None or input_.skeleton is None:
            raise KinematchError(
                f"feature {feature.name!r} needs the current pose and its skeleton, or current features"
            )
        return measure(feature, input_.skeleton, input_.pose)

    return FeatureKind("pose", width, build, query, frozenset({"joint"}))


def _from_path(which: int, wanted: str) -> FeatureKind:
    """A kind read from the root's path: that of the clip in the database, predicted at run time."""

    def build(feature: Feature, poses: PoseDatabase) -> np.ndarray:
        paths = measure_root_paths(poses, feature.times)
        return np.concatenate([_flat(feature, (p.positions, p.directions)[which]) for p in paths], axis=-1)

    def query(feature: Feature, input_: QueryInput) -> np.ndarray:
        if input_.trajectory is None:
            raise KinematchError(f"feature {feature.name!r} needs a trajectory")
        samples = np.asarray(input_.trajectory(feature.times)[which])  # (N, H, 3)
        if samples.ndim != 3 or samples.shape[1:] != (len(feature.times), 3):
            raise KinematchError(
                f"trajectory {wanted} have shape {samples.shape}, expected (N, {len(feature.times)}, 3)"
            )
        return np.concatenate([_flat(feature, samples[:, h]) for h in range(samples.shape[1])], axis=-1)

    return FeatureKind("trajectory", lambda f: len(f.times) * f.dimensions, build, query, frozenset({"times"}))


def _flat(feature: Feature, v: np.ndarray) -> np.ndarray:
    return v if feature.dimensions == 3 else v[..., [0, 2]]


def _position(feature: Feature, skeleton: Skeleton, pose: FeaturePose) -> np.ndarray:
    return _flat(feature, joint_motion(skeleton, pose, skeleton.joint(feature.joint))[0])


def _velocity(feature: Feature, skeleton: Skeleton, pose: FeaturePose) -> np.ndarray:
    return _flat(feature, joint_motion(skeleton, pose, skeleton.joint(feature.joint))[2])


def _direction(feature: Feature, skeleton: Skeleton, pose: FeaturePose) -> np.ndarray:
    joint = skeleton.joint(feature.joint)
    _, rotations, _ = joint_motion(skeleton, pose, joint)
    return _flat(feature, quaternion.rotate(rotations, find_joint_axis(skeleton, joint, np.array(AXES[feature.axis]))))


def _height(feature: Feature, skeleton: Skeleton, pose: FeaturePose) -> np.ndarray:
    """Above the ground root, so that it means the same on a hill."""
    return joint_motion(skeleton, pose, skeleton.joint(feature.joint))[0][:, 1:2]


def make_trajectory(times: tuple[float, ...], positions: np.ndarray, directions: np.ndarray) -> Trajectory:
    """A trajectory for queries, known at the given times only, from positions and directions (N, H, 3)."""

    def at(wanted: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        missing = [time for time in wanted if time not in times]
        if missing:
            raise KinematchError(f"the trajectory has no sample at {missing} s, only at {list(times)}")
        columns = [times.index(time) for time in wanted]
        return positions[:, columns], directions[:, columns]

    return at


KINDS |= {
    "position": _from_pose(_position, lambda f: f.dimensions),
    "velocity": _from_pose(_velocity, lambda f: f.dimensions),
    "direction": _from_pose(_direction, lambda f: f.dimensions),
    "height": _from_pose(_height, lambda f: 1),
    "trajectory_position": _from_path(0, "positions"),
    "trajectory_direction": _from_path(1, "directions"),
}
BUILT_IN = frozenset(KINDS)
