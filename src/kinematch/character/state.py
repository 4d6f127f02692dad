"""State: every array of N characters that changes from step to step, including what sources keep of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kinematch.character.constants import GOLDEN_RATIO
from kinematch.compile.lanes import round_up
from kinematch.control.body import SimulatedBody, place_at_rest
from kinematch.errors import KinematchError


class Playing(NamedTuple):
    """Which moment of which source each character plays, and where its root is."""

    sources: np.ndarray  # (N,) int32
    frames: np.ndarray  # (N,) int32, of a database; sources that have no frames leave them alone
    fractions: np.ndarray  # (N,) of a frame, 0 to 1
    positions: np.ndarray  # (N, 3) m, of the root
    yaws: np.ndarray  # (N,) rad, of the root


class Offsets(NamedTuple):
    """What transitions remember, six numbers for each triple: see step/offsets.py.

    Joints are the last axis, so that kernels load eight at a time.
    """

    rotations: np.ndarray  # (N, 6, W) float32, W being J rounded up to a multiple of eight
    positions: np.ndarray  # (N, 6, V) float32, of the joints that move in their parent's space, rounded up likewise
    roots: np.ndarray  # (N, 6) offset of the root's velocity (x and z in its own axes, turn), and its rate
    ages: np.ndarray  # (N,) s since the last jump; infinite before the first


class Feet(NamedTuple):
    """K legs of each character; in single precision where kernels take eight characters at a time."""

    locked: np.ndarray  # (N, K) bool
    refused: np.ndarray  # (N, K) bool, released early in this stance: not locked again until the next, or a step over
    places: np.ndarray  # (N, K, 3) m, where the toe should be
    offsets: np.ndarray  # (N, K, 3) m, from there to where it is shown
    rates: np.ndarray  # (N, K, 3) m/s of that
    toes: np.ndarray  # (N, K, 3) m, as animated in the last step; NaN before the first
    headings: np.ndarray  # (N, K, 2) x and z of where the foot pointed when it was locked
    lifts: np.ndarray  # (N, K, 2) m and m/s, by which moving toes are raised
    grounds: np.ndarray  # (N, K + 1, 2) m and m/s, smoothed heights of the ground under the root and each toe
    slopes: np.ndarray  # (N, K, 4) of the ground under each toe along x and z, smoothed, and their rates
    shortfalls: np.ndarray  # (N, K, 2) m and m/s, by which legs fall short of where their feet should be
    pelvis: np.ndarray  # (N, 2) m and m/s, by which the body is lowered
    rises: np.ndarray  # (N, K) m of the ground under toes above the root's, besides what the clip has of it


class Schedule(NamedTuple):
    """When each character searched, its command at that time, and its query."""

    since: np.ndarray  # (N,) s since the last search
    commands: np.ndarray  # (N, 4) m/s and rad, the command at the last search; NaN before the first
    filters: np.ndarray  # (N,) int32, which of the crowd's filters it searched with
    idle: np.ndarray  # (N,) bool, whether it stood then and was to stand
    costs: np.ndarray  # (N,) float32, of what was found
    frames: np.ndarray  # (N,) int32, that played then; -1 for none
    left: np.ndarray  # (N,) int32, the frame that the last jump left; -1 once it may be gone back to
    queries: np.ndarray  # (N, D) float32, normalised
    trajectories: np.ndarray  # (N, H, 4) x, y, z in m and yaw in rad at the schema's future times, as asked


class Past(NamedTuple):
    """Where each root was, newest first; no rows unless a feature looks at the past."""

    ages: np.ndarray  # (N, P) s ago
    roots: np.ndarray  # (N, P, 4) x, y, z in m and yaw in rad


class Acting(NamedTuple):
    """The action that each character is in, and where it leads."""

    stretches: np.ndarray  # (N,) int32, of its source's actions; -1 for none
    goals: np.ndarray  # (N, 4) m and rad, where the root is to be at the event, and its yaw; NaN where it is not aimed
    shifts: np.ndarray  # (N,) m by which warping has raised the root so far


class State(NamedTuple):
    """Everything of N characters that changes from step to step."""

    body: SimulatedBody
    playing: Playing
    offsets: Offsets
    feet: Feet
    schedule: Schedule
    past: Past
    acting: Acting
    sources: tuple[Mapping[str, np.ndarray], ...] = ()  # what each source keeps of every character, by name
    own: Mapping[str, np.ndarray] = {}  # in a state that a source is given: its own of `sources`

    def give_to(self, number: int) -> "State":
        """The same state as source `number` is given it."""
        return self._replace(own=self.sources[number])

    def copy(self) -> "State":
        """One that shares nothing with this one."""
        return self._map(np.copy)

    def take(self, characters: np.ndarray) -> "State":
        """The state of some characters alone."""
        return self._map(lambda array: array[characters].copy())

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array by its full name, such as `feet.locked` or `sources.1.phase`."""
        groups = {name: getattr(self, name)._asdict() for name in self._fields if name not in ("sources", "own")}
        groups |= {f"sources.{number}": own for number, own in enumerate(self.sources)}
        return {f"{group}.{name}": array for group, own in groups.items() for name, array in own.items()}

    def assign(self, other: "State") -> None:
        """Copy all values of another state of the same size, bit for bit; on a mismatch, raise and change nothing."""
        mine, theirs = self.arrays(), other.arrays()
        if mine.keys() != theirs.keys():
            raise KinematchError(f"a state with {sorted(mine.keys() ^ theirs.keys())} missing or added")
        for name, array in mine.items():
            values = theirs[name]
            if array.shape != values.shape or array.dtype != values.dtype:
                raise KinematchError(
                    f"a state whose {name} is {values.dtype} {values.shape}, expected {array.dtype} {array.shape}"
                )
        for name, array in mine.items():
            array[...] = theirs[name]

    @property
    def nbytes(self) -> int:
        """Of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def _map(self, change: Callable[[np.ndarray], np.ndarray]) -> "State":
        groups: list[Any] = [type(group)(*(change(array) for array in group)) for group in self[:-2]]
        groups.append(tuple({name: change(array) for name, array in own.items()} for own in self.sources))
        return State(*groups)


def make_state(
    positions: np.ndarray, yaws: np.ndarray, *, joints: int, moving: int, legs: int, columns: int, horizons: int,
    past: int, interval: float, sources: Sequence[Mapping[str, np.ndarray]] = (),
) -> State:  # fmt: skip
    """Characters that stand and have not searched; their phases are spread over the interval between searches."""
    count = len(positions)
    zeros, single = np.zeros, partial(np.zeros, dtype=np.float32)
    grounds = zeros((count, legs + 1, 2))
    grounds[..., 0] = positions[:, None, 1]
    return State(
        body=place_at_rest(positions, yaws),
        playing=Playing(
            zeros(count, np.int32), zeros(count, np.int32), zeros(count), np.array(positions, np.float64),
            np.array(yaws, np.float64),
        ),
        offsets=Offsets(
            single((count, 6, round_up(joints))), single((count, 6, round_up(moving))), zeros((count, 6)),
            np.full(count, np.inf),
        ),
        feet=Feet(
            zeros((count, legs), bool), zeros((count, legs), bool), single((count, legs, 3)), single((count, legs, 3)),
            single((count, legs, 3)), np.full((count, legs, 3), np.nan, np.float32), single((count, legs, 2)),
            single((count, legs, 2)), grounds, zeros((count, legs, 4)), single((count, legs, 2)), single((count, 2)),
            zeros((count, legs)),
        ),
        schedule=Schedule(
            (np.arange(count) * GOLDEN_RATIO % 1.0) * interval, np.full((count, 4), np.nan),
            np.full(count, -1, np.int32), zeros(count, bool), np.full(count, np.inf, np.float32),
            np.full(count, -1, np.int32), np.full(count, -1, np.int32), single((count, columns)),
            zeros((count, horizons, 4)),
        ),
        past=Past(np.full((count, past), np.inf), zeros((count, past, 4))),
        acting=Acting(np.full(count, -1, np.int32), np.full((count, 4), np.nan), zeros(count)),
        sources=tuple(sources),
    )  # fmt: skip


def check_state(state: State, count: int, sources: int) -> None:
    """Raise unless this is a state of that number of characters and sources."""
    if not isinstance(state, State):
        raise KinematchError(f"a state of type {type(state).__name__}, expected a State")
    if len(state.playing.frames) != count:
        raise KinematchError(f"a state of {len(state.playing.frames)} characters for a crowd of {count}")
    numbers = state.playing.sources
    if (numbers < 0).any() or (numbers >= sources).any():
        raise KinematchError(f"a state with sources {numbers.min()} to {numbers.max()} of {sources}")


def put_at_rest(state: State, characters: np.ndarray, positions: np.ndarray, yaws: np.ndarray) -> None:
    """Put characters (M,) and their bodies at positions (M, 3) m and yaws (M,) rad, at rest."""
    body, playing, feet = state.body, state.playing, state.feet
    playing.positions[characters] = body.positions[characters] = positions
    playing.yaws[characters] = body.yaws[characters] = yaws
    moving = body.velocities, body.accelerations, body.yaw_rates
    for array in (*moving, feet.offsets, feet.rates, feet.grounds, feet.locked, feet.rises):
        array[characters] = 0
    feet.grounds[characters, :, 0] = playing.positions[characters, 1, None]
    feet.toes[characters] = np.nan
    state.past.ages[characters] = np.inf
    state.acting.goals[characters] = np.nan
