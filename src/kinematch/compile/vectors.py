"""Building blocks of intrinsics on vectors: types, loads, stores, splats, shuffles and LLVM's own functions.

Only LLVM's generic vectors, which every target accepts. `b` is the IR builder everywhere.
"""

from typing import Any

from llvmlite import ir
from numba.extending import intrinsic as _typed_intrinsic

intrinsic: Any = _typed_intrinsic  # numba's annotations include the typing context, which callers do not pass
I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
F32, F64 = ir.FloatType(), ir.DoubleType()


def integer(number: int) -> ir.Constant:
    """A 64-bit integer constant."""
    return ir.Constant(I64, number)


def constant(kind: ir.Type, number) -> ir.Constant:
    """A number of a scalar type, or the same number in all lanes of a vector type."""
    return ir.Constant(kind, [number] * kind.count if isinstance(kind, ir.VectorType) else number)


def pointer(b, address, kind):
    return b.inttoptr(address, kind.as_pointer())


def load(b, kind, address, index=None, *, align: int = 1):
    """The value at an address, or the index-th value from there."""
    place = pointer(b, address, kind)
    loaded = b.load(place if index is None else b.gep(place, [index]))
    loaded.align = align
    return loaded


def store(b, value, address, index=None, *, align: int = 1):
    place = pointer(b, address, value.type)
    stored = b.store(value, place if index is None else b.gep(place, [index]))
    stored.align = align


def splat(b, number, kind):
    """One number in all lanes."""
    first = b.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(I32, 0))
    return shuffle(b, first, [0] * kind.count)


def shuffle(b, vector, lanes, other=None):
    """Some lanes of a vector, or of two vectors one after the other."""
    other = ir.Constant(vector.type, ir.Undefined) if other is None else other
    order = list(lanes)
    return b.shuffle_vector(vector, other, ir.Constant(ir.VectorType(I32, len(order)), order))


def join(b, parts):
    """The lanes of equal vectors, a power of two of them, one after the other."""
    while len(parts) > 1:
        count = parts[0].type.count
        parts = [shuffle(b, left, range(2 * count), right) for left, right in zip(parts[::2], parts[1::2])]
    return parts[0]


def call(b, name: str, *given):
    """LLVM's function of a name on numbers or vectors of one type."""
    kind = given[0].type
    number = kind.element if isinstance(kind, ir.VectorType) else kind
    letter = f"i{number.width}" if isinstance(number, ir.IntType) else "f32" if number == F32 else "f64"
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    return call_named(b, f"llvm.{name}.{lanes}{letter}", kind, given)


def call_named(b, name: str, result: ir.Type, given):
    """A function of LLVM's by its whole name."""
    kind = ir.FunctionType(result, [one.type for one in given])
    return b.call(b.module.globals.get(name) or ir.Function(b.module, kind, name), given)
