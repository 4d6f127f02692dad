"""What numba does not promise still holds: each law here names the part of numba that a release has changed."""

import gc
import operator

import numba
import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError

from kinematch.compile import internals, jit
from kinematch.compile import vectors as v
from kinematch.compile.internals import OpenArray, implement
from kinematch.compile.jit import inner, kernel, part, replace_in_kernels
from kinematch.compile.vectors import I64, intrinsic


def name_way(number):
    return 0


@implement(name_way)
def _define_name_way(number):
    if not isinstance(number, types.Float):
        return None
    return types.int64(number), lambda context, b, given, arguments: context.get_constant(types.int64, 1)


def add_twice(numbers, amount):
    numbers[0] += 1


@replace_in_kernels(add_twice)
def _add_twice(numbers, amount):
    numbers[0] += 2 * amount


@kernel
def call_both(numbers):
    add_twice(numbers, 10)
    return name_way(numbers[0])


@kernel
def call_with_text(numbers):
    return name_way("text")


def test_python_runs_what_is_written_and_kernels_what_is_registered():
    numbers = np.zeros(1)
    assert call_both.py_func(numbers) == 0
    assert numbers[0] == 1
    assert call_both(numbers) == 1
    assert numbers[0] == 21


def test_types_that_a_definition_does_not_take_do_not_compile():
    with pytest.raises(TypingError):
        call_with_text(np.zeros(1))


@internals.define_value
class Degrees(types.Type):
    """A type with a value, an operator and a field of its own."""

    wide = I64


degrees = Degrees("degrees")
tried: list[tuple] = []


@intrinsic
def make_degrees(typing, number):
    return degrees(types.int64), lambda context, b, _, arguments: arguments[0]


@implement(operator.add)
def _define_add(a, b):
    tried.append((a, b))
    if a != degrees or b != degrees:
        return None
    return degrees(a, b), lambda context, builder, _, arguments: builder.srem(builder.add(*arguments), v.integer(360))


internals.define_fields(
    Degrees,
    lambda kind, name: types.int64 if name == "number" else None,
    lambda context, b, kind, value, name: value,
)


@kernel
def add_degrees(a, b):
    return (make_degrees(a) + make_degrees(b)).number


def test_a_type_of_our_own_has_values_operators_and_fields():
    assert add_degrees(350, 20) == 10


def test_operators_of_our_own_are_tried_before_those_of_numba():
    tried.clear()
    assert numba.njit(lambda a, b: a + b)(np.int8(1), np.float32(2)) == 3
    assert (types.int8, types.float32) in tried


@intrinsic
def describe(typing, array):
    """Address, length of the second axis, stride of the first, and the bytes of a number."""
    out = types.UniTuple(types.int64, 4)

    def generate(context, b, _, arguments):
        own = OpenArray(context, b, array, arguments[0])
        size = v.integer(internals.measure(context, array.dtype))
        return context.make_tuple(b, out, [own.address, own.shape(1), own.stride(0), size])

    return out(array), generate


@intrinsic
def see_rows(typing, address, rows, columns):
    kind = types.Array(types.float32, 2, "C")

    def generate(context, b, _, arguments):
        return internals.make_array(context, b, kind, arguments[0], list(arguments[1:]))

    return kind(types.int64, types.int64, types.int64), generate


def test_arrays_are_taken_apart_and_put_together():
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    address = array.ctypes.data
    assert numba.njit(lambda given: describe(given))(array) == (address, 6, 24, 4)
    assert numba.njit(lambda given: describe(given))(array[::2]) == (address, 6, 48, 4)

    @numba.njit(_nrt=False)
    def measure_rows(address):
        rows = see_rows(address, 4, 6)
        return rows.shape[0], rows.shape[1], rows.size, rows.strides[0], rows.itemsize, rows[2, 3]

    assert measure_rows(address) == (4, 6, 24, 24, 4, array[2, 3])


@intrinsic
def add_up(typing, start, stop):
    def generate(context, b, _, arguments):
        total = internals.make_variable(b, v.integer(0))
        with internals.count_up(b, *arguments) as index:
            b.store(b.add(b.load(total), index), total)
        return b.load(total)

    return types.int64(types.int64, types.int64), generate


@pytest.mark.parametrize("bounds", [(0, 5), (3, 7), (4, 4), (5, 2)])
def test_loops_count_from_start_to_stop(bounds):
    assert numba.njit(lambda start, stop: add_up(start, stop))(*bounds) == sum(range(*bounds))


def test_targets_have_features_and_a_name():
    processor, features = internals.find_host()
    assert processor
    assert all(feature[0] in "+-" for feature in features if feature)


@part
def double(number):
    return 2 * number


@inner
def add_double(number):
    return number + double(number)


@numba.njit
def triple(number):
    return add_double(number)


def test_parts_are_compiled_into_kernels_without_machine_code_of_their_own():
    assert triple(5) == 15
    (overload,) = double.overloads.values()
    assert isinstance(overload.library, internals._PartLibrary)
    assert overload.library._finalized
    assert not isinstance(next(iter(triple.overloads.values())).library, internals._PartLibrary)


def test_parts_that_are_inlined_are_never_duplicated_by_loop_passes():
    kept = []
    whole = internals._PartLibrary.add_ir_module

    def keep(library, module):
        whole(library, module)
        kept.extend(module.functions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(internals._PartLibrary, "add_ir_module", keep)
        numba.njit(double.py_func, **jit.INNER).compile((types.int64,))
    inlined = [one for one in kept if "alwaysinline" in one.attributes]
    assert inlined
    assert all("convergent" in one.attributes for one in inlined)


def test_compilation_is_watched_from_begin_to_end():
    heard = []

    def halve(number):
        return number / 2

    with internals.watch_compilation(lambda f: heard.append(("begin", f)), lambda f: heard.append(("end", f))):
        assert numba.njit(halve)(4.0) == 2
    assert heard == [("begin", halve), ("end", halve)]
    numba.njit(halve)(4.0)
    assert len(heard) == 2


@pytest.mark.parametrize("enabled", [True, False])
def test_compiling_leaves_garbage_collection_as_it_was_even_where_it_fails(enabled):
    before = gc.isenabled()
    seen = []

    @numba.njit
    def double(number):
        return number + number

    try:
        (gc.enable if enabled else gc.disable)()
        with internals.watch_compilation(lambda function: seen.append(gc.isenabled())):
            double(1)
            assert gc.isenabled() == enabled
            with pytest.raises(TypingError):
                double(None)
        assert gc.isenabled() == enabled
        assert seen == [False, False]
    finally:
        (gc.enable if before else gc.disable)()
