"""RobotRetargeting: poses of a person in, places and joint angles of a robot out, frame by frame or all at once."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kinematch.errors import KinematchError
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.kernels.frames import retarget_frames
from kinematch.robot.model import RobotModel
from kinematch.robot.plan import RobotPlan, make_plan
from kinematch.robot.segments import Anatomy, find_anatomy
from kinematch.robot.tasks import TASK_NAMES, RobotSettings

CHUNK_FRAMES = 256  # frames between two steps of a progress bar


class RobotState(NamedTuple):
    """State from frame to frame."""

    base: np.ndarray  # (3,) m
    turn: np.ndarray  # (4,)
    angles: np.ndarray  # (D,) rad
    references: np.ndarray  # (D,) rad, decomposed
    last_target: np.ndarray  # (3,) m, of the hips in the frame before
    last_stray: np.ndarray  # (3,) m, of the base from it, one frame earlier
    last_angles: np.ndarray  # (D,) rad
    velocities: np.ndarray  # (D,) rad/s
    started: np.ndarray  # (1,) frames so far, two at most
    planted: np.ndarray  # (2,) 1 while a foot is locked
    anchors: np.ndarray  # (2, 2) m, x and z of locked tips
    slips: np.ndarray  # (2, 2) m, x and z from the target of an ankle to where the lock has it
    slip_speeds: np.ndarray  # (2, 2) m/s
    shares: np.ndarray  # (2,) from 0, free, to 1, flat on the floor
    headings: np.ndarray  # (2,) rad, of locked feet


class RobotWork(NamedTuple):
    """Scratch arrays of the kernels; nothing in them outlives a frame."""

    source_places: np.ndarray
    source_turns: np.ndarray
    targets: np.ndarray  # (T, 3)
    wanted: np.ndarray  # (S, 4)
    reached: np.ndarray  # (L, 4)
    places: np.ndarray  # (L, 3)
    turns: np.ndarray  # (L, 4)
    spins: np.ndarray  # (L, 3)
    ends: np.ndarray  # (C, 2, 3)
    matrix: np.ndarray  # (N, N)
    factor: np.ndarray  # (N, N)
    right: np.ndarray  # (N,)
    values: np.ndarray  # (N,)
    step: np.ndarray  # (N,)
    line: np.ndarray  # (N,)
    columns: np.ndarray  # (3, N)
    indices: np.ndarray  # (N,) int32
    free: np.ndarray  # (N,) int32
    held: np.ndarray  # (N,) int32
    ahead: np.ndarray  # (D,)
    ahead_base: np.ndarray  # (3,)
    pace: np.ndarray  # (2,) factors of costs of accelerations and of speeds at this dt
    bounds: np.ndarray  # (D, 2) rad that limits of angles, speeds and accelerations leave in this frame
    easy: np.ndarray  # (D, 2) rad, what is reached without haste
    best_base: np.ndarray  # (3,)
    best_turn: np.ndarray  # (4,)
    best_angles: np.ndarray  # (D,)


def make_state(hinges: int) -> RobotState:
    """Before the first frame."""
    pair, angles = np.zeros((2, 2)), np.zeros(hinges)
    return RobotState(
        base=np.zeros(3), turn=np.array([1.0, 0, 0, 0]), angles=angles, references=angles.copy(),
        last_target=np.zeros(3), last_stray=np.zeros(3), last_angles=angles.copy(), velocities=angles.copy(),
        started=np.zeros(1), planted=np.zeros(2), anchors=pair, slips=pair.copy(), slip_speeds=pair.copy(),
        shares=np.zeros(2), headings=np.zeros(2),
    )  # fmt: skip


def make_work(plan: RobotPlan) -> RobotWork:
    """Room for one frame."""
    links, joints, hinges = len(plan.parents), len(plan.source_parents), len(plan.limits)
    size = 6 + hinges
    rows, counts, square = np.zeros((4, size)), np.zeros((3, size), np.int32), np.zeros((2, size, size))
    return RobotWork(
        source_places=np.zeros((joints, 3)), source_turns=np.zeros((joints, 4)), targets=np.zeros((len(TASK_NAMES), 3)),
        wanted=np.zeros((len(plan.segment_links), 4)), reached=np.zeros((links, 4)), places=np.zeros((links, 3)),
        turns=np.zeros((links, 4)), spins=np.zeros((links, 3)), ends=np.zeros((len(plan.capsule_links), 2, 3)),
        matrix=square[0], factor=square[1], right=rows[0], values=rows[1], step=rows[2], line=rows[3],
        columns=np.zeros((3, size)), indices=counts[0], free=counts[1], held=counts[2],
        ahead=np.zeros(hinges), ahead_base=np.zeros(3), pace=np.zeros(2), bounds=np.zeros((hinges, 2)),
        easy=np.tile([-np.inf, np.inf], (hinges, 1)),
        best_base=np.zeros(3), best_turn=np.zeros(4), best_angles=np.zeros(hinges),
    )  # fmt: skip


@dataclass(eq=False)
class RobotRetargeting:
    """Puts the motion of a person on a robot. Every frame depends on earlier ones alone, so live and offline agree."""

    source: Skeleton
    model: RobotModel
    settings: RobotSettings = field(default_factory=RobotSettings)
    anatomy: Anatomy = field(init=False, repr=False)
    plan: RobotPlan = field(init=False, repr=False)
    state: RobotState = field(init=False, repr=False)
    work: RobotWork = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.anatomy = find_anatomy(self.model, self.settings.roles)
        self.plan = make_plan(self.source, self.model, self.anatomy, self.settings)
        self.work = make_work(self.plan)
        self.restart()

    def restart(self) -> None:
        """Forget the motion so far; the next frame is a first one."""
        self.state = make_state(self.model.hinge_count)

    def step(
        self, positions: np.ndarray, rotations: np.ndarray, contacts: np.ndarray, dt: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Base positions (F, 3), rotations (F, 4) and angles (F, D) of the next frames, dt seconds apart.

        Local positions (F, Js, 3) and rotations (F, Js, 4) of the source in our axes, and whether its left and right
        feet are planted (F, 2).
        """
        joints = self.source.joint_count
        positions, rotations = (_read_only(v, np.float32) for v in (positions, rotations))
        planted = _read_only(contacts, np.bool_)
        frames = len(positions)
        if positions.shape != (frames, joints, 3) or rotations.shape != (frames, joints, 4):
            raise KinematchError(
                f"poses have shapes {positions.shape} and {rotations.shape}, expected (F, {joints}, 3) and 4"
            )
        if planted.shape != (frames, 2):
            raise KinematchError(f"contacts have shape {planted.shape}, expected ({frames}, 2): left and right foot")
        if not 0 < dt < 10:
            raise KinematchError(f"dt is {dt} s, expected above 0 and below 10")
        if not (np.isfinite(positions).all() and np.isfinite(rotations).all()):
            raise KinematchError("poses hold values that are not finite")
        base, turns = np.empty((frames, 3)), np.empty((frames, 4))
        angles = np.empty((frames, self.model.hinge_count))
        retarget_frames(self.plan, self.state, self.work, positions, rotations, planted, float(dt), base, turns, angles)
        return base, turns, angles


def _read_only(array: np.ndarray, dtype: type) -> np.ndarray:
    """A read-only array: the compiler has one type for read-only arrays and another for writable ones."""
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)
    view.flags.writeable = False
    return view
