"""Vectors and quaternions of single numbers or of lanes, with the operators that their algebra has."""

import operator
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kinematch.compile.indexing import define_row
from kinematch.compile.internals import implement
from kinematch.compile.jit import INNER, inner
from kinematch.compile.lanes import find_kind, lanes, root, widen
from kinematch.compile.scratch import define_scratch


class Vector(NamedTuple):
    x: Any
    y: Any
    z: Any

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, number):
        return Vector(self.x * number, self.y * number, self.z * number)

    def __neg__(self):
        return Vector(-self.x, -self.y, -self.z)


class Quaternion(NamedTuple):
    w: Any
    x: Any
    y: Any
    z: Any

    def __mul__(self, other):
        return multiply(self, other)


def _is_vector(kind: Any) -> bool:
    return isinstance(kind, types.BaseNamedTuple) and kind.instance_class is Vector


def _tuple_of(parts: list, cls: Any) -> Any:
    return types.NamedUniTuple(parts[0], len(parts), cls) if len(set(parts)) == 1 else types.NamedTuple(parts, cls)


def _define(instruction: str, *, with_number: bool) -> Any:
    """Part by part: a vector and a vector, or a vector and a number."""

    def define(a, b):
        if not _is_vector(a) or _is_vector(b) == with_number or (isinstance(b, types.BaseTuple) and with_number):
            return None
        others = [b] * 3 if with_number else b.types
        out = _tuple_of([find_kind(*pair) for pair in zip(a.types, others)], Vector)

        def generate(context, builder, _, arguments):
            parts = []
            for i, kind in enumerate(out.types):
                one = builder.extract_value(arguments[0], i)
                other = arguments[1] if with_number else builder.extract_value(arguments[1], i)
                pair = widen(context, builder, kind, (a.types[i], others[i]), (one, other))
                parts.append(getattr(builder, instruction)(*pair, flags=getattr(kind, "flags", ("contract",))))
            return context.make_tuple(builder, out, parts)

        return out(a, b), generate

    return define


implement(operator.add)(_define("fadd", with_number=False))
implement(operator.sub)(_define("fsub", with_number=False))
implement(operator.mul)(_define("fmul", with_number=True))


@implement(operator.neg)
def _define_negative(a):
    def generate(context, builder, _, arguments):
        parts = [builder.fneg(builder.extract_value(arguments[0], i)) for i in range(3)]
        return context.make_tuple(builder, a, parts)

    return (a(a), generate) if _is_vector(a) else None


@overload(operator.mul, jit_options=INNER)
def _multiply(a, b):
    names = [getattr(one, "instance_class", None) for one in (a, b)]
    return multiply if names == [Quaternion, Quaternion] else None


@inner
def multiply(a, b):
    """As quaternion.multiply: b first, then a."""
    return Quaternion(
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    )  # fmt: skip


@inner
def inverse(q):
    """Of a rotation."""
    return Quaternion(q.w, -q.x, -q.y, -q.z)


@inner
def dot(a, b):
    return a.x * b.x + a.y * b.y + a.z * b.z


@inner
def cross(a, b):
    return Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@inner
def length(a):
    return root(dot(a, a))


@inner
def rotate(q, a):
    """As quaternion.rotate."""
    t = cross(Vector(q.x, q.y, q.z), a)
    t = t + t
    return a + t * q.w + cross(Vector(q.x, q.y, q.z), t)


def vector(row):
    """Three numbers of a row."""
    return Vector(row[0], row[1], row[2])


def quaternion(row):
    """Four numbers of a row."""
    return Quaternion(row[0], row[1], row[2], row[3])


implement(vector)(define_row(3, lambda value: types.NamedUniTuple(value, 3, Vector)))
implement(quaternion)(define_row(4, lambda value: types.NamedUniTuple(value, 4, Quaternion)))


def scratch_vectors(room, row, count):
    """As scratch.scratch_numbers."""
    return [Vector(*[np.float32(0.0)] * 3)] * count


def scratch_quaternions(room, row, count):
    return [Quaternion(*[np.float32(0.0)] * 4)] * count


implement(scratch_vectors)(define_scratch(types.NamedUniTuple(lanes, 3, Vector)))
implement(scratch_quaternions)(define_scratch(types.NamedUniTuple(lanes, 4, Quaternion)))
