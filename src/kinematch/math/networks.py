"""Networks: dense layers of a learned model, for several characters at once so that weights are read once.

Every character's sums run in one order, so that a character moves alike alone and in a crowd.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import count_up, make_variable, target_features
from kinematch.compile.jit import replace_in_kernels, routine
from kinematch.compile.memory import address
from kinematch.compile.vectors import intrinsic

OUTPUTS = 48  # of a layer, side by side
LINE = 4 * OUTPUTS  # bytes of them
ROWS = 16  # characters at once
REGISTER_ROWS = 8  # of them, whose sums fit into registers
MAX_SEPARATE_ROWS = 2  # rows that two passes over the weights serve faster than one pass for eight rows
U = np.uintp


class Net(NamedTuple):
    """Layers one after the other; negative numbers become zero after each but the last."""

    weights: Any  # (A,) float32: of each layer (blocks, inputs, OUTPUTS); outputs past the last are zero
    biases: Any  # (B,) float32: of each layer (blocks, OUTPUTS)
    sizes: Any  # (L + 1,) int64, numbers before the first layer and after each
    skip: int  # how many of the last inputs the last layer sees too, beside what is hidden


def empty_net() -> Net:
    return Net(np.zeros(0, np.float32), np.zeros(0, np.float32), np.zeros(0, np.int64), 0)


def measure_net(net: Net) -> int:
    """Columns that `apply_network` needs."""
    return int(max([0, *(-(-size // OUTPUTS) * OUTPUTS for size in net.sizes.tolist())])) + net.skip


def apply_network(net, inputs, hidden, count):
    """Outputs for the first rows of inputs (ROWS, ...); returns in which half of `hidden` they are."""
    hidden[0][:count, : net.sizes[0]] = inputs[:count, : net.sizes[0]]
    weights, biases = net.weights, net.biases
    for layer in range(len(net.sizes) - 1):
        last, own = layer == len(net.sizes) - 2, hidden[layer % 2][:count]
        width, outputs = int(net.sizes[layer]), int(net.sizes[layer + 1])
        if last and net.skip:
            own[:, width : width + net.skip] = inputs[:count, net.sizes[0] - net.skip : net.sizes[0]]
            width += net.skip
        blocks = -(-outputs // OUTPUTS)
        block, weights = np.split(weights, [blocks * width * OUTPUTS])
        bias, biases = np.split(biases, [blocks * OUTPUTS])
        matrix = block.reshape(blocks, width, OUTPUTS).transpose(1, 0, 2).reshape(width, -1)
        found = own[:, :width] @ matrix + bias
        hidden[1 - layer % 2][:count, : blocks * OUTPUTS] = found if last else np.maximum(found, 0)
    return (len(net.sizes) - 1) % 2


@replace_in_kernels(apply_network)
def _apply_network(net, inputs, hidden, count):
    return run_network(net, inputs, hidden, count)


@routine
def run_network(net, inputs, hidden, count):
    for r in range(count):
        for k in range(net.sizes[0]):
            hidden[0, r, k] = inputs[r, k]
    weights, biases, layers, at = address(net.weights, 0), address(net.biases, 0), net.sizes.shape[0] - 1, 0
    stride = U(4 * hidden.shape[2])
    for layer in range(layers):
        width, blocks = net.sizes[layer], (net.sizes[layer + 1] + OUTPUTS - 1) // OUTPUTS
        if layer == layers - 1:
            for r in range(count):
                for k in range(net.skip):
                    hidden[at, r, width + k] = inputs[r, net.sizes[0] - net.skip + k]
            width += net.skip
        size, rectify = U(4 * width * OUTPUTS), layer < layers - 1
        given, made = address(hidden[at], 0), address(hidden[1 - at], 0)
        # rows past the last are computed and not used
        whole = (count + REGISTER_ROWS - 1 - MAX_SEPARATE_ROWS) // REGISTER_ROWS * REGISTER_ROWS
        for block in range(blocks):
            start, bias, y = weights + U(block) * size, biases + U(LINE * block), made + U(LINE * block)
            for r in range(0, whole, REGISTER_ROWS):
                row = U(r) * stride
                multiply_together(given + row, y + row, stride, start, size, bias, width, rectify)
        if whole < count:
            x, y, block, two = given + U(whole) * stride, made + U(whole) * stride, 0, whole + 1 < count
            while block < blocks:
                start, bias, more = weights + U(block) * size, biases + U(LINE * block), block + 4 <= blocks
                if two and more:
                    multiply_two_far(x, y + U(LINE * block), stride, start, size, bias, width, rectify)
                elif two:
                    multiply_two(x, y + U(LINE * block), stride, start, size, bias, width, rectify)
                elif more:
                    multiply_far(x, y + U(LINE * block), stride, start, size, bias, width, rectify)
                else:
                    multiply_one(x, y + U(LINE * block), stride, start, size, bias, width, rectify)
                block += 4 if more else 1
        weights, biases, at = weights + U(blocks) * size, biases + U(LINE * blocks), 1 - at
    return at


def make_multiplier(rows: int, blocks: int) -> Any:
    """A function: so many blocks of a layer's outputs, for as many characters; what is given are addresses, the bytes
    between two rows and between the weights of two blocks, and how many inputs there are."""

    def multiply(typing, given, made, stride, weights, size, biases, width, rectify):
        def generate(context, b, _, arguments):
            given, made, stride, weights, size, biases, width, rectify = arguments
            lanes = 16 if "+avx512f" in target_features(context) else 8
            most, wide = max(3 * lanes // 2 // rows, 1), ir.VectorType(v.F32, lanes)
            spots = [(block, first) for block in range(blocks) for first in range(0, OUTPUTS, lanes)]
            for start in range(0, len(spots), most):
                part = spots[start : start + most]
                _multiply(b, wide, rows, part, given, made, stride, weights, size, biases, width, rectify)
            return context.get_dummy_value()

        return types.void(*(types.uintp,) * 6, types.int64, types.boolean), generate

    return intrinsic(multiply)


def _multiply(b, wide, rows, spots, given, made, stride, weights, size, biases, width, rectify):
    """Sums of all inputs for vectors at some spots, all of which stay in registers."""

    def find(start, *terms):
        for term in terms:
            start = b.add(start, term)
        return start

    starts = [b.mul(stride, v.integer(r)) for r in range(rows)]
    first = [v.load(b, wide, find(biases, v.integer(LINE * block + 4 * lane)), align=4) for block, lane in spots]
    sums = [[make_variable(b, bias) for bias in first] for _ in range(rows)]
    with count_up(b, v.integer(0), width) as k:
        line, column = b.mul(k, v.integer(LINE)), b.mul(k, v.integer(4))
        own = [
            v.load(b, wide, find(weights, line, b.mul(size, v.integer(block)), v.integer(4 * lane)), align=4)
            for block, lane in spots
        ]
        for r in range(rows):
            x = v.splat(b, v.load(b, v.F32, find(given, starts[r], column), align=4), wide)
            for total, weight in zip(sums[r], own):
                product = b.fmul(x, weight, flags=("contract",))
                b.store(b.fadd(b.load(total), product, flags=("contract",)), total)
    zero = v.constant(wide, 0.0)
    for r in range(rows):
        for total, (block, lane) in zip(sums[r], spots):
            found = b.load(total)
            positive = b.select(b.fcmp_ordered(">", found, zero), found, zero)
            v.store(
                b,
                b.select(rectify, positive, found),
                find(made, starts[r], v.integer(LINE * block + 4 * lane)),
                align=4,
            )


multiply_together, multiply_far = make_multiplier(REGISTER_ROWS, 1), make_multiplier(1, 4)
multiply_one, multiply_two, multiply_two_far = make_multiplier(1, 1), make_multiplier(2, 1), make_multiplier(2, 4)
