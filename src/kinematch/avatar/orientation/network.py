"""The recurrent network: its weights, their file, and one step of it in plain numpy."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.orientation.constants import (
    AVERAGE_SECONDS,
    AVERAGED_VECTORS,
    REFERENCE_RATE,
)
from kinematch.avatar.orientation.inputs import (
    COLUMN_COUNT,
)  # fmt: skip
from kinematch.database.container import Words, read_arrays, write_arrays
from kinematch.errors import FileError

FORMAT, VERSION = "kinematch-orientation", 1
WORDS = Words("orientation network", "`kinematch train orientation` writes those", "train it again")


@dataclass(frozen=True, eq=False)
class OrientationNetwork:
    """A gated recurrent unit of H hidden numbers, of which the first 2 V are V ground vectors, x before z.

    Those keep their direction in the world: where the headset turns, they are turned back. A gate's number is the share
    that it lets in within a sixtieth of a second, so any frame rate gives the same motion.
    """

    inputs: np.ndarray  # (COLUMN_COUNT, 3 H): to gate, mix and new
    hidden: np.ndarray  # (H, 3 H)
    input_biases: np.ndarray  # (3 H,)
    hidden_biases: np.ndarray  # (3 H,)
    outputs: np.ndarray  # (H, 3): to a ground vector in the headset's frame, and the logarithm of the error to expect
    output_biases: np.ndarray  # (3,)
    vectors: int  # V
    trust: tuple[float, float]  # offset and slope that make the logarithm of the error that of held-out people

    @property
    def size(self) -> int:
        """H."""
        return len(self.hidden)


@dataclass(eq=False)
class NetworkState:
    """All that a network remembers of N users; row 1 of a pair is the user seen in a mirror."""

    hidden: np.ndarray  # (N, 2, H)
    past: np.ndarray = field(repr=False)  # (N, S, AVERAGED_VECTORS, 2), averages in the world's axes
    ages: np.ndarray = field(repr=False)  # (N, AVERAGED_VECTORS) s that the averages hold
    headings: np.ndarray  # (N,) rad, the headset's yaw at the last sample
    started: np.ndarray  # (N,) bool: whether there was a sample
    relatives: np.ndarray  # (N,) rad, answers: the hips' yaw against the headset's
    errors: np.ndarray  # (N,) logarithm of the error to expect


def make_memory(network: OrientationNetwork, count: int) -> NetworkState:
    """A memory without a past."""
    return NetworkState(
        np.zeros((count, 2, network.size), np.float32), np.zeros((count, len(AVERAGE_SECONDS), AVERAGED_VECTORS, 2)),
        np.zeros((count, AVERAGED_VECTORS)), np.zeros(count), np.zeros(count, bool), np.zeros(count), np.zeros(count),
    )  # fmt: skip


def _choose(known: np.ndarray, new: np.ndarray, old: np.ndarray) -> np.ndarray:
    return np.where(known.reshape(-1, *[1] * (new.ndim - 1)), new, old).astype(old.dtype)


def advance_hidden(
    network: OrientationNetwork, hidden: np.ndarray, inputs: np.ndarray, turns: np.ndarray, dt: float
) -> np.ndarray:
    """Hidden numbers (..., H) after inputs (..., COLUMN_COUNT), the headset having turned by angles (...)."""
    v, size = network.vectors, network.size
    c, s = np.cos(turns)[..., None], np.sin(turns)[..., None]
    x, z = hidden[..., :v], hidden[..., v : 2 * v]
    hidden = np.concatenate([c * x - s * z, s * x + c * z, hidden[..., 2 * v :]], axis=-1)
    given = inputs @ network.inputs + network.input_biases
    own = hidden @ network.hidden + network.hidden_biases
    gate, mix = given[..., :size] + own[..., :size], given[..., size : 2 * size] + own[..., size : 2 * size]
    share = -np.expm1(-dt * REFERENCE_RATE * np.logaddexp(0, gate))
    new = np.tanh(given[..., 2 * size :] + own[..., 2 * size :] / (1 + np.exp(-mix)))
    return hidden + share * (new - hidden)


def save_network(path: Path, network: OrientationNetwork, about: dict[str, Any]) -> None:
    """Write a network with half precision, and what it was trained from."""
    arrays = {f.name: getattr(network, f.name).astype(np.float16) for f in fields(OrientationNetwork)[:6]}
    more = {"kind": "recurrent", "vectors": network.vectors, "trust": list(network.trust), "trained": about}
    write_arrays(path, arrays, format=FORMAT, version=VERSION, about=more)


def load_network(path: Path) -> tuple[OrientationNetwork, dict[str, Any]]:
    """A network, and what it was trained from."""
    arrays, about = read_arrays(path, format=FORMAT, version=VERSION, verify=True, words=WORDS)
    names = [f.name for f in fields(OrientationNetwork)[:6]]
    if about.get("kind") != "recurrent" or set(names) != set(arrays):
        raise FileError(path, f"is an orientation network of another kind ({about.get('kind')})", kind="foreign")
    size = len(arrays["hidden"])
    shapes = ((COLUMN_COUNT, 3 * size), (size, 3 * size), (3 * size,), (3 * size,), (size, 3), (3,))
    found = tuple(arrays[name].shape for name in names)
    if found != shapes or not 0 <= 2 * int(about["vectors"]) <= size:
        raise FileError(path, f"holds arrays of shapes {found}, expected {shapes}; {WORDS.remedy}", kind="damaged")
    whole = {name: np.ascontiguousarray(arrays[name], np.float32) for name in names}
    offset, slope = about["trust"]
    return OrientationNetwork(**whole, vectors=int(about["vectors"]), trust=(float(offset), float(slope))), about[
        "trained"
    ]
