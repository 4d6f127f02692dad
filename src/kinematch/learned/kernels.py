"""Compiled networks for many inputs at once, as training, scoring and sketches need them; the step has its own way."""

import numpy as np

from kinematch.compile.jit import kernel
from kinematch.learned.network import Network
from kinematch.math.networks import OUTPUTS, ROWS, Net, measure_net, run_network
from kinematch.threads import run_in_pieces

MIN_SHARED_INPUTS, PIECE_INPUTS = 128, 64  # inputs from which threads share the work, and how many each takes at a time


class Compiled:
    """A Network in the order that kernels read it; a linear path becomes more inputs of the last layer."""

    def __init__(self, network: Network):
        skip = np.zeros((0, network.output_count), np.float32) if network.skip is None else network.skip
        layers = [*network.weights[:-1], np.concatenate([network.weights[-1], skip])]
        packed = [_pack(weight, bias) for weight, bias in zip(layers, network.biases)]
        sizes = [network.input_count, *(len(bias) for bias in network.biases)]
        weights, biases = (np.concatenate(arrays) for arrays in zip(*packed))
        self.net = Net(weights, biases, np.array(sizes, np.int64), len(skip))
        self.outputs = network.output_count

    def apply(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs (N, outputs) of inputs (N, inputs), as network.apply_network defines them."""
        values = np.ascontiguousarray(inputs, np.float32)
        out, width = np.empty((len(values), self.outputs), np.float32), measure_net(self.net)

        def run(own: slice) -> None:
            apply_to_many(self.net, values[own], np.zeros((2, ROWS, width), np.float32), out[own])

        run_in_pieces(len(values), run, worth=MIN_SHARED_INPUTS, piece=PIECE_INPUTS)
        return out


@kernel
def apply_to_many(net, inputs, hidden, out):
    for start in range(0, len(inputs), ROWS):
        count = min(ROWS, len(inputs) - start)
        at = run_network(net, inputs[start : start + count], hidden, count)
        out[start : start + count] = hidden[at, :count, : out.shape[1]]


def _pack(weight: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A layer (inputs, outputs) as blocks (inputs, OUTPUTS) one after the other, and its biases."""
    inputs, outputs = weight.shape
    blocks = -(-outputs // OUTPUTS)
    padded, biases = np.zeros((inputs, blocks * OUTPUTS), np.float32), np.zeros(blocks * OUTPUTS, np.float32)
    padded[:, :outputs], biases[:outputs] = weight, bias
    return padded.reshape(inputs, blocks, OUTPUTS).transpose(1, 0, 2).ravel(), biases
