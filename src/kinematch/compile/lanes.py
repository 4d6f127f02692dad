"""Lane types: numbers side by side that kernels use like one number, so code written for one number handles eight.

Compilers that vectorise loops on their own first test every pair of arrays for overlap; these types need no test.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing import signature
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import lower_builtin, models, register_model

from kinematch.compile import vectors as v
from kinematch.compile.vectors import F32, F64, I32, intrinsic

LANES = 8
ELEMENTS = {types.float32: F32, types.float64: F64, types.int32: I32}
OPERATORS = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}


class Lanes(types.Type):
    def __init__(self, number: types.Type, count: int, *, fused: bool):
        super().__init__(f"{count} lanes of {number}{', fused' if fused else ''}")
        self.number, self.count = number, count
        self.wide = ir.VectorType(ELEMENTS[number], count)
        self.flags = ("contract",) if fused else ()


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.wide)


def define_lanes(number: types.Type, count: int, *, fused: bool) -> Lanes:
    """A lane type of floats with arithmetic among lanes and with single numbers.

    `fused` lets a target fuse products into sums; without it, every target computes the same bits.
    """
    kind = Lanes(number, count, fused=fused)
    for operation, instruction in OPERATORS.items():
        _define_operator(kind, operation, instruction)

    class Negative(ConcreteTemplate):
        cases = (signature(kind, kind),)

    def negate(context, b, _, arguments):
        return b.fneg(*arguments)

    infer_global(operator.neg)(Negative)
    lower_builtin(operator.neg, kind)(negate)
    return kind


def _define_operator(kind: Lanes, operation: Any, instruction: str) -> None:
    pairs = (kind, kind), (kind, kind.number), (kind.number, kind)

    class Template(ConcreteTemplate):
        cases = tuple(signature(kind, *pair) for pair in pairs)

    def generate(context, b, given, arguments):
        wide = [one if own == kind else v.splat(b, one, kind.wide) for own, one in zip(given.args, arguments)]
        return getattr(b, instruction)(*wide, flags=kind.flags)

    infer_global(operation)(Template)
    for pair in pairs:
        lower_builtin(operation, *pair)(generate)


def make_reader(kind: Lanes) -> Any:
    """A function that reads the n-th row of lanes from an address; rows follow each other without gaps."""

    def read(typing, start, row):
        def generate(context, b, _, arguments):
            return v.load(b, kind.wide, *arguments, align=4)

        return kind(types.uintp, types.int64), generate

    return intrinsic(read)


def make_writer(kind: Lanes) -> Any:
    """A function that writes the n-th row of lanes from an address."""

    def write(typing, start, row, values):
        def generate(context, b, _, arguments):
            v.store(b, arguments[2], *arguments[:2], align=4)
            return context.get_dummy_value()

        return types.void(types.uintp, types.int64, kind), generate

    return intrinsic(write)


def make_splat(kind: Lanes) -> Any:
    """A function that puts one number into all lanes."""

    def splat(typing, number):
        def generate(context, b, _, arguments):
            return v.splat(b, arguments[0], kind.wide)

        return kind(kind.number), generate

    return intrinsic(splat)


lanes = define_lanes(types.float32, LANES, fused=True)
double_lanes = define_lanes(types.float64, LANES, fused=True)
read, write = make_reader(lanes), make_writer(lanes)


@intrinsic
def splat(typing, number):
    """One number in all eight lanes."""
    kind = double_lanes if number == types.float64 else lanes

    def generate(context, b, _, arguments):
        return v.splat(b, arguments[0], kind.wide)

    return kind(number), generate


# The functions below take any lanes or a single number, so functions composed of them do, too.


@intrinsic
def root(typing, values):
    """The square root."""

    def generate(context, b, _, arguments):
        return v.call(b, "sqrt", *arguments)

    return values(values), generate


@intrinsic
def inverse_root(typing, values):
    """One divided by the square root."""

    def generate(context, b, _, arguments):
        return b.fdiv(v.constant(arguments[0].type, 1.0), v.call(b, "sqrt", *arguments))

    return values(values), generate


@intrinsic
def floor(typing, values):
    def generate(context, b, _, arguments):
        return v.call(b, "floor", *arguments)

    return values(values), generate


@intrinsic
def with_sign(typing, sizes, signs):
    def generate(context, b, _, arguments):
        return v.call(b, "copysign", *arguments)

    return sizes(sizes, sizes), generate


@intrinsic
def where_positive(typing, numbers, values, others):
    """In each lane the value where the number is positive, else the other."""

    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered(">", arguments[0], v.constant(arguments[0].type, 0.0)), *arguments[1:])

    return numbers(numbers, numbers, numbers), generate


@intrinsic
def larger(typing, values, others):
    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered(">", *arguments), *arguments)

    return values(values, values), generate


@intrinsic
def smaller(typing, values, others):
    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered("<", *arguments), *arguments)

    return values(values, values), generate


@intrinsic
def add_lanes(typing, values):
    """The sum of all lanes, from the first to the last."""

    def generate(context, b, _, arguments):
        total = b.extract_element(arguments[0], ir.Constant(I32, 0))
        for lane in range(1, values.count):
            total = b.fadd(total, b.extract_element(arguments[0], ir.Constant(I32, lane)))
        return total

    return values.number(values), generate


@intrinsic
def narrowed(typing, values):
    """Double-precision lanes as single-precision ones."""

    def generate(context, b, _, arguments):
        return b.fptrunc(arguments[0], lanes.wide)

    return lanes(double_lanes), generate
