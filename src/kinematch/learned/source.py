"""LearnedSource: a model as a source of motion; stepper, decompressor and codebook in place of a database."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.database_source import COMPILED
from kinematch.character.settings import Settings
from kinematch.character.state import State
from kinematch.character.step.data import make_scratch
from kinematch.database.description import SourceDescription, SourcePoses, pick_examples
from kinematch.database.features import QueryInput
from kinematch.database.packing.fields import UnpackedArray
from kinematch.database.rows import make_rows
from kinematch.database.run_path_kernels import enter_run, find_followed, restore_entry
from kinematch.database.table import EACH_RUN, POSITION, Table, empty_runs, find_trajectory_columns
from kinematch.database.tags import Tags
from kinematch.learned.kernels import Compiled
from kinematch.learned.model import Model
from kinematch.learned.projection import MAX_RUN_SECONDS, Projector
from kinematch.math import quaternion
from kinematch.math.rotation import from_two_axis
from kinematch.motion.kinematics import forward
from kinematch.motion.rig import find_toe_rests, make_rig

MIN_RANGE = 1e-9  # of a column's range, where all entries are alike
RANGE_MARGIN = 0.1  # of a column's range by which a run may leave the data


class LearnedSource:
    """What evolves of N characters: features and latents of two frames in a row, and the poses they stand for."""

    table: Table | None = None  # each crowd makes its own

    def __init__(self, model: Model):
        self.model, self.skeleton, self.schema = model, model.skeleton, model.schema
        self.contact_joints, self.frame_rate = model.contact_joints, model.frame_rate
        self.stepper, self.decompressor = Compiled(model.stepper), Compiled(model.decompressor)
        self.projector = Projector(model)
        self.knots, self.knot_range = find_knots(model.codebook.restore(slice(None)), self.projector.last)
        margin = RANGE_MARGIN * (model.limits[1] - model.limits[0])
        self.lowest, self.highest = model.limits[0] - margin, model.limits[1] + margin
        self.chains = _find_chains(model)
        self.rest = np.array(model.rest, np.float64)
        self.rest[0] = 0.0
        self.moving, self.number = model.moving, 0  # joints with positions in the state; which source of its crowd
        self.weights = np.array(model.feature_weights, np.float32)  # under the settings
        self.description = SourceDescription(
            model.skeleton, model.contact_joints, model.schema, model.feature_offset, model.feature_scale,
            self._list_poses(), {}, model.frame_rate, model.filter,
        )  # fmt: skip
        positions, rotations, contacts = pick_examples(self.description)
        heights = forward(model.skeleton, positions, rotations)[0][..., 1]
        self.toe_rests = find_toe_rests(heights[:, model.contact_joints] - heights[:, :1], contacts)
        self.rig = make_rig(model.skeleton, model.contact_joints, positions, rotations, contacts, moving=model.moving)

    def __reduce__(self) -> tuple[Any, ...]:
        return LearnedSource, (self.model,), {"moving": self.moving, "number": self.number}

    def _list_poses(self) -> SourcePoses:
        """The entries of the codebook, decoded as they are indexed."""
        count, joints = self.model.codebook.entry_count, self.skeleton.joint_count
        tags = Tags(self.model.tag_names, self.model.codebook.tags)

        def open_part(part: int, shape: tuple[int, ...], kind: type) -> Any:
            return UnpackedArray((count, *shape), kind, lambda entries: self._decode_entries(entries)[part])

        return SourcePoses(
            open_part(0, (joints, 3), np.float32), open_part(1, (joints, 4), np.float32),
            open_part(2, (len(self.contact_joints),), bool), tags, self.frame_rate / self.projector.stride,
        )  # fmt: skip

    @property
    def matcher(self) -> Any:
        """Searches the codebook."""
        return self.projector.matcher

    def with_tags(self, tags: Tags) -> "LearnedSource":
        """The same source with other tags on the entries of the codebook."""
        book = replace(self.model.codebook, tags=tags.frames)
        return LearnedSource(replace(self.model, tag_names=tags.names, codebook=book))

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        """Of characters that begin at the first entry; all arrays by frame are (N, 2, ...): of now, and of the next."""
        joints, contacts, single = self.skeleton.joint_count, len(self.contact_joints), np.float32
        own: dict[str, np.ndarray] = {
            "frames": np.zeros((1, 2, len(self.lowest)), single),  # features and latents
            "rotations": np.zeros((1, 2, joints, 4), single), "places": np.zeros((1, 2, len(self.moving), 3), single),
            "velocities": np.zeros((1, 2, joints, 3), single), "spins": np.zeros((1, 2, joints, 3), single),
            "roots": np.zeros((1, 2, 3), single), "root_paths": np.zeros((1, 2, 6)),
            "contacts": np.zeros((1, 2, contacts), bool), "contact_left": np.zeros((1, 2, contacts), single),
            "toe_heights": np.zeros((1, 2, contacts), single), "paces": np.zeros((1, 2), single),
            "entries": np.zeros(1, np.int32), "steps": np.zeros(1, np.int32),
        }  # fmt: skip
        table = self.make_table(own, self.moving, 1)
        scratch = make_scratch([table])
        restore_entry(table.runs, table.runs.beginning, scratch.inputs[0])
        enter_run(table, 0, scratch, find_followed(table.runs, table.runs.beginning))  # as it is written, in Python
        return {name: np.repeat(array, count, axis=0) for name, array in own.items()}

    def make_table(self, own: Mapping[str, np.ndarray], moving: np.ndarray, count: int) -> Table:
        """Two frames for each character, which are the arrays of its state."""
        model, joints, whole = self.model, self.skeleton.joint_count, np.int32
        rows = make_rows(2 * count, moving, self.description)
        pairs = np.arange(count, dtype=whole)
        slots = np.full(joints, -1, whole)
        slots[moving] = np.arange(len(moving))
        axes = np.ascontiguousarray(
            model.columns.rotations.start + 6 * np.maximum(np.arange(joints) - 1, 0) + np.arange(6)[:, None], whole
        )
        columns, horizons = find_trajectory_columns(self.schema)
        future = np.flatnonzero(horizons > 0)[:1]
        spots = {int(which): int(column) for column, which, at in columns if len(future) and at == future[0]}
        by_frame: dict[str, Any] = {
            name: own[key].reshape(2 * count, *own[key].shape[2:])
            for name, key in {
                "rotations": "rotations", "places": "places", "velocities": "velocities", "contacts": "contacts",
                "angular_velocities": "spins", "contact_left": "contact_left", "toe_heights": "toe_heights",
                "root_paths": "root_paths", "paces": "paces", "features": "frames",
            }.items()
        }  # fmt: skip
        runs = empty_runs()._replace(
            frames=by_frame["features"], roots=own["roots"].reshape(2 * count, 3), entries=own["entries"],
            steps=own["steps"], knots=self.knots, lowest=self.knot_range[0], step=self.knot_range[1],
            last=self.projector.last.astype(whole),
            steps_left=self.projector.steps_left.astype(whole),
            limits=np.stack([self.lowest, self.highest]).astype(np.float32), weights=self.weights, chains=self.chains,
            rests=self.rest.astype(np.float32), rest_places=self.rest[moving].astype(np.float32),
            told=slots[model.moving], slots=slots, axes=axes,
            pace_columns=np.array([spots.get(POSITION, -1), spots.get(POSITION + 2, -1)], whole),
            decompressor=self.decompressor.net, stepper=self.stepper.net,
            projector=empty_runs().projector if self.projector.network is None else self.projector.network.net,
            pace_seconds=float(horizons[future[0]]) if len(future) else 1.0, stride=self.projector.stride,
            beginning=self.projector.find_beginning(), longest=round(MAX_RUN_SECONDS * self.frame_rate),
        )  # fmt: skip
        return rows._replace(
            **by_frame, clip_of=pairs.repeat(2), starts=2 * pairs, stops=2 * pairs + whole(2),
            next_frames=(2 * pairs + whole(1)).repeat(2), loops=np.zeros(count, bool), loop_shifts=np.zeros((count, 3)),
            loop_turns=np.zeros(count), toe_rests=self.toe_rests, feature_offset=np.array(model.feature_offset),
            feature_scale=np.array(model.feature_scale), runs=runs, each=EACH_RUN,
        )  # fmt: skip

    def begin(self, state: State, characters: np.ndarray) -> None:
        """The crowd has runs begin at the first entry."""
        state.playing.frames[characters], state.playing.fractions[characters] = 2 * characters, 0.0

    def change_settings(self, settings: Settings) -> None:
        self.projector.change_settings(settings)
        self.weights[:] = self.projector.matcher.weights

    def find_terms(self, expression: str | None, mode: int, settings: Settings) -> tuple[str, int]:
        """The filter expression, None being the model's own, and how many entries to ignore."""
        return self.projector.find_terms(expression, mode, settings)

    def admits(self, filter_: str) -> bool:
        """Whether any entry may be taken."""
        return bool(self.projector.find_mask(filter_).any())

    def find(self, query: np.ndarray, current: int, filter_: str, bias: float, ignored: int) -> tuple[int, float]:
        """The best entry for one query, and its cost."""
        now = np.array([current], np.int32)
        found = self.matcher.find(query[None], now, filter=filter_, stay_bias=bias, ignore=ignored)
        return int(found.frames[0]), found.costs[0]

    def find_stays(self, filter_: str) -> np.ndarray:
        """Which entries may keep playing."""
        return self.projector.find_mask(filter_)

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        """What plays, as features see it: their values, without the pose."""
        current = state.sources[self.number]["frames"][characters, 0, : self.schema.width]
        return QueryInput(self.skeleton, None, self.description.restore_units(current))

    def describe_features(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Physical features (M, D) of the frame that plays."""
        current = self.describe_pose(state, characters).current
        assert current is not None
        return current

    def find_frames(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Frames (M,) of the database that characters are near, by where their runs began; -1 where no one can say."""
        own, book = state.sources[self.number], self.model.codebook
        entries = own["entries"][characters]
        known = (entries >= 0) & (entries < book.entry_count)
        return np.where(known, book.frames[np.where(known, entries, 0)] + own["steps"][characters], -1)

    def find_entries(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Entries (M,) of the codebook that characters are nearest to in their clips; the first where there is none."""
        own = state.sources[self.number]
        return np.maximum(self.projector.find_current(own["entries"][characters], own["steps"][characters]), 0)

    def step_frames(self, frames: np.ndarray) -> np.ndarray:
        """Features and latents (M, D + Z) a frame later by the stepper alone, kept near the data."""
        return np.clip(frames + self.stepper.apply(frames), self.lowest, self.highest)

    def decode_frames(self, frames: np.ndarray) -> dict[str, np.ndarray]:
        """The poses of features and latents (M, D + Z), by the names of the state's arrays."""
        outputs, columns, count = self.decompressor.apply(frames), self.model.columns, len(frames)
        rotations = quaternion.identity((count, self.skeleton.joint_count)).astype(np.float32)
        rotations[:, 1:] = from_two_axis(outputs[:, columns.rotations].reshape(count, -1, 6))
        return {
            "rotations": rotations, "places": outputs[:, columns.places].reshape(count, -1, 3),
            "roots": outputs[:, columns.root], "contacts": outputs[:, columns.contacts],
            "contact_left": outputs[:, columns.contact_left],
        }  # fmt: skip

    def _decode_entries(self, entries: slice | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Local positions, rotations and contacts."""
        found = self.decode_frames(self.model.codebook.restore(entries))
        positions = np.repeat(self.rest[None].astype(np.float32), len(found["places"]), axis=0)
        positions[:, self.model.moving] = found["places"]
        return positions, found["rotations"], found["contacts"] > 0.5


def find_knots(values: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knots (E, W) uint16 of the natural cubic splines through the entries (E, W) of each clip, whose last entry
    `last` (E,) names for each; and the lowest of each column and the step of a whole number (2, W)."""
    from scipy.linalg import solve_banded  # here, since it is slow to import

    knots = values.astype(np.float64)
    for stop in np.unique(last):
        own = knots[np.flatnonzero(last == stop)]
        if len(own) > 2:  # 4 of a knot and 1 of each neighbour give six times an entry; the ends are entries themselves
            bands = np.tile([[1.0], [4.0], [1.0]], len(own) - 2)
            right = 6 * own[1:-1]
            right[0] -= own[0]
            right[-1] -= own[-1]
            knots[np.flatnonzero(last == stop)[1:-1]] = solve_banded((1, 1), bands, right)
    lowest = knots.min(axis=0)
    step = np.maximum(np.ptp(knots, axis=0), MIN_RANGE) / np.iinfo(np.uint16).max
    return np.round((knots - lowest) / step).astype(np.uint16), np.stack([lowest, step]).astype(np.float32)


def _find_chains(model: Model) -> np.ndarray:
    """(K, C) joints from below the root down to each contact joint, -1 past the end."""
    chains = [model.skeleton.chain(joint)[1:] for joint in model.contact_joints.tolist()]
    longest = max(map(len, chains), default=0)
    return np.array([chain + [-1] * (longest - len(chain)) for chain in chains], np.int32).reshape(len(chains), longest)


COMPILED.append(LearnedSource)
