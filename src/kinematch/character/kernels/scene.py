"""Scene: everything that a kernel of the step works on, one record, handed over as one small array of addresses."""

from typing import Any, NamedTuple

import numpy as np

from kinematch.character.orders import Orders, make_orders
from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.rig import Rig
from kinematch.character.settings import Settings, make_knobs
from kinematch.character.state import Feet, Offsets, Playing, Schedule, make_state
from kinematch.character.table import Table, empty_table
from kinematch.compile.handle import handle, opening
from kinematch.control.body import SimulatedBody


class Evolving(NamedTuple):
    """The parts of State that kernels change."""

    body: SimulatedBody
    playing: Playing
    offsets: Offsets
    feet: Feet
    schedule: Schedule


class Work(NamedTuple):
    """What one stage hands to the next within a step."""

    motions: (
        np.ndarray
    )  # (N, 3) the root's motion in this step as its source has it: x, z in m in its axes, turn in rad
    positions: np.ndarray  # (N, J, 3) float32, local pose of the source's skeleton; the shown one unless retargeted
    rotations: np.ndarray  # (N, J, 4) float32
    heights: np.ndarray  # (N, 1 + L) m, of the ground under root and toes; no rows without terrain
    normals: np.ndarray  # (N, L, 3) of the ground under toes; no rows without terrain


class Scene(NamedTuple):
    state: Evolving
    table: Table
    rig: Rig
    knobs: tuple
    orders: Orders
    work: Work
    pose: Pose


def _example() -> Scene:
    """A dummy scene for its types; sizes come from the handle."""
    whole, single = np.zeros(0, np.int32), np.zeros((0, 3), np.float32)
    state = make_state(
        np.zeros((1, 3)), np.zeros(1), joints=1, moving=1, legs=1, columns=1, horizons=1, past=0, interval=1.0
    )
    rig = Rig(whole, single, whole, whole.reshape(0, 4), whole, whole.reshape(0, 0), single, np.zeros(0), 1.0)
    pose, _ = PoseLayout(1, 1, 1, 1, np.zeros((1, 3), np.float32)).make()
    work = Work(np.zeros((1, 3)), pose.positions, pose.rotations, np.zeros((0, 1)), np.zeros((0, 0, 3)))
    return Scene(Evolving(*state[:5]), empty_table(), rig, make_knobs(Settings()), make_orders(1), work, pose)


open_scene = opening(_example())
PARTS: dict[str, Any] = dict(zip(Scene._fields, _example()))


def make_handle(part: str, record: tuple) -> np.ndarray:
    """The handle of one part of a scene; those of all parts, one after the other, are the scene's."""
    return handle(record, PARTS[part])
