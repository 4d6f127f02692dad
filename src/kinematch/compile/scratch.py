"""Scratch: values of lanes that a stage keeps for a while, one after the other in a room (rows, 8) of float32."""

import operator
from typing import Any

import numpy as np
from numba import types

from kinematch.compile import vectors as v
from kinematch.compile.indexing import make_whole
from kinematch.compile.internals import OpenArray, define_value, implement
from kinematch.compile.lanes import LANES, Lanes, lanes, widen
from kinematch.compile.vectors import I64


@define_value
class LaneScratch(types.Type):
    """Values of lanes one after the other, each of `size` numbers."""

    wide = I64

    def __init__(self, value: Any):
        super().__init__(f"scratch of {value}")
        self.value = value
        self.width = 1 if isinstance(value, Lanes) else len(value)


def scratch_numbers(room, row, count):
    """A vector of numbers, in lanes from a row of a room on; outside kernels, a list."""
    return [np.float32(0.0)] * count


def define_scratch(value: types.Type) -> Any:
    """How kernels lay out values of a type one after the other."""
    kind = LaneScratch(value)

    def define(room, row, count):
        def generate(context, b, _, arguments):
            offset = b.mul(make_whole(context, b, row, arguments[1]), v.integer(4 * LANES))
            return b.add(OpenArray(context, b, room, arguments[0]).address, offset)

        return kind(room, row, count), generate

    return define


implement(scratch_numbers)(define_scratch(lanes))


def _find_places(context, b, scratch, index, given):
    first = b.mul(make_whole(context, b, index, given), v.integer(scratch.width))
    return [b.add(first, v.integer(i)) for i in range(scratch.width)]


@implement(operator.getitem)
def _define_getitem(scratch, index):
    if not isinstance(scratch, LaneScratch) or not isinstance(index, types.Integer):
        return None

    def generate(context, b, _, arguments):
        places = _find_places(context, b, scratch, index, arguments[1])
        parts = [v.load(b, lanes.wide, arguments[0], place, align=4) for place in places]
        return parts[0] if isinstance(scratch.value, Lanes) else context.make_tuple(b, scratch.value, parts)

    return scratch.value(scratch, index), generate


@implement(operator.setitem)
def _define_setitem(scratch, index, value):
    if not isinstance(scratch, LaneScratch) or not isinstance(index, types.Integer):
        return None

    def generate(context, b, _, arguments):
        parts, kinds = [arguments[2]], [value]
        if isinstance(value, types.BaseTuple):
            parts, kinds = [b.extract_value(arguments[2], i) for i in range(scratch.width)], value.types
        places = _find_places(context, b, scratch, index, arguments[1])
        for place, part in zip(places, widen(context, b, lanes, kinds, parts)):
            v.store(b, part, arguments[0], place, align=4)
        return context.get_dummy_value()

    return types.none(scratch, index, value), generate
