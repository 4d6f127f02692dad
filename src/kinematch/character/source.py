"""MotionSource: where poses come from. A step projects queries onto it, advances it in time and decodes its poses.

To add a source, write a class with a `description` and these four methods, and give it to a Crowd; nothing else has to
know it. What evolves lives in arrays that the crowd makes as the description says, so that saving a state saves the
source too: they are `state.own` in the state that a source is given.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.database.description import SourceDescription
from kinematch.database.poses import FeaturePose


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


class Sample(NamedTuple):
    """Poses of M characters in parent space, and what the schedule of searches needs to know of them.

    Joint 0 is the root: its place and rotation are not read, its velocities are in its own axes.
    """

    positions: np.ndarray  # (M, J, 3) m
    rotations: np.ndarray  # (M, J, 4)
    velocities: np.ndarray  # (M, J, 3) m/s
    angular_velocities: np.ndarray  # (M, J, 3) rad/s
    contacts: np.ndarray  # (M, K) bool, of now
    contact_left: np.ndarray  # (M, K) s that contacts still last `look` seconds from now; 0 for those that are none
    ended: np.ndarray | None = None  # (M,) bool, nothing more to play, a search is due; None: never
    committed: np.ndarray | None = None  # (M,) bool, must not be left yet; None: never
    paces: np.ndarray | None = None  # (M,) m/s of the root, averaged over about a step; None: its speed
    features: np.ndarray | None = None  # (M, D) physical; None: measured on the pose

    @property
    def pose(self) -> FeaturePose:
        """As features see it, with the root at the origin."""
        positions, rotations = np.array(self.positions), np.array(self.rotations)
        positions[:, 0], rotations[:, 0] = 0.0, [1, 0, 0, 0]
        return FeaturePose(positions, rotations, self.velocities, self.angular_velocities)


class MotionSource(Protocol):
    """Where poses come from: a trained model, or your own class with a description and four methods."""

    description: SourceDescription

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        """The best place to go on for normalised queries (M, D); changes nothing."""

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        """Go on from targets (M, ...) that `project` gave."""

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        """Play on by seconds (M,); the root's motion (M, 3): x and z in m in its own axes before, and turn in rad."""

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        """The poses of characters (M,) now, and their contacts `look` seconds from now, which may be negative."""


class CompiledSource(Protocol):
    """A source of this package whose frames the compiled step plays by itself: a trained model."""

    description: SourceDescription

    def make_table(self, own: Mapping[str, np.ndarray], moving: np.ndarray, count: int) -> Any:
        """The table that kernels read, of the arrays of a crowd's state, for `count` characters."""
