"""Eight numbers side by side as one number of kernels: what is written for one joint then does eight at once.

In LLVM's own vectors, which every target accepts; compilers left to find them by themselves first ask, for every pair
of arrays, whether these overlap.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic as _typed_intrinsic
from numba.extending import lower_builtin, models, register_model

intrinsic: Any = _typed_intrinsic  # whose annotations speak of the first argument, which callers do not give
LANES = 8
I32, I64, F32, F64 = ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.DoubleType()


class Lanes(types.Type):
    def __init__(self, name: str, number: ir.Type):
        super().__init__(name)
        self.wide = ir.VectorType(number, LANES)


lanes, double_lanes = Lanes("lanes", F32), Lanes("double lanes", F64)


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.wide)


def _give(operation: Any, instruction: str) -> None:
    """An operator of lanes with lanes, or with one number for all of them."""
    pairs = [
        pair
        for kind, one in ((lanes, types.float32), (double_lanes, types.float64))
        for pair in ((kind, kind), (kind, one), (one, kind))
    ]

    class Template(ConcreteTemplate):
        cases = tuple(signature(next(kind for kind in pair if isinstance(kind, Lanes)), *pair) for pair in pairs)

    def generate(context, b, given, arguments):
        wide = [one if isinstance(kind, Lanes) else _splat(b, one) for kind, one in zip(given.args, arguments)]
        return getattr(b, instruction)(*wide, flags=("contract",))

    infer_global(operation)(Template)
    for pair in pairs:
        lower_builtin(operation, *pair)(generate)


for _operation, _instruction in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _give(_operation, _instruction)


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = (signature(lanes, lanes), signature(double_lanes, double_lanes))


@lower_builtin(operator.neg, lanes)
@lower_builtin(operator.neg, double_lanes)
def _negative(context, b, _, arguments):
    return b.fneg(*arguments)


def mask(numbers):
    return ir.Constant(ir.VectorType(I32, len(numbers)), list(numbers))


def pointer(b, address, kind):
    return b.inttoptr(address, kind.as_pointer())


def _splat(b, number):
    first = b.insert_element(ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined), number, ir.Constant(I32, 0))
    return b.shuffle_vector(first, first, mask([0] * LANES))


def _all(kind, number):
    """A constant, of one number or of eight."""
    return ir.Constant(kind, [number] * LANES if isinstance(kind, ir.VectorType) else number)


@intrinsic
def splat(typing, number):
    """One number in all lanes."""

    def generate(context, b, _, arguments):
        return _splat(b, arguments[0])

    return (double_lanes if number == types.float64 else lanes)(number), generate


def _row(b, start, row):
    """Where a row of eight numbers is."""
    return pointer(b, b.add(start, b.mul(row, ir.Constant(I64, 4 * LANES))), lanes.wide)


@intrinsic
def read(typing, start, row):
    """Eight numbers that lie one behind the other: the so-manieth from an address on."""

    def generate(context, b, _, arguments):
        loaded = b.load(_row(b, *arguments))
        loaded.align = 4
        return loaded

    return lanes(types.uintp, types.int64), generate


@intrinsic
def write(typing, start, row, values):
    def generate(context, b, _, arguments):
        stored = b.store(arguments[2], _row(b, *arguments[:2]))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(types.uintp, types.int64, lanes), generate


# what follows takes eight numbers or one, so that functions made of it do


def _call(b, name, *given):
    """One of LLVM's own functions."""
    kind = given[0].type
    wide = isinstance(kind, ir.VectorType)
    size = 32 if (kind.element if wide else kind) == F32 else 64
    function = ir.FunctionType(kind, [kind] * len(given))
    name = f"llvm.{name}.{f'v{LANES}' if wide else ''}f{size}"
    return b.call(cgutils.get_or_insert_function(b.module, function, name), given)


@intrinsic
def root(typing, values):
    """The square root."""

    def generate(context, b, _, arguments):
        return _call(b, "sqrt", *arguments)

    return values(values), generate


@intrinsic
def inverse_root(typing, values):
    """One by the square root."""

    def generate(context, b, _, arguments):
        return b.fdiv(_all(arguments[0].type, 1.0), _call(b, "sqrt", *arguments))

    return values(values), generate


@intrinsic
def floor(typing, values):
    def generate(context, b, _, arguments):
        return _call(b, "floor", *arguments)

    return values(values), generate


@intrinsic
def with_sign(typing, sizes, signs):
    def generate(context, b, _, arguments):
        return _call(b, "copysign", *arguments)

    return sizes(sizes, sizes), generate


@intrinsic
def where_positive(typing, numbers, values, others):
    """In each lane the value where the number is positive, else the other."""

    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered(">", arguments[0], _all(arguments[0].type, 0.0)), *arguments[1:])

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
def narrowed(typing, values):
    """Double numbers as single ones."""

    def generate(context, b, _, arguments):
        return b.fptrunc(arguments[0], lanes.wide)

    return lanes(double_lanes), generate
