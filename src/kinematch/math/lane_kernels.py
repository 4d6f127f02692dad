"""Eight single numbers side by side as one number of kernels: what is written for one joint then does eight at once.

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
I32, I64, F32 = ir.IntType(32), ir.IntType(64), ir.FloatType()
WIDE = ir.VectorType(F32, LANES)


class Lanes(types.Type):
    pass


lanes = Lanes("lanes")


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, WIDE)


def _give(operation: Any, instruction: str) -> None:
    """An operator of lanes with lanes, or with one number for all of them."""
    pairs = (lanes, lanes), (lanes, types.float32), (types.float32, lanes)

    class Template(ConcreteTemplate):
        cases = tuple(signature(lanes, *pair) for pair in pairs)

    def generate(context, b, given, arguments):
        wide = [one if kind is lanes else _splat(b, one) for kind, one in zip(given.args, arguments)]
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
    cases = (signature(lanes, lanes),)


@lower_builtin(operator.neg, lanes)
def _negative(context, b, _, arguments):
    return b.fneg(*arguments)


def _mask(numbers):
    return ir.Constant(ir.VectorType(I32, len(numbers)), list(numbers))


def _pointer(b, address, kind):
    return b.inttoptr(address, kind.as_pointer())


def _splat(b, number):
    first = b.insert_element(ir.Constant(WIDE, ir.Undefined), number, ir.Constant(I32, 0))
    return b.shuffle_vector(first, first, _mask([0] * LANES))


@intrinsic
def splat(typing, number):
    """One number in all lanes."""

    def generate(context, b, _, arguments):
        return _splat(b, arguments[0])

    return lanes(types.float32), generate


@intrinsic
def read(typing, address):
    """Eight numbers that lie one behind the other."""

    def generate(context, b, _, arguments):
        loaded = b.load(_pointer(b, arguments[0], WIDE))
        loaded.align = 4
        return loaded

    return lanes(types.uintp), generate


@intrinsic
def write(typing, address, values):
    def generate(context, b, _, arguments):
        stored = b.store(arguments[1], _pointer(b, arguments[0], WIDE))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(types.uintp, lanes), generate


def _call(b, name, *given):
    """One of LLVM's own functions."""
    kind = ir.FunctionType(WIDE, [WIDE] * len(given))
    return b.call(cgutils.get_or_insert_function(b.module, kind, f"llvm.{name}.v{LANES}f32"), given)


@intrinsic
def root(typing, values):
    """The square root."""

    def generate(context, b, _, arguments):
        return _call(b, "sqrt", *arguments)

    return lanes(lanes), generate


@intrinsic
def inverse_root(typing, values):
    """One by the square root."""

    def generate(context, b, _, arguments):
        return b.fdiv(ir.Constant(WIDE, [1.0] * LANES), _call(b, "sqrt", *arguments))

    return lanes(lanes), generate


@intrinsic
def with_sign(typing, sizes, signs):
    def generate(context, b, _, arguments):
        return _call(b, "copysign", *arguments)

    return lanes(lanes, lanes), generate


@intrinsic
def where_positive(typing, numbers, values, others):
    """In each lane the value where the number is positive, else the other."""

    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered(">", arguments[0], ir.Constant(WIDE, [0.0] * LANES)), *arguments[1:])

    return lanes(lanes, lanes, lanes), generate


@intrinsic
def larger(typing, values, others):
    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered(">", *arguments), *arguments)

    return lanes(lanes, lanes), generate


@intrinsic
def smaller(typing, values, others):
    def generate(context, b, _, arguments):
        return b.select(b.fcmp_ordered("<", *arguments), *arguments)

    return lanes(lanes, lanes), generate


def _places(b, table, base):
    """Where the rows of eight lanes are: a table of distances (8,) int64 from an address, both addresses."""
    start = _pointer(b, table, I64)
    return [b.add(base, b.load(b.gep(start, [ir.Constant(I64, lane)]))) for lane in range(LANES)]


def _transposed(b, four):
    """Within each half of eight lanes the k-th number of the i-th becomes the i-th of the k-th; twice is not at all."""
    low, high = _mask([0, 8, 1, 9, 4, 12, 5, 13]), _mask([2, 10, 3, 11, 6, 14, 7, 15])
    pairs = [[b.shuffle_vector(*two, mask) for two in (four[:2], four[2:])] for mask in (low, high)]
    first, second = _mask([0, 1, 8, 9, 4, 5, 12, 13]), _mask([2, 3, 10, 11, 6, 7, 14, 15])
    return [b.shuffle_vector(*pair, mask) for pair in pairs for mask in (first, second)]


def _rows(width: int, gives: Any) -> Any:
    """A function that reads so many numbers of each lane, which lie together at a lane's own distance from a base."""
    row_kind = ir.VectorType(F32, width)

    def read_rows(typing, table, base):
        def generate(context, b, _, arguments):
            rows = []
            for place in _places(b, *arguments):
                row = b.load(_pointer(b, place, row_kind))
                row.align = 4
                rows.append(b.shuffle_vector(row, row, _mask([min(i, width - 1) for i in range(4)])))
            halves = [b.shuffle_vector(rows[i], rows[i + 4], _mask(range(LANES))) for i in range(4)]
            return context.make_tuple(b, gives, _transposed(b, halves)[:width])

        return gives(types.uintp, types.uintp), generate

    return intrinsic(read_rows)


def _rows_back(width: int, takes: Any) -> Any:
    """A function that writes what the other reads."""

    def write_rows(typing, table, base, values):
        def generate(context, b, _, arguments):
            columns = [b.extract_value(arguments[2], min(i, width - 1)) for i in range(4)]
            halves = _transposed(b, columns)
            for lane, place in enumerate(_places(b, *arguments[:2])):
                half, start = halves[lane % 4], lane // 4 * 4
                row = b.shuffle_vector(half, half, _mask(range(start, start + width)))
                stored = b.store(row, _pointer(b, place, row.type))
                stored.align = 4
            return context.get_dummy_value()

        return types.void(types.uintp, types.uintp, takes), generate

    return intrinsic(write_rows)


two_lanes, three_lanes, four_lanes = (types.UniTuple(lanes, width) for width in (2, 3, 4))
read_twos, write_twos = _rows(2, two_lanes), _rows_back(2, two_lanes)
read_threes, write_threes = _rows(3, three_lanes), _rows_back(3, three_lanes)
read_fours, write_fours = _rows(4, four_lanes), _rows_back(4, four_lanes)
