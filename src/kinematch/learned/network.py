"""Network: dense layers with an optional linear path beside them, and what it computes in plain numpy."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError


@dataclass(frozen=True, eq=False)
class Network(Unchanging):
    """y = layers(x) + skip(x): negative numbers become zero after each layer but the last (ReLU).

    Normalisation is folded into the layers. `skip` takes the last inputs alone, so that others can be kept out of it.
    """

    weights: tuple[np.ndarray, ...]  # (inputs, outputs) of each layer, float32
    biases: tuple[np.ndarray, ...]  # (outputs,)
    skip: np.ndarray | None = None  # (last inputs, outputs): the linear path from the last columns of the input

    def __post_init__(self) -> None:
        if not self.weights or len(self.weights) != len(self.biases):
            raise KinematchError(f"a network of {len(self.weights)} weights and {len(self.biases)} biases")
        arrays = [*self.weights, *self.biases, *([] if self.skip is None else [self.skip])]
        for array in arrays:
            if array.dtype != np.float32 or not np.isfinite(array).all():
                raise KinematchError("weights of a network must be finite float32")
            array.flags.writeable = False
        width = self.weights[0].shape[0]
        for weight, bias in zip(self.weights, self.biases):
            if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:]:
                raise KinematchError(f"a layer of shape {weight.shape} with biases {bias.shape} after {width} numbers")
            width = weight.shape[1]
        if self.skip is not None and (self.skip.ndim != 2 or self.skip.shape[1] != width):
            raise KinematchError(f"a linear path of shape {self.skip.shape} to {width} outputs")
        if self.skip is not None and self.skip.shape[0] > self.input_count:
            raise KinematchError(f"a linear path from {self.skip.shape[0]} of {self.input_count} inputs")

    @property
    def input_count(self) -> int:
        return self.weights[0].shape[0]

    @property
    def output_count(self) -> int:
        return self.weights[-1].shape[1]

    @property
    def nbytes(self) -> int:
        """In memory."""
        own = sum(array.nbytes for array in (*self.weights, *self.biases))
        return own + (0 if self.skip is None else self.skip.nbytes)


def apply_network(network: Network, inputs: np.ndarray) -> np.ndarray:
    """Outputs (N, outputs) for inputs (N, inputs); the definition that kernels and exports are held to."""
    values = np.asarray(inputs, np.float32)
    last = len(network.weights) - 1
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases)):
        values = values @ weight + bias
        if number < last:
            values = np.maximum(values, 0)
    if network.skip is not None:
        values = values + inputs[:, network.input_count - len(network.skip) :] @ network.skip
    return values


def write_network(name: str, network: Network) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Half-precision arrays by name, and the rest, for a file."""
    arrays = {}
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases)):
        arrays[f"{name}.weight.{number}"], arrays[f"{name}.bias.{number}"] = weight, bias
    if network.skip is not None:
        arrays[f"{name}.skip"] = network.skip
    halves = {key: array.astype(np.float16) for key, array in arrays.items()}
    return halves, {"layers": len(network.weights)}


def read_network(name: str, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> Network:
    """The inverse of write_network."""

    def whole(key: str) -> np.ndarray:
        return np.array(arrays[f"{name}.{key}"], np.float32)

    layers = range(int(about["layers"]))
    return Network(
        tuple(whole(f"weight.{number}") for number in layers),
        tuple(whole(f"bias.{number}") for number in layers),
        whole("skip") if f"{name}.skip" in arrays else None,
    )
