"""Compiled networks: every character's sums run in one order, so that a character moves alike alone and in a crowd."""

from typing import NamedTuple

import numpy as np

from kinematch.compile.jit import inner, kernel
from kinematch.compile.lanes import larger, read, splat, write
from kinematch.compile.memory import address
from kinematch.compile.threads import run_in_pieces
from kinematch.learned.network import Network

BLOCK = 32  # outputs side by side: four vectors of eight lanes
MANY, PIECE = 128, 64  # characters from which threads share the work, and how many each takes at a time
ZERO = np.float32(0.0)


class Layer(NamedTuple):
    weights: np.ndarray  # (blocks, inputs, BLOCK) float32; outputs past the last are zero
    biases: np.ndarray  # (blocks, BLOCK)


class Compiled:
    """A Network in the order that kernels read it; a linear path becomes more inputs of the last layer."""

    def __init__(self, network: Network):
        skip = np.zeros((0, network.output_count), np.float32) if network.skip is None else network.skip
        weights = [*network.weights[:-1], np.concatenate([network.weights[-1], skip])]
        self.layers = [_pack(weight, bias) for weight, bias in zip(weights, network.biases)]
        self.skip, self.outputs = len(skip), network.output_count
        self.inputs = network.input_count

    def apply(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs (N, outputs) of inputs (N, inputs), as network.apply_network defines them."""
        values = np.ascontiguousarray(inputs, np.float32)
        count = len(values)
        for number, layer in enumerate(self.layers):
            last = number == len(self.layers) - 1
            if last and self.skip:  # the last layer sees the inputs beside what is hidden
                whole = np.empty((count, layer.weights.shape[1]), np.float32)
                hidden = whole.shape[1] - self.skip
                whole[:, :hidden], whole[:, hidden:] = values[:, :hidden], inputs[:, self.inputs - self.skip :]
                values = whole
            out = np.empty((count, layer.biases.size), np.float32)
            run_layer(values, layer, out, not last)
            values = out
        return values[:, : self.outputs]


def run_layer(values: np.ndarray, layer: Layer, out: np.ndarray, rectify: bool) -> None:
    """On all threads where there are many characters."""

    def run(own: slice) -> None:
        apply_layer(values[own], layer.weights, layer.biases, out[own], rectify)

    run_in_pieces(len(values), run, worth=MANY, piece=PIECE)


def _pack(weight: np.ndarray, bias: np.ndarray) -> Layer:
    inputs, outputs = weight.shape
    blocks = -(-outputs // BLOCK)
    padded, biases = np.zeros((inputs, blocks * BLOCK), np.float32), np.zeros(blocks * BLOCK, np.float32)
    padded[:, :outputs], biases[:outputs] = weight, bias
    by_block = padded.reshape(inputs, blocks, BLOCK).transpose(1, 0, 2)
    return Layer(np.ascontiguousarray(by_block), biases.reshape(blocks, BLOCK))


@kernel
def apply_layer(inputs, weights, biases, outputs, rectify):
    """outputs (N, blocks * BLOCK) of inputs (N, >= K); weights (blocks, K, BLOCK) are read once for four characters."""
    count, width = len(inputs), weights.shape[1]
    whole = count - count % 4
    for b in range(len(weights)):
        for n in range(0, whole, 4):
            apply_to_four(inputs, n, weights, biases, outputs, rectify, b, 0, width)
            apply_to_four(inputs, n, weights, biases, outputs, rectify, b, 1, width)
        for n in range(whole, count):
            apply_to_one(inputs, n, weights, biases, outputs, rectify, b, width)


@inner
def apply_to_one(inputs, n, weights, biases, outputs, rectify, b, width):
    """A block of outputs of one character."""
    start, bias = address(weights, b), address(biases, b)
    a0, a1, a2, a3 = read(bias, 0), read(bias, 1), read(bias, 2), read(bias, 3)
    for k in range(width):
        x, row = inputs[n, k], 4 * k
        a0 = a0 + x * read(start, row)
        a1 = a1 + x * read(start, row + 1)
        a2 = a2 + x * read(start, row + 2)
        a3 = a3 + x * read(start, row + 3)
    if rectify:
        zero = splat(ZERO)
        a0, a1, a2, a3 = larger(a0, zero), larger(a1, zero), larger(a2, zero), larger(a3, zero)
    own = address(outputs, n)
    write(own, 4 * b, a0)
    write(own, 4 * b + 1, a1)
    write(own, 4 * b + 2, a2)
    write(own, 4 * b + 3, a3)


@inner
def apply_to_four(inputs, n, weights, biases, outputs, rectify, b, half, width):
    """Half a block of outputs of four characters, each sum in the order of apply_to_one."""
    start, bias = address(weights, b), address(biases, b)
    left, right = 2 * half, 2 * half + 1
    a0, a1 = read(bias, left), read(bias, right)
    b0, b1, c0, c1, d0, d1 = a0, a1, a0, a1, a0, a1
    for k in range(width):
        u, v = read(start, 4 * k + left), read(start, 4 * k + right)
        x, y = inputs[n, k], inputs[n + 1, k]
        a0, a1 = a0 + x * u, a1 + x * v
        b0, b1 = b0 + y * u, b1 + y * v
        x, y = inputs[n + 2, k], inputs[n + 3, k]
        c0, c1 = c0 + x * u, c1 + x * v
        d0, d1 = d0 + y * u, d1 + y * v
    if rectify:
        zero = splat(ZERO)
        a0, a1, b0, b1 = larger(a0, zero), larger(a1, zero), larger(b0, zero), larger(b1, zero)
        c0, c1, d0, d1 = larger(c0, zero), larger(c1, zero), larger(d0, zero), larger(d1, zero)
    left, right = 4 * b + left, 4 * b + right
    own = address(outputs, n)
    write(own, left, a0)
    write(own, right, a1)
    own = address(outputs, n + 1)
    write(own, left, b0)
    write(own, right, b1)
    own = address(outputs, n + 2)
    write(own, left, c0)
    write(own, right, c1)
    own = address(outputs, n + 3)
    write(own, left, d0)
    write(own, right, d1)
