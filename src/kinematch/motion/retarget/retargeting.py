"""Retargeting: prepared once for two skeletons, then applied to poses of one to get poses of the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError
from kinematch.motion.clean.root import with_root
from kinematch.motion.retarget import correct_kernels
from kinematch.motion.retarget import kernels as retarget_kernels
from kinematch.motion.retarget.body import Corrections, make_corrections
from kinematch.motion.retarget.bulk import Bulk
from kinematch.motion.retarget.joints import describe_gaps, map_joints
from kinematch.motion.retarget.plan import RetargetPlan, check_skeleton, freeze, make_plan
from kinematch.motion.retarget.settings import DEFAULT, RetargetSettings
from kinematch.motion.retarget.stances import find_shifts
from kinematch.motion.skeleton import Skeleton

NO_SHIFTS = np.zeros((0, 0, 3))


@dataclass(frozen=True, eq=False)
class Retargeting(Unchanging):
    """Puts poses of a source skeleton on a target skeleton (thesis 3.2.3).

    Joints of one role turn alike in the world, counted from the T-pose (eq. 3.23); trunks of different length share the
    bend along their way; joints that only the target has keep their T-pose in their parent's space. The middle between
    the hip joints moves as the source's, scaled by leg length and raised by the difference in ankle height. A ground
    root moves as the source's, scaled. Then come the corrections of `settings`: feet that stand where the source's
    stand, hands that keep their goals, arms outside of the trunk, twist joints.

    A character that is to stand on a target read from a file needs a ground root there: root.with_root adds one.
    """

    source: Skeleton
    target: Skeleton
    settings: RetargetSettings = DEFAULT
    bulk: Bulk | None = None  # measured on the target's mesh; else guessed from its skeleton
    scale: float = field(init=False)  # leg length of the target over that of the source; root motion scales with it
    joints: Mapping[str, str] = field(init=False)  # target joint -> source joint that it follows, the nearest of two
    problems: tuple[str, ...] = field(init=False)  # what could not be matched, in words
    plan: RetargetPlan = field(init=False, repr=False)  # the constants that apply uses
    fixes: Corrections | None = field(init=False, repr=False, default=None)  # those of corrections; None if all are off

    def __post_init__(self) -> None:
        check_skeleton(self.source, "source")
        check_skeleton(self.target, "target")
        joints = map_joints(self.source, self.target, fingers=self.settings.fingers)
        plan = make_plan(self.source, self.target, joints, self.bulk)
        nearest = np.where(joints.shares > 0.5, joints.high, joints.low)
        names = {
            name: self.source.names[joint] for name, joint in zip(self.target.names, nearest, strict=True) if joint >= 0
        }
        object.__setattr__(self, "scale", float(plan.scale[0]))
        object.__setattr__(self, "joints", MappingProxyType(names))
        object.__setattr__(self, "problems", describe_gaps(self.source, self.target, joints))
        object.__setattr__(self, "plan", plan)
        same = with_root(self.source).with_scale(self.scale).difference(with_root(self.target)) is None
        if self.settings.correct and not same:
            fixes = make_corrections(self.source, self.target, self.settings, scale=self.scale, bulk=self.bulk)
            object.__setattr__(self, "fixes", fixes)

    def apply(
        self,
        positions: np.ndarray,
        rotations: np.ndarray,
        out: tuple[np.ndarray, np.ndarray] | None = None,
        *,
        contacts: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Local positions (N, Jt, 3) and rotations (N, Jt, 4) of the target, float32.

        From local ones of the source, (N, Js, 3) and (N, Js, 4). `out` is a pair of arrays to fill instead of new ones.
        Poses stand alone, unless they are the frames of a clip and `contacts` (N, 2) say when its left and its right
        foot is planted: then these stand still and on the floor for as long.
        """
        positions = _prepare(positions, self.source.joint_count, 3, "positions")
        rotations = _prepare(rotations, self.source.joint_count, 4, "rotations")
        if len(positions) != len(rotations):
            raise KinematchError(f"{len(positions)} poses by their positions, {len(rotations)} by their rotations")
        shape = len(positions), self.target.joint_count
        if out is None:
            out = np.empty((*shape, 3), np.float32), np.empty((*shape, 4), np.float32)
        else:
            _check_out(out[0], (*shape, 3), (positions, rotations))
            _check_out(out[1], (*shape, 4), (positions, rotations, out[0]))
        retarget_kernels.retarget_poses(self.plan, positions, rotations, *out)
        if self.fixes is not None:
            shifts = NO_SHIFTS
            if contacts is not None and len(self.fixes.legs) == 2:
                flags = _check_contacts(contacts, len(positions))
                shifts = find_shifts(self.plan, self.fixes, (positions, rotations), out, flags)
            correct_kernels.correct_poses(self.plan, self.fixes, positions, rotations, freeze(shifts), *out)
        return out


def _check_contacts(contacts: np.ndarray, count: int) -> np.ndarray:
    flags = np.asarray(contacts, bool)
    if flags.shape != (count, 2):
        raise KinematchError(f"contacts have shape {flags.shape}, expected ({count}, 2): left foot, right foot")
    return flags


def _prepare(array: np.ndarray, joints: int, components: int, what: str) -> np.ndarray:
    """Contiguous, aligned, float32 and read-only for any input, so that the kernel is compiled once."""
    array = np.ascontiguousarray(array, np.float32)
    if not array.flags.aligned:
        array = array.copy()
    if array.ndim != 3 or array.shape[1:] != (joints, components):
        raise KinematchError(f"{what} have shape {array.shape}, expected (N, {joints}, {components})")
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


def _check_out(array: np.ndarray, shape: tuple[int, ...], inputs: tuple[np.ndarray, ...]) -> None:
    fits = type(array) is np.ndarray and array.dtype == np.float32 and array.shape == shape
    if not fits or not array.flags.carray:  # contiguous, aligned and writable
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise KinematchError(f"out holds {found}, expected a writable, contiguous float32 array of shape {shape}")
    if any(np.may_share_memory(array, other) for other in inputs):
        raise KinematchError("out must not be an array that is read or filled at the same time")
