"""Test vectors: what the networks and Algorithm 1 give by the package's own definitions, for ports to be held to."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kinematch.database.run_path_kernels import NOWHERE
from kinematch.errors import KinematchError
from kinematch.learned.export.correction import correct
from kinematch.learned.export.entries import Entries, find_trajectory
from kinematch.learned.model import Model
from kinematch.learned.network import Network, apply_network
from kinematch.learned.projection import MAX_RUN_SECONDS
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y
from kinematch.math.rotation import from_rotation_vector, from_two_axis, to_rotation_vector
from kinematch.math.spring import HALFLIFE_FACTOR, spring

SEARCH_TIME, FORCE_TIME, FORCE_COST, STAY_BIAS, DECAY_TIME = 0.1, 0.1, 1.0, 0.2, 0.1
HALFLIFE = HALFLIFE_FACTOR * DECAY_TIME / np.log(100)  # s: the decay time is that to 1 % of plain exponential decay
# played; frames a command lasts; rows for the networks by themselves
PLAYED_FRAMES, COMMAND_FRAMES, NETWORK_ROWS = 150, 25, 8
MIN_COST_MARGIN = 1e-3  # cost by which every decision must be clear of going the other way by rounding
MAX_SEEDS = 50  # seeds to find such commands


class VectorPose(NamedTuple):
    frame: np.ndarray  # (D + Z,) normalised
    turns: np.ndarray  # (J, 4)
    values: np.ndarray  # (3 M + 3,) places, then the root's velocity
    contacts: np.ndarray  # (K,)


def make_vectors(model: Model, entries: Entries, limits: np.ndarray) -> dict[str, np.ndarray]:
    """Matrices by name in the order of vectors.bin; `limits` (2, D + Z) normalised."""
    rng = np.random.default_rng(0)
    frames = entries.frames[rng.integers(len(entries.frames), size=NETWORK_ROWS)]
    frames = (frames + 0.1 * rng.normal(size=frames.shape)).astype(np.float32)
    width = model.schema.width
    alone = {
        "frames": _restore(model, frames),
        "poses": apply_network(model.decompressor, frames),
        "stepped": _restore(model, np.clip(frames + apply_network(model.stepper, frames), *limits)),
        "projected": np.zeros((0, frames.shape[1])),
    }
    if model.projector is not None:
        alone["projected"] = _restore(model, apply_network(model.projector, frames[:, :width]))
    for seed in range(MAX_SEEDS):
        player = _Player(model, entries, limits)
        played = player.play(_make_commands(model, entries, np.random.default_rng(seed)))
        if player.clearance > MIN_COST_MARGIN:
            return {**alone, **played}
    raise KinematchError(
        f"no test vectors: every run of {PLAYED_FRAMES} frames has a decision within {MIN_COST_MARGIN:g} of the other"
    )


def _make_commands(model: Model, entries: Entries, rng: np.random.Generator) -> np.ndarray:
    """Trajectory features (F, T) in physical units, those of one entry after another."""
    chosen = rng.integers(len(entries.frames), size=-(-PLAYED_FRAMES // COMMAND_FRAMES))
    wanted = _restore(model, entries.frames[chosen])[:, find_trajectory(model)]
    return np.repeat(wanted, COMMAND_FRAMES, axis=0)[:PLAYED_FRAMES].astype(np.float32)


def _restore(model: Model, frames: np.ndarray) -> np.ndarray:
    """Features in physical units beside latents."""
    out, width = frames.astype(np.float64), model.schema.width
    out[..., :width] = out[..., :width] * model.feature_scale + model.feature_offset
    return out


@dataclass
class _Player:
    """Algorithm 1 in normalised features."""

    model: Model
    entries: Entries
    limits: np.ndarray

    def play(self, commands: np.ndarray) -> dict[str, np.ndarray]:
        model, entries, columns = self.model, self.entries, find_trajectory(self.model)
        dt = 1 / model.frame_rate
        scale, offset = model.feature_scale[columns], model.feature_offset[columns]
        wanted = (commands.astype(np.float64) - offset) / scale
        weights = model.feature_weights[columns]
        self.clearance = np.inf
        now = self._decode(entries.frames[entries.first])
        entry, run = NOWHERE if model.projector is not None else entries.first, 0
        after = self._decode(self._follow(now.frame, entry, run))
        turn, spin = np.zeros((2, len(now.turns), 3))
        shift, speed = np.zeros((2, len(now.values)))
        root, since = np.zeros(3), 0
        asked, shown = now.frame[columns], now.values
        rows: dict[str, list[Any]] = {name: [] for name in ("rotations", "values", "contacts", "roots", "jumps")}
        for given in wanted:
            query = now.frame[: model.schema.width].copy()
            query[columns] = given
            ended = run >= (round(MAX_RUN_SECONDS / dt) if entry == NOWHERE else entries.steps_left[entry])
            changed = self._decide(float((weights * (given - asked) ** 2).sum()) - FORCE_COST)
            jumps = False
            if since >= round(SEARCH_TIME / dt) or ended or (changed and since >= round(FORCE_TIME / dt)):
                frame, cost, found = self._project(query)
                jumps = self._decide(float(self._cost(now.frame, query)) - STAY_BIAS - cost) or ended
                if jumps:
                    to = self._decode(frame)
                    then = self._decode(self._follow(frame, found, 0))
                    shown_turns = quaternion.multiply(from_rotation_vector(turn), now.turns)
                    shown_spin = spin + quaternion.rotate(from_rotation_vector(turn), _spin(now, after, dt))
                    turn = to_rotation_vector(quaternion.multiply(shown_turns, quaternion.inverse(to.turns)))
                    spin = shown_spin - quaternion.rotate(from_rotation_vector(turn), _spin(to, then, dt))
                    shift = shown - to.values
                    speed = speed + (after.values - now.values) / dt - (then.values - to.values) / dt
                    now, after, entry, run = to, then, found, 0
                since, asked = 0, given
            since, run = since + 1, run + 1
            moved = rotate_about_y(np.array([shown[-3], 0.0, shown[-2]]) * dt, root[2])
            root = root + np.array([moved[0], moved[2], shown[-1] * dt])
            now, after = after, self._decode(self._follow(after.frame, entry, run))
            turn, spin = spring(turn, spin, 0.0, halflife=HALFLIFE, dt=dt)
            shift, speed = spring(shift, speed, 0.0, halflife=HALFLIFE, dt=dt)
            shown = now.values + shift
            rows["rotations"].append(quaternion.multiply(from_rotation_vector(turn), now.turns).ravel())
            rows["values"].append(shown)
            rows["contacts"].append(now.contacts)
            rows["roots"].append(root)
            rows["jumps"].append([jumps])
        return {"trajectories": commands, **{name: np.array(row, np.float64) for name, row in rows.items()}}

    def _decide(self, margin: float) -> bool:
        """Whether a number is positive; how near it came to zero is remembered."""
        self.clearance = min(self.clearance, abs(margin))
        return margin > 0

    def _follow(self, frame: np.ndarray, entry: int, run: int) -> np.ndarray:
        """A frame later, `run` frames after an entry: the stepper predicts, the codebook corrects."""
        after = np.clip(frame + _apply(self.model.stepper, frame), *self.limits)
        return correct(self.entries.projector, after[None], np.array([entry]), np.array([run + 1]))[0]

    def _decode(self, frame: np.ndarray) -> VectorPose:
        outputs, columns = _apply(self.model.decompressor, frame), self.model.columns
        turns = from_two_axis(outputs[columns.rotations].reshape(-1, 6))
        values = np.concatenate([outputs[columns.places], outputs[columns.root]])
        return VectorPose(frame, np.concatenate([quaternion.identity((1,)), turns]), values, outputs[columns.contacts])

    def _cost(self, frames: np.ndarray, query: np.ndarray) -> np.ndarray:
        return ((frames[..., : len(query)] - query) ** 2 * self.model.feature_weights).sum(axis=-1)

    def _project(self, query: np.ndarray) -> tuple[np.ndarray, float, int]:
        if self.model.projector is not None:
            frame = _apply(self.model.projector, query)
            return frame, float(self._cost(frame, query)), NOWHERE
        entries = self.entries
        costs = self._cost(entries.frames, query) * entries.cost_factors
        best, second = np.argsort(costs)[:2] if len(costs) > 1 else (0, 0)
        if best != second:
            self._decide(float(costs[second] - costs[best]))
        return entries.frames[best].astype(np.float64), float(costs[best]), int(best)


def _apply(network: Network, inputs: np.ndarray) -> np.ndarray:
    return apply_network(network, inputs[None].astype(np.float32))[0].astype(np.float64)


def _spin(before: VectorPose, after: VectorPose, dt: float) -> np.ndarray:
    return to_rotation_vector(quaternion.multiply(after.turns, quaternion.inverse(before.turns))) / dt
