"""LearnedSource: a model as a source of motion; stepper, decompressor and projector in place of a database."""

from collections.abc import Mapping

import numpy as np

from kinematch.character.constants import RESTING_PACE
from kinematch.character.rig import make_rig
from kinematch.character.settings import Settings
from kinematch.character.source import Projection, Sample, Search, Status
from kinematch.character.state import State
from kinematch.character.table import Table
from kinematch.database.features import QueryInput
from kinematch.database.playback import find_toe_rests
from kinematch.learned.kernels import Compiled
from kinematch.learned.model import Model
from kinematch.learned.pose_kernels import are_sound, blend_poses, read_poses
from kinematch.learned.projection import NOWHERE, Projector
from kinematch.math.angles import rotate_about_y

FRAME = ("frames", "rotations", "places", "roots", "contacts", "contact_left", "toe_heights")  # (N, 2, ...)
EXAMPLES = 2000  # entries of the codebook that tell how knees bend
MOST_STEPS = 10**8  # far from where 32 bits end
MOST_FRAMES = 30  # in one call: an application that stood still for longer goes on from there
LARGEST = 1e6  # of any number of a state: far beyond what a body does
MARGIN = 0.1  # of a column's range by which a run may leave the data


class LearnedSource:
    """What evolves of N characters: features and latents of two frames in a row, and the poses they stand for."""

    table: Table | None = None

    def __init__(self, model: Model):
        self.model, self.skeleton, self.schema = model, model.skeleton, model.schema
        self.contact_joints, self.frame_rate = model.contact_joints, model.frame_rate
        self.stepper, self.decompressor = Compiled(model.stepper), Compiled(model.decompressor)
        self.projector = Projector(model)
        margin = MARGIN * (model.limits[1] - model.limits[0])
        self.lowest, self.highest = model.limits[0] - margin, model.limits[1] + margin
        self.chains = _find_chains(model)
        self.rest = np.array(model.rest, np.float64)
        self.rest[0] = 0.0
        self._examples = self._decode_examples()
        positions, rotations, contacts, heights = self._examples
        self.toe_rests = find_toe_rests(heights, contacts)
        self.rig = make_rig(model.skeleton, model.contact_joints, positions, rotations, contacts, moving=model.moving)

    def give_examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._examples[:3]

    def create_state(self, count: int) -> Mapping[str, np.ndarray]:
        width, single = len(self.lowest), np.float32
        joints, moving, contacts = self.skeleton.joint_count, len(self.model.moving), len(self.contact_joints)
        rotations = np.zeros((count, 2, joints, 4), single)
        rotations[..., 0] = 1.0
        return {
            "frames": np.zeros((count, 2, width), single),  # features and latents, of now and of the next frame
            "rotations": rotations,
            "places": np.zeros((count, 2, moving, 3), single),
            "roots": np.zeros((count, 2, 3), single),  # m/s and rad/s to the frame that follows
            "contacts": np.zeros((count, 2, contacts), single),
            "contact_left": np.zeros((count, 2, contacts), single),  # s
            "toe_heights": np.zeros((count, 2, contacts), single),  # m
            "fractions": np.zeros(count),  # of the way from now to the next frame
            "entries": np.full(count, NOWHERE, np.int32),  # of the codebook, where the run began
            "steps": np.zeros(count, np.int32),  # frames since then
        }

    def begin(self, state: State, characters: np.ndarray) -> None:
        target = self.projector.find_beginning()
        state.own["fractions"][characters] = 0.0
        self.enter(state, characters, np.repeat(target[None], len(characters), axis=0))

    @property
    def default_filter(self) -> str:
        """The filter of commands that name none."""
        return self.model.filter

    def change_settings(self, settings: Settings) -> None:
        self.projector.change_settings(settings)

    def describe_status(self, state: State, characters: np.ndarray) -> Status:
        own = state.own
        self._mend(state, characters)
        standing = (own["contacts"][characters, 0] > 0.5).all(axis=1)
        paces = self.projector.measure_paces(own["frames"][characters, 0], own["roots"][characters, 0])
        ended = self._find_ended(state, characters)
        return Status(ended, np.zeros(len(characters), bool), (paces < RESTING_PACE) & standing, paces)

    def _mend(self, state: State, characters: np.ndarray) -> None:
        """Have characters begin anew whose numbers are not finite or too large, whatever was written into the state."""
        own = state.own
        rows = [own[name].reshape(len(own["steps"]), -1) for name in FRAME]
        if are_sound(characters, *rows, own["fractions"], own["steps"], LARGEST, MOST_STEPS):
            return
        for n in range(len(characters)):
            one = characters[n : n + 1]
            if not are_sound(one, *rows, own["fractions"], own["steps"], LARGEST, MOST_STEPS):
                self.begin(state, one)

    def _find_ended(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Runs that have passed the end of their clip."""
        return self.projector.find_ended(state.own["entries"][characters], state.own["steps"][characters])

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        current = self.restore_units(state.own["frames"][characters, 0, : self.schema.width])
        return QueryInput(self.skeleton, None, current)

    def find_frames(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Frames (M,) of the database that characters are near, by where their runs began; -1 where no one can say."""
        own, book = state.own, self.model.codebook
        entries = own["entries"][characters]
        known = (entries >= 0) & (entries < book.entry_count)
        return np.where(known, book.frames[np.where(known, entries, 0)] + own["steps"][characters], -1)

    def find_entries(self, state: State, characters: np.ndarray) -> np.ndarray:
        """Entries (M,) of the codebook that characters are nearest to in their clips; the first where there is none."""
        own = state.own
        return np.maximum(self.projector.find_current(own["entries"][characters], own["steps"][characters]), 0)

    def frame_seconds(self, state: State, characters: np.ndarray) -> np.ndarray:
        return state.own["fractions"][characters] / self.frame_rate

    def normalise(self, queries: np.ndarray) -> np.ndarray:
        return (queries.astype(np.float32, copy=False) - self.model.feature_offset) / self.model.feature_scale

    def restore_units(self, queries: np.ndarray) -> np.ndarray:
        return queries * self.model.feature_scale + self.model.feature_offset

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        own, bounded = state.own, np.zeros(len(characters), bool)
        if search.here:
            bounded = ~self._find_ended(state, characters)
        current = own["frames"][characters, 0, : self.schema.width]
        targets, jumps, costs = self.projector.project(
            queries, current, own["entries"][characters], own["steps"][characters], bounded, search
        )
        return Projection(targets, jumps, costs, np.full(len(characters), -1, np.int32))

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        own = state.own
        width = len(self.lowest)
        now = np.ascontiguousarray(targets[:, :width], np.float32)
        own["entries"][characters], own["steps"][characters] = targets[:, width].astype(np.int32), 0
        self._write_frame(own, characters, 0, now)
        self._write_next(own, characters)

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        """The root moves evenly between frames, so steps of any length lead to the same spot."""
        own, rate = state.own, self.frame_rate
        fractions = own["fractions"][characters]
        fractions = np.where((fractions >= 0) & (fractions <= 1), fractions, 0.0)
        times = fractions + np.clip(seconds * rate, 0.0, MOST_FRAMES)
        roots = own["roots"][characters, 0].astype(np.float64) / rate
        # the axes of a frame's own root, as seen from where the root is now
        yaws = -fractions * roots[:, 2]
        shift, since = np.zeros((len(characters), 3)), fractions
        while True:
            part = np.minimum(times, 1.0) - since
            shift += rotate_about_y(_to_ground(roots * part[:, None]), yaws)
            whole = times >= 1.0
            if not whole.any():
                break
            yaws = yaws + np.where(whole, roots[:, 2], 0.0)
            self._step_characters(own, characters[whole])
            roots = own["roots"][characters, 0].astype(np.float64) / rate
            times, since = times - whole, np.where(whole, 0.0, times)
        own["fractions"][characters] = times
        return np.stack([shift[:, 0], shift[:, 2], yaws + times * roots[:, 2]], axis=-1)

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        """Between now and the next frame: places linearly, rotations along the shorter arc."""
        own, count = state.own, len(characters)
        joints, fractions = self.skeleton.joint_count, own["fractions"][characters]
        positions, velocities, spins = np.empty((3, count, joints, 3))
        rotations = np.empty((count, joints, 4))
        blend_poses(
            characters, own["fractions"], self.frame_rate, self.rest, self.model.moving, own["rotations"],
            own["places"], positions, rotations, velocities, spins,
        )  # fmt: skip
        t, soon = fractions[:, None], np.clip(fractions + look * self.frame_rate, 0.0, 1.0)[:, None]
        stands, left, heights = own["contacts"][characters], own["contact_left"][characters], own["toe_heights"]
        heights = heights[characters].astype(np.float64)
        later = np.where(soon < 0.5, stands[:, 0], stands[:, 1]) > 0.5
        return Sample(
            positions=positions, rotations=rotations, velocities=velocities, angular_velocities=spins,
            root_velocities=own["roots"][characters, 0].astype(np.float64),
            contacts=np.where(t < 0.5, stands[:, 0], stands[:, 1]) > 0.5,
            soon_contacts=later,
            soon_contact_left=np.where(later, np.maximum(np.where(soon < 0.5, left[:, 0], left[:, 1]), 0.0), 0.0),
            toe_heights=heights[:, 0] + t * (heights[:, 1] - heights[:, 0]) - self.toe_rests,
            toe_rates=(heights[:, 1] - heights[:, 0]) * self.frame_rate,
        )  # fmt: skip

    def step_frames(self, frames: np.ndarray) -> np.ndarray:
        """Features and latents (M, D + Z) a frame later, kept near the data."""
        return np.clip(frames + self.stepper.apply(frames), self.lowest, self.highest)

    def _step_characters(self, own: Mapping[str, np.ndarray], characters: np.ndarray) -> None:
        for name in FRAME:
            own[name][characters, 0] = own[name][characters, 1]
        own["steps"][characters] += 1
        self._write_next(own, characters)

    def _write_next(self, own: Mapping[str, np.ndarray], characters: np.ndarray) -> None:
        """The frame after now: the stepper predicts it, the codebook corrects it."""
        frames = self.step_frames(own["frames"][characters, 0])
        entries, steps = own["entries"][characters], own["steps"][characters] + 1
        self._write_frame(own, characters, 1, self.projector.correct(frames, entries, steps))

    def _write_frame(self, own: Mapping[str, np.ndarray], characters: np.ndarray, row: int, frames: np.ndarray) -> None:
        own["frames"][characters, row] = frames
        for name, values in self.decode_frames(frames).items():
            own[name][characters, row] = values

    def decode_frames(self, frames: np.ndarray) -> dict[str, np.ndarray]:
        """The poses of features and latents (M, D + Z), by the names of the state's arrays."""
        outputs, columns = self.decompressor.apply(frames), self.model.columns
        count, single = len(frames), np.float32
        rotations = np.empty((count, self.skeleton.joint_count, 4), single)
        places = np.empty((count, len(self.model.moving), 3), single)
        heights = np.empty((count, len(self.contact_joints)), single)
        read_poses(outputs, self.chains, self.rest, self.model.moving, rotations, places, heights)
        return {
            "rotations": rotations, "places": places, "toe_heights": heights, "roots": outputs[:, columns.root],
            "contacts": outputs[:, columns.contacts], "contact_left": outputs[:, columns.contact_left],
        }  # fmt: skip

    def _decode_examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        book = self.model.codebook
        found = self.decode_frames(book.restore(slice(None, None, max(1, book.entry_count // EXAMPLES))))
        positions = np.repeat(self.rest[None].astype(np.float32), len(found["places"]), axis=0)
        positions[:, self.model.moving] = found["places"]
        return positions, found["rotations"], found["contacts"] > 0.5, found["toe_heights"]


def _find_chains(model: Model) -> np.ndarray:
    """(K, C) joints from below the root down to each contact joint, -1 past the end."""
    chains = [model.skeleton.chain(joint)[1:] for joint in model.contact_joints.tolist()]
    longest = max(map(len, chains), default=0)
    return np.array([chain + [-1] * (longest - len(chain)) for chain in chains], np.int32).reshape(len(chains), longest)


def _to_ground(motions: np.ndarray) -> np.ndarray:
    return np.stack([motions[:, 0], np.zeros(len(motions)), motions[:, 1]], axis=-1)
