"""MotionSource: where poses come from. A step projects queries onto it, advances it in time and decodes its poses.

To add a source, write a class with these methods and give it to a Crowd; nothing else has to know it. What evolves
lives in the arrays that `create_state` made, so that saving a state saves the source too: they are `state.own` in the
state that a source is given.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from kinematch.character.rig import Rig
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.character.table import Table
from kinematch.database.features import QueryInput
from kinematch.database.schema import FeatureSchema
from kinematch.motion.skeleton import Skeleton


class Status(NamedTuple):
    """What the schedule of searches wants to know of M characters."""

    ended: np.ndarray  # (M,) bool, nothing more to play: a projection is due now
    committed: np.ndarray  # (M,) bool, must not be left yet
    resting: np.ndarray  # (M,) bool, stands still: may be interrupted anywhere
    paces: np.ndarray  # (M,) m/s of the root, averaged over about a step


class Search(NamedTuple):
    """How to search, the same for all characters of one call."""

    filter: str | None  # expression over tags; None: the source's own
    idle: bool  # whether the characters stand and are to stand
    here: bool  # whether they play this source already, so that staying is an option
    settings: Settings


class Projection(NamedTuple):
    """What a source offers M characters."""

    targets: np.ndarray  # (M, ...) where to go on, in the source's own terms
    jumps: np.ndarray  # (M,) bool, whether that is better than going on as they do
    costs: np.ndarray  # (M,) float32
    before: np.ndarray  # (M,) int32, frames that played at the time of the search; -1 for none


class Sample(NamedTuple):
    """Animated poses of M characters in parent space; joint 0, the root, is filled in by the step."""

    positions: np.ndarray  # (M, J, 3) m
    rotations: np.ndarray  # (M, J, 4)
    velocities: np.ndarray  # (M, J, 3) m/s
    angular_velocities: np.ndarray  # (M, J, 3) rad/s
    root_velocities: np.ndarray  # (M, 3) x and z in m/s in the root's own axes, turn in rad/s
    contacts: np.ndarray  # (M, K) bool, of now
    soon_contacts: np.ndarray  # (M, K) bool, `look` seconds from now, which may be negative
    soon_contact_left: np.ndarray  # (M, K) s that contact still lasts from then
    toe_heights: np.ndarray  # (M, K) m of the contact joints above where they stand
    toe_rates: np.ndarray  # (M, K) m/s


class MotionSource(Protocol):
    """Where poses come from: a database, a trained model, or your own class with these attributes and methods."""

    skeleton: Skeleton
    contact_joints: np.ndarray  # (K,) int32
    schema: FeatureSchema  # what queries describe
    rig: Rig  # the skeleton's kinematics
    table: Table | None  # frames that kernels can play directly; None where poses are computed

    def give_examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Some poses: local positions (S, J, 3), rotations (S, J, 4) and contacts (S, K), to measure the body by."""

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        """Arrays (N, ...) of what evolves, for N characters that begin."""

    def begin(self, state: State, characters: np.ndarray) -> None:
        """Put characters (M,) where this source begins: standing, if it can."""

    def change_settings(self, settings: Settings) -> None:
        """Take over new settings: weights of features, for instance."""

    def describe_status(self, state: State, characters: np.ndarray) -> Status:
        """What the schedule of searches needs to know of characters (M,)."""

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        """The pose that plays, as features see it; the step adds the trajectory and asks the schema for the query."""

    def frame_seconds(self, state: State, characters: np.ndarray) -> np.ndarray:
        """(M,) s since the moment that `describe_pose` describes."""

    def normalise(self, queries: np.ndarray) -> np.ndarray:
        """Physical queries (M, D) in this source's units."""

    def restore_units(self, queries: np.ndarray) -> np.ndarray:
        """The inverse of normalise."""

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        """The best place to go on for normalised queries (M, D); changes nothing."""

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        """Go on from targets (M, ...) that `project` gave."""

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        """Play on by seconds (M,); the root's motion (M, 3): x and z in m in its own axes before, and turn in rad."""

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        """The poses of characters (M,) now, and their contacts `look` seconds from now."""
