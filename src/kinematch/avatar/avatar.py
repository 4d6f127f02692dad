"""Avatar: the full bodies of N users, from what their trackers say to poses, step by step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from kinematch.avatar.calibration import Calibration
from kinematch.avatar.controller import TrackerController
from kinematch.avatar.levels import find_levels, tag_heights
from kinematch.avatar.orientation import Direction, DirectionEstimator, make_estimator
from kinematch.avatar.seat import Seat
from kinematch.avatar.trackers import HEAD, Trackers
from kinematch.avatar.upper_body import UpperBody
from kinematch.character import Crowd, Settings
from kinematch.character.crowd import Ask
from kinematch.character.describe import Motion, describe_motion, open_motion
from kinematch.character.pose import Pose
from kinematch.control.command import follow_trajectory
from kinematch.control.trajectory import Trajectory
from kinematch.database.rebuild import retarget_database
from kinematch.database.storage import Database
from kinematch.errors import KinematchError, unknown
from kinematch.motion import kinematics
from kinematch.motion.skeleton import Skeleton
from kinematch.search import Matcher

Fit = Literal["avatar", "space", "none"]
# s in one piece: trackers say where the body is, and halves of a step would cost twice the time
MAX_STEP_SECONDS = 0.05
HEIGHT_HALFLIFE = 0.15  # s over which the height of the head is averaged to choose a level
# a user's own way counts more than smooth transitions, and the upper body places the pelvis
SETTINGS = Settings(
    responsiveness=2.0,
    adjustment_halflife=0.15,
    adjustment_ratio=0.6,
    turn_halflife=0.1,
    turn_ratio=1.0,
    clamp_angle=0.5,
    synchronization_halflife=1.0,
    pelvis=False,
    lock_halflife=0.08,
    clearance=0.04,  # a foot that a straying user drags along takes a step instead
)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What an avatar made of the trackers in its last step, of N users."""

    joints: Trackers  # in the avatar's space
    direction: Direction  # where the bodies face
    levels: np.ndarray  # (N,) of the motion's levels
    ratios: np.ndarray  # (N,) height of the head, as a share of its height in an upright stand


class Avatar:
    """The bodies of N users of a headset, controllers and other trackers."""

    def __init__(
        self,
        motions: Motion | Mapping[str, Motion],
        *,
        count: int = 1,
        skeleton: Skeleton | None = None,
        calibration: Calibration | None = None,
        fit: Fit = "avatar",
        accuracy: float = 0.1,
        estimator: DirectionEstimator | None = None,
        levels: Sequence[str] | None = None,
        settings: Settings = SETTINGS,
        matcher: Callable[[Database], Matcher] | None = None,
        asks: Sequence[Ask] = (),
    ):
        """`motions`: a database, packed or not, a model or a motion source, or several of them by name, of which the
        first plays until `play` names another. `skeleton`: the body to show, if not the motion's own. `fit`: scale the
        avatar to the user, the user's space to the avatar, or nothing. `accuracy` (m): how far the root may be from its
        place below the head (MMVR 5.4), 0.1 for oneself, 0.3 for others. `levels`: tag filters for different heights of
        the head, if not level0, level1, ... and tiptoe. `matcher`: makes the search of a database; avatars that are
        stepped one after another can share one. `asks`: change queries before they are searched, as in a crowd.
        """
        given = dict(motions) if isinstance(motions, Mapping) else {"": motions}
        if not given:
            raise KinematchError("an avatar of no motion, expected a database, a model or a motion source")
        opened = [open_motion(one) for one in given.values()]
        self.names = tuple(given)
        self.motions = [match_body(one, opened[0]) for one in opened]
        self._own_skeleton = describe_motion(self.motions[0]).skeleton
        self._shown = skeleton or self._own_skeleton
        if levels is None:
            self.motions = [tag_heights(one) for one in self.motions]
        if fit not in get_args(Fit):
            raise KinematchError(unknown("fit", str(fit), get_args(Fit)))
        self.fit: Fit = fit
        self.source = 0  # which of the motions plays
        self.estimator = make_estimator() if estimator is None else estimator
        self.levels = [find_levels(motion, levels) for motion in self.motions]
        self._count, self._settings, self._matcher = count, replace(settings, clamp_distance=accuracy), matcher
        self._asks = asks
        self.estimate: Estimate | None = None  # of the last step
        self.calibrate(calibration or Calibration())

    @property
    def skeleton(self) -> Skeleton:
        """The body that is shown."""
        return self.crowd.skeleton

    @property
    def count(self) -> int:
        """N."""
        return self._count

    def calibrate(self, calibration: Calibration) -> None:
        """Fit the avatar to its user again; it restarts where the user is."""
        own, shown = (self._measure_head(one) for one in (self._own_skeleton, self._shown))
        first = self.levels[0]
        standing = first.heads[first.upright, 1] * shown / own  # m, height of the head of the avatar that stands
        factor = calibration.head_height / standing
        skeleton = self._shown.with_scale(factor) if self.fit == "avatar" else self._shown
        self.calibration = replace(calibration, scale=1 / factor if self.fit == "space" else 1.0)
        self._standing = calibration.head_height * self.calibration.scale
        self._heights = np.full(self._count, self._standing)
        self._levels = np.full(self._count, -1)
        self.crowd = Crowd(
            self.motions, self._count, skeleton=skeleton, settings=self._settings, matcher=self._matcher,
            asks=self._asks,
        )  # fmt: skip
        self.crowd.longest_step = MAX_STEP_SECONDS
        self.upper_body = UpperBody(self.crowd.skeleton, self._count)
        self.crowd.layers = [self.upper_body]
        self.seat = Seat(self.crowd.skeleton, self._count)
        self.controller = TrackerController(self._count)
        self.estimator.reset(
            self._count, head_heights=np.full(self._count, self._standing),
            arm_lengths=np.full(self._count, calibration.arm_length * self.calibration.scale),
        )  # fmt: skip
        self.estimate = None

    @property
    def root_positions(self) -> np.ndarray:
        """(N, 3) m in the avatar's space."""
        return self.crowd.root_positions

    @property
    def body_yaws(self) -> np.ndarray:
        """(N,) rad, where the trackers say that the bodies face."""
        return np.zeros(self._count) if self.estimate is None else self.estimate.direction.yaws

    def play(self, name: str) -> None:
        """Play another of the motions: one of dances makes the legs dance (thesis 5.2.2)."""
        if name not in self.names:
            raise KinematchError(unknown("motion", str(name), self.names))
        self.source = self.names.index(name)
        self._levels[:] = -1

    def step(self, devices: Trackers, dt: float) -> Pose:
        """The bodies of N users dt seconds after the last step, from what their devices say now."""
        trajectory = self.read_trackers(devices, dt)
        assert self.estimate is not None
        filters = [self.levels[self.source].filters[level] for level in self.estimate.levels]
        filter_ = None if filters[0] is None else [str(one) for one in filters]
        return self.crowd.step(follow_trajectory(trajectory, filter=filter_, source=self.source), dt)

    def read_trackers(self, devices: Trackers, dt: float) -> Trajectory:
        """Where N users are and will be, from what their devices say now; `estimate` has the rest."""
        if len(devices) != self._count:
            raise KinematchError(f"trackers of {len(devices)} users, expected {self._count}")
        joints = self._bridge_lost_heads(self.calibration.locate_joints(devices))
        direction = self.estimator.estimate(joints, dt)
        # for a seated user, motion matching sees a body that stands where the seat is
        worn, leading = joints, joints
        if self.calibration.seated:
            worn = self.seat.sit(joints, direction.yaws, dt)
            leading = self.seat.find_standing(joints, self._standing)
        elif self.seat.taken:
            self.seat.reset()
        heights, levels = leading.positions[:, HEAD, 1], self.levels[self.source]
        kept = 0.0 if self.estimate is None else 0.5 ** (dt / HEIGHT_HALFLIFE)
        self._heights = heights + (self._heights - heights) * kept
        ratios = self._heights / self._standing
        self._levels = levels.choose(ratios, self._levels)
        offsets = levels.find_offsets(ratios) * self.crowd.rig.scale
        yaws = self.seat.yaws if self.calibration.seated else direction.yaws
        trajectory = self.controller.predict(leading, yaws, offsets, dt)
        if self.estimate is None:
            self.crowd.start_over(trajectory.positions[:, 1], self.controller.yaws)
        self.upper_body.joints = worn
        self.estimate = Estimate(joints, direction, self._levels, ratios)
        return trajectory

    def _bridge_lost_heads(self, joints: Trackers) -> Trackers:
        """Heads that are not tracked stay where they were, at rest."""
        lost = ~joints.valid[:, HEAD]
        if not lost.any() or self.estimate is None:
            return joints
        before = self.estimate.joints
        fields = {name: getattr(joints, name).copy() for name in ("positions", "rotations", "velocities")}
        fields["positions"][lost, HEAD] = before.positions[lost, HEAD]
        fields["rotations"][lost, HEAD] = before.rotations[lost, HEAD]
        valid = joints.valid.copy()
        valid[lost, HEAD] = before.valid[lost, HEAD]
        return replace(joints, valid=valid, **fields)

    @staticmethod
    def _measure_head(skeleton: Skeleton) -> float:
        """Height (m) of the head joint in the T-pose."""
        if "head" not in skeleton.roles or skeleton.tpose is None:
            raise KinematchError("the skeleton has no head or no T-pose; an avatar needs a humanoid")
        return float(kinematics.tpose(skeleton)[0][skeleton.roles["head"], 1])


def match_body(motion: Motion, first: Motion) -> Motion:
    """A motion with the body and features of the first, so that characters can go between the two."""
    wanted, own = describe_motion(first), describe_motion(motion)
    if isinstance(motion, Database):
        like = first.features if isinstance(first, Database) else None
        return retarget_database(motion, wanted.skeleton, wanted.contact_joints, wanted.schema, like)
    difference = own.skeleton.difference(wanted.skeleton)
    if difference or own.schema != wanted.schema:
        what = f"another body ({difference})" if difference else "other features"
        raise KinematchError(
            f"{type(motion).__name__}: {what} than the first motion, and only databases can be retargeted; "
            "give this one first"
        )
    return motion
