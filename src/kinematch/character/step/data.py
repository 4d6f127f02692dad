"""StepData: everything that a step works on; kernels take it as one small array of addresses."""

from collections import namedtuple
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.settings import Settings, make_knobs
from kinematch.character.state import Acting, Feet, Offsets, Past, Playing, Schedule, State, make_state
from kinematch.character.step.pose import JOINT_ROWS, LEG_ROWS
from kinematch.compile.handle import handle, opening
from kinematch.compile.jit import inner
from kinematch.compile.lanes import round_up
from kinematch.control.body import SimulatedBody
from kinematch.control.orders import Orders, make_orders
from kinematch.database.table import Table, empty_table
from kinematch.math.networks import ROWS, measure_net
from kinematch.motion.rig import Rig

BLOCK = 64  # characters for which one stage after the other is run: small batches stay in cache


class Work(NamedTuple):
    """What one stage of a step hands to a later one."""

    searching: np.ndarray  # (N,) bool
    motions: np.ndarray  # (N, 5) of the root: x, z in m in its axes and turn in rad, as its source has it; two limits
    positions: np.ndarray  # (N, J, 3) float32, local pose of the source's skeleton; the shown one unless retargeted
    rotations: np.ndarray  # (N, J, 4) float32
    heights: np.ndarray  # (N, 1 + L) m, of the ground under root and toes; no rows without terrain
    normals: np.ndarray  # (N, L, 3) of the ground under toes; no rows without terrain
    toe_heights: np.ndarray  # (N, L) float32 m, target height; without foot lock an offset to the animated height
    toe_rests: np.ndarray  # (N, L) float32 m, where it stands
    toe_rises: np.ndarray  # (N, L) float32 m, of the ground under it above the root
    toe_reaches: np.ndarray  # (N, L) float32 m from its animated place at which it is freed
    toe_contacts: np.ndarray  # (N, L) bool
    toe_stays: np.ndarray  # (N, L) bool, the contact goes on long enough to lock
    toe_refusals: np.ndarray  # (N, L) bool, not to be locked again in this stance
    failures: np.ndarray  # (1,) int64, one more than a filter that admits no frame; 0 for none


def make_work(count: int, joints: int, legs: int) -> Work:
    single, flags = np.float32, np.zeros((3, count, legs), bool)
    return Work(  # type: ignore[call-arg]
        np.zeros(count, bool), np.zeros((count, 5)), np.zeros((count, joints, 3), single),
        np.zeros((count, joints, 4), single),
        np.zeros((0, 1 + legs)), np.zeros((0, legs, 3)), *np.zeros((4, count, legs), single), *flags,
        np.zeros(1, np.int64),
    )  # fmt: skip


Beginning = namedtuple("Beginning", list(State._fields[:-2]))  # type: ignore[misc]  # the state of one new character


class StepData(NamedTuple):
    body: SimulatedBody
    playing: Playing
    offsets: Offsets
    feet: Feet
    schedule: Schedule
    past: Past
    acting: Acting
    beginning: Beginning
    rig: Rig
    settings: Any  # settings.Knobs
    orders: Orders
    work: Work
    pose: Pose
    sources: Any  # (S,) int64, addresses of tables; outside kernels, the tables


class JumpPoses(NamedTuple):
    """Animated poses before and after a jump."""

    rotations: np.ndarray  # (2, J, 4) float32
    spins: np.ndarray  # (2, J, 3) float32 rad/s
    places: np.ndarray  # (2, M, 3) float32 m, of the joints that move in their parent's space
    velocities: np.ndarray  # (2, M, 3) float32 m/s
    roots: np.ndarray  # (2, 3) x and z in m/s in the root's own axes, turn in rad/s
    toe_heights: np.ndarray  # (2, K) m, of the contact joints above where they stand
    toe_rates: np.ndarray  # (2, K) m/s


class Scratch(NamedTuple):
    """Memory of one thread."""

    room: np.ndarray  # (R, 8) float32, see pose.Here
    rotations: np.ndarray  # (4, C, 4) float32, unpacked frames
    places: np.ndarray  # (4, M, 3) float32
    velocities: np.ndarray  # (2, C, 3) float32
    spins: np.ndarray  # (2, C, 3) float32
    sample: JumpPoses
    urgencies: np.ndarray  # (N,) s, see schedule
    inputs: np.ndarray  # (ROWS, W) float32, of a model's networks
    hidden: np.ndarray  # (2, ROWS, H) float32
    led: np.ndarray  # (ROWS, W) float32
    list: np.ndarray  # (ROWS,) int64, frames of the table that those are for
    moves: np.ndarray  # (BLOCK, 3) frames to go, frames gone, rad: see runs
    block: np.ndarray  # (BLOCK,) int64, characters for which one stage after the other is run
    memory: np.ndarray  # (B,) uint8 of the search
    thread: int  # which of those that share the characters


def make_scratch(
    tables: Sequence[Table], *, count: int = 0, shown_joints: int = 0, legs: int = 0, memory: int = 0, thread: int = 0
) -> Scratch:
    """Memory that suffices for characters who play some tables; without the sizes of a crowd, to play runs alone."""
    single, first, runs = np.float32, tables[0], [table.runs for table in tables]
    joints, moving, contacts = first.rotations.shape[1], len(first.moving), len(first.toe_rests)
    rows = max(round_up(joints), *(table.pack.channels for table in tables))
    nets = [net for one in runs for net in (one.decompressor, one.stepper, one.projector)]
    width, hidden = max(one.step.shape[0] for one in runs), max(map(measure_net, nets))
    sample = JumpPoses(
        np.zeros((2, joints, 4), single), np.zeros((2, joints, 3), single), np.zeros((2, moving, 3), single),
        np.zeros((2, moving, 3), single), np.zeros((2, 3)), np.zeros((2, contacts)), np.zeros((2, contacts)),
    )  # fmt: skip
    return Scratch(
        np.zeros((JOINT_ROWS * shown_joints + LEG_ROWS * legs, 8), single), np.zeros((4, rows, 4), single),
        np.zeros((4, moving, 3), single), np.zeros((2, rows, 3), single), np.zeros((2, rows, 3), single), sample,
        np.zeros(count), np.zeros((ROWS, width), single), np.zeros((2, ROWS, hidden), single),
        np.zeros((ROWS, width), single), np.zeros(ROWS, np.int64), np.zeros((BLOCK, 3)), np.zeros(BLOCK, np.int64),
        np.zeros(memory, np.uint8), thread,
    )  # fmt: skip


def _make_example() -> tuple[StepData, Scratch]:
    """For the types alone; sizes come from the handle."""
    whole, vectors = np.zeros(0, np.int32), np.zeros((0, 3), np.float32)
    state = make_state(
        np.zeros((1, 3)), np.zeros(1), joints=1, moving=1, legs=1, columns=1, horizons=1, past=1, interval=1.0
    )
    flags = np.zeros(0, bool)
    rig = Rig(whole, vectors, whole, flags, whole.reshape(0, 4), whole, whole.reshape(0, 0), vectors, np.zeros(0), 1.0)
    pose, _ = PoseLayout(1, 1, 1, 1, np.zeros((1, 3), np.float32)).make()
    data = StepData(
        *state[:7], Beginning._make(state[:7]), rig, make_knobs(Settings()), make_orders(1), make_work(1, 1, 1), pose,
        np.zeros(1, np.int64),
    )  # fmt: skip
    return data, make_scratch([empty_table()])


EXAMPLE, SCRATCH_EXAMPLE = _make_example()
TABLE_EXAMPLE = empty_table()
open_data, open_scratch, open_source = opening(EXAMPLE), opening(SCRATCH_EXAMPLE), opening(TABLE_EXAMPLE)


def make_handle(part: str, record: tuple) -> np.ndarray:
    """The handle of one part of the data; those of all parts, one after the other, are the handle of the whole."""
    return handle((record,), (getattr(EXAMPLE, part),))


@inner
def find_number(data, number):
    """A source that exists, whatever was written into the state."""
    return min(max(number, 0), len(data.sources) - 1)


@inner
def find_source(data, n):
    """What character n plays."""
    return open_source(data.sources[find_number(data, data.playing.sources[n])])
