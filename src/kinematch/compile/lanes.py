"""Lanes: numbers side by side that kernels use like one number, so that a text for one character serves eight.

The functions here take lanes, or single numbers; outside kernels they are ordinary Python on single numbers. Compilers
that vectorise loops on their own first test every pair of arrays for overlap; these types need no test.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.internals import define_value, implement
from kinematch.compile.memory import make_reader
from kinematch.compile.vectors import F32, F64, I1, intrinsic

LANES = 8
ELEMENTS = {types.float32: F32, types.float64: F64}
OPERATORS = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
COMPARISONS = {operator.gt: ">", operator.lt: "<", operator.ge: ">=", operator.le: "<="}
FLAGS = {operator.and_: "and_", operator.or_: "or_"}


def round_up(count: int) -> int:
    """The next multiple of LANES."""
    return -(-count // LANES) * LANES


@define_value
class Mask(types.Type):
    """Which of several lanes; what comparing lanes gives."""

    def __init__(self, count: int):
        super().__init__(f"mask of {count} lanes")
        self.count, self.wide = count, ir.VectorType(I1, count)


@define_value
class Lanes(types.Type):
    """A vector of `count` floats. `fused` lets a target fuse products into sums; without it, every target computes
    the same bits."""

    def __init__(self, number: types.Type, count: int, *, fused: bool):
        super().__init__(f"{count} lanes of {number}{', fused' if fused else ''}")
        self.number, self.count = number, count
        self.wide = ir.VectorType(ELEMENTS[number], count)
        self.flags = ("contract",) if fused else ()
        self.mask = Mask(count)


def widen(context, b, kind: types.Type, given, arguments) -> list:
    """Arguments as lanes of a kind, single numbers in all of them; or as single numbers of that type."""
    out = []
    for own, value in zip(given, arguments):
        if isinstance(kind, Lanes) and own != kind:
            value = v.splat(b, context.cast(b, value, own, kind.number), kind.wide)
        elif own != kind:
            value = context.cast(b, value, own, kind)
        out.append(value)
    return out


def find_kind(*given: types.Type) -> types.Type:
    """The lanes among some types, or else the float that holds all of them."""
    for one in given:
        if isinstance(one, Lanes):
            return one
    return types.float32 if all(one == types.float32 for one in given) else types.float64


def _define_function(compute: Any) -> Any:
    """A function of floats, or of lanes, with which single numbers take the lanes' precision."""

    def define(*given):
        kind = find_kind(*given)

        def generate(context, b, _, arguments):
            return compute(b, *widen(context, b, kind, given, arguments))

        return kind(*given), generate

    return define


def _define_operator(compute: Any, *, compares: bool = False) -> Any:
    """An operator that numba has for single numbers already, for lanes."""

    def define(*given):
        kind = find_kind(*given)
        others = [one for one in given if one != kind]
        if not isinstance(kind, Lanes) or not all(isinstance(one, types.Number | types.Boolean) for one in others):
            return None

        def generate(context, b, _, arguments):
            return compute(b, kind, *widen(context, b, kind, given, arguments))

        return (kind.mask if compares else kind)(*given), generate

    return define


def _define_flags(name: str) -> Any:
    def define(a, b):
        if not isinstance(a, Mask) or a != b:
            return None
        return a(a, b), lambda context, builder, _, arguments: getattr(builder, name)(*arguments)

    return define


def _define_operators() -> None:
    for operation, name in OPERATORS.items():
        implement(operation)(_define_operator(lambda b, kind, *two, own=name: getattr(b, own)(*two, flags=kind.flags)))
    for operation, sign in COMPARISONS.items():
        compare = _define_operator(lambda b, kind, *two, own=sign: b.fcmp_ordered(own, *two), compares=True)
        implement(operation)(compare)
    for operation, name in FLAGS.items():
        implement(operation)(_define_flags(name))
    implement(operator.neg)(_define_operator(lambda b, kind, a: b.fneg(a)))


def make_splat(kind: Lanes) -> Any:
    """A function that puts one number into all lanes."""

    def splat(typing, number):
        return kind(kind.number), lambda context, b, _, arguments: v.splat(b, arguments[0], kind.wide)

    return intrinsic(splat)


_define_operators()
lanes = Lanes(types.float32, LANES, fused=True)
double_lanes = Lanes(types.float64, LANES, fused=True)
read, splat = make_reader(lanes, 4), make_splat(lanes)


def larger(a, b):
    return a if a > b else b


def smaller(a, b):
    return a if a < b else b


def root(a):
    """The square root."""
    return np.sqrt(a)


def inverse_root(a):
    """One divided by the square root."""
    return 1 / np.sqrt(a)


def floor(a):
    return np.floor(a)


def with_sign(size, sign):
    return np.copysign(size, sign)


implement(larger)(_define_function(lambda b, *two: b.select(b.fcmp_ordered(">", *two), *two)))
implement(smaller)(_define_function(lambda b, *two: b.select(b.fcmp_ordered("<", *two), *two)))
implement(root)(_define_function(lambda b, a: v.call(b, "sqrt", a)))
implement(inverse_root)(_define_function(lambda b, a: b.fdiv(v.constant(a.type, 1.0), v.call(b, "sqrt", a))))
implement(floor)(_define_function(lambda b, a: v.call(b, "floor", a)))
implement(with_sign)(_define_function(lambda b, *two: v.call(b, "copysign", *two)))


def opposite(mask):
    """Which lanes a mask leaves out."""
    return not mask


@implement(opposite)
def _define_opposite(mask):
    return mask(mask), lambda context, b, _, arguments: b.not_(arguments[0])


def single(a):
    """In single precision."""
    return np.float32(a)


@implement(single)
def _define_single(a):
    kind = lanes if isinstance(a, Lanes) else types.float32

    def generate(context, b, _, arguments):
        if a == double_lanes:
            return b.fptrunc(arguments[0], lanes.wide)
        return arguments[0] if a == kind else context.cast(b, arguments[0], a, kind)

    return kind(a), generate


def where(mask, a, b):
    """The first where a mask is true, else the second: numbers, masks, vectors or rotations."""
    return a if mask else b


@implement(where)
def _define_where(mask, a, b):
    if isinstance(a, types.BaseNamedTuple):
        parts = [_define_where(mask, *pair)[0].return_type for pair in zip(a.types, b.types)]
        kind: types.Type = types.NamedTuple(parts, a.instance_class)
        if len(set(parts)) == 1:
            kind = types.NamedUniTuple(parts[0], len(parts), a.instance_class)
    else:
        parts, kind = [], a if a == b else find_kind(a, b)

    def generate(context, b_, given, arguments):
        condition, *values = arguments
        if not parts:
            return b_.select(condition, *widen(context, b_, kind, (a, b), values))
        chosen = []
        for i, part in enumerate(parts):
            pair = [b_.extract_value(value, i) for value in values]
            chosen.append(b_.select(condition, *widen(context, b_, part, (a.types[i], b.types[i]), pair)))
        return context.make_tuple(b_, kind, chosen)

    return kind(mask, a, b), generate
