"""The network of MMVR section 4, as the paper has it: 36 + 6 inputs, two hidden layers of 32, its output fed back."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.orientation.estimator import Direction, check_count
from kinematch.avatar.orientation.network import FORMAT, VERSION, WORDS
from kinematch.avatar.trackers import HANDS, HEAD, Trackers
from kinematch.database.container import read_arrays, write_arrays
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.heading import facing_yaws

FOLDER = Path(__file__).parent
HIDDEN_UNITS = 32
TRACKED_COLUMNS = 3 * 12  # velocity, angular velocity and two axes of each device
FEEDBACK_COLUMNS = 6  # two axes of the body's direction
VARIANTS = ("r1-adam", "r1-adamw", "r50-adam", "r50-adamw")  # predictions in a row while training, and the optimizer
MAX_FEEDBACK = 2.0  # of what is fed back, component by component: with r = 1 it can grow without end
TURNED, RAW = "turned", "raw"
FEEDBACK = (TURNED, RAW)  # the last prediction turned into the headset's new frame, or as it came out
UNCERTAINTY = np.radians(13)  # it does not say itself


@dataclass(frozen=True, eq=False)
class PaperWeights:
    """Two hidden layers with ReLU; inputs are normalised first."""

    offsets: np.ndarray  # (42,)
    scales: np.ndarray  # (42,)
    first: np.ndarray  # (42, 32)
    first_biases: np.ndarray  # (32,)
    second: np.ndarray  # (32, 32)
    second_biases: np.ndarray  # (32,)
    outputs: np.ndarray  # (32, 6)
    output_biases: np.ndarray  # (6,)


def measure_paper_inputs(joints: Trackers) -> np.ndarray:
    """x^v, x^w and x^r (N, 36) of headset and controllers, in the headset's ground frame; zero where not tracked."""
    points = [HEAD, *HANDS]
    yaws = facing_yaws(joints.rotations[:, HEAD])[:, None]
    turns, known = joints.rotations[:, points], joints.valid[:, points, None]
    columns = [joints.velocities[:, points], joints.angular_velocities[:, points]]
    columns += [quaternion.rotate(turns, np.array(axis)) * known for axis in ([1.0, 0, 0], [0.0, 1, 0])]
    return np.concatenate([rotate_about_y(column, -yaws).reshape(len(joints), -1) for column in columns], axis=-1)


def to_axes(yaws: np.ndarray) -> np.ndarray:
    """Two axes (N, 6), those that +X and +Y turn to, of turns by yaws (N,)."""
    zero, one = np.zeros_like(yaws), np.ones_like(yaws)
    return np.stack([np.cos(yaws), zero, -np.sin(yaws), zero, one, zero], axis=-1)


def from_axes(axes: np.ndarray) -> np.ndarray:
    """The yaws (N,) of predicted axes (N, 6) of any length: where the first one points on the ground."""
    return np.arctan2(-axes[..., 2], axes[..., 0])


def turn_axes(axes: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    """Both axes (N, 6) turned about +Y."""
    return np.concatenate([rotate_about_y(axes[..., :3], yaws), rotate_about_y(axes[..., 3:], yaws)], axis=-1)


def predict(weights: PaperWeights, inputs: np.ndarray) -> np.ndarray:
    """Predict of Algorithm 1: axes (N, 6) from inputs (N, 42)."""
    hidden = (inputs - weights.offsets) / weights.scales
    hidden = np.maximum(hidden @ weights.first + weights.first_biases, 0)
    hidden = np.maximum(hidden @ weights.second + weights.second_biases, 0)
    return hidden @ weights.outputs + weights.output_biases


class PaperNetwork:
    """The paper's estimator, a baseline: it needs headset and both controllers, at about 60 samples a second."""

    def __init__(
        self, count: int = 1, *, variant: str = "r50-adam", weights: PaperWeights | None = None,
        feedback: str = TURNED,
    ):  # fmt: skip
        """`feedback` as in training; the networks that ship were trained with `turned`."""
        if weights is None and variant not in VARIANTS:
            raise KinematchError(unknown("variant of the paper's network", variant, VARIANTS))
        self._feedback = check_feedback(feedback)
        self.weights = load_paper(FOLDER / f"paper-{variant}.safetensors")[0] if weights is None else weights
        self.reset(count)

    def reset(
        self,
        count: int,
        *,
        head_heights: np.ndarray | None = None,
        arm_lengths: np.ndarray | None = None,
        yaws: np.ndarray | None = None,
    ) -> None:
        """Begin with bodies that face where the headsets do, or along given yaws (N,); measures are not used."""
        self._axes = to_axes(np.zeros(count) if yaws is None else np.asarray(yaws, np.float64))
        self._started = np.full(count, yaws is not None)
        self._headings = np.zeros(count)  # of the frame that the axes are in; at first the world's

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """Directions now, from the trackers and the last prediction."""
        check_count(joints, len(self._axes))
        headings = facing_yaws(joints.rotations[:, HEAD])
        turned = self._started & (self._feedback == TURNED)
        fed = turn_axes(self._axes, np.where(turned, self._headings - headings, 0.0))
        new = predict(self.weights, np.concatenate([measure_paper_inputs(joints), fed], axis=-1))
        seen = joints.valid[:, HEAD]
        self._axes = np.where(seen[:, None], np.clip(new, -MAX_FEEDBACK, MAX_FEEDBACK), self._axes)
        self._headings, self._started = np.where(seen, headings, self._headings), self._started | seen
        yaws = wrap_angle(self._headings + from_axes(self._axes))
        return Direction(yaws, np.full(len(yaws), UNCERTAINTY))


def check_feedback(feedback: str) -> str:
    if feedback not in FEEDBACK:
        raise KinematchError(unknown("feedback of the paper's network", feedback, FEEDBACK))
    return feedback


def save_paper(path: Path, weights: PaperWeights, about: dict[str, Any]) -> None:
    """Write the weights, and what they were trained from."""
    arrays = {f.name: getattr(weights, f.name).astype(np.float32) for f in fields(PaperWeights)}
    write_arrays(path, arrays, format=FORMAT, version=VERSION, about={"kind": "paper", "trained": about})


def load_paper(path: Path) -> tuple[PaperWeights, dict[str, Any]]:
    """The paper's weights, and what they were trained from."""
    arrays, about = read_arrays(path, format=FORMAT, version=VERSION, verify=True, words=WORDS)
    if about.get("kind") != "paper" or set(arrays) != {f.name for f in fields(PaperWeights)}:
        raise FileError(path, f"is an orientation network of another kind ({about.get('kind')})", kind="foreign")
    whole = {name: array.astype(np.float64) for name, array in arrays.items()}
    inputs = TRACKED_COLUMNS + FEEDBACK_COLUMNS
    if whole["first"].shape != (inputs, HIDDEN_UNITS) or whole["outputs"].shape != (HIDDEN_UNITS, FEEDBACK_COLUMNS):
        raise FileError(
            path, f"does not have {inputs} inputs and {FEEDBACK_COLUMNS} outputs; {WORDS.remedy}", kind="damaged"
        )
    return PaperWeights(**whole), about["trained"]
