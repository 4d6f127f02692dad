"""What numba does not promise: everything taken from its own modules, which any release may change.

The rest of the project imports only `numba`, `numba.types` and `numba.extending`. `b` is the IR builder everywhere.
"""

import contextlib
import pickle
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.event import Event, Listener, install_listener
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import lower_builtin, lower_getattr_generic, models, register_model

I64 = ir.IntType(64)
FIRST = {"target": "cpu"}  # templates that are tried before numba's own, which are many and slow to fail


# types and functions of our own


def define_value(cls: type) -> type:
    """Decorate a numba type: its values are LLVM values of the type that its attribute `wide` names."""

    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any):
            super().__init__(manager, kind, kind.wide)

    register_model(cls)(Model)
    return cls


def define_fields(cls: type, find: Callable, read: Callable) -> None:
    """Attributes of a numba type: `find(kind, name)` returns the type of one or None, `read` generates its value."""

    class Fields(AttributeTemplate):
        key = cls

        def generic_resolve(self, kind: Any, name: str) -> Any:
            return find(kind, name)

    infer_getattr(Fields)
    lower_getattr_generic(cls)(read)


def implement(function: Callable) -> Callable:
    """Register a definition of a function or operator: from the types of a call it returns its signature and a
    generator of code, or None for no match. Outside kernels the function runs as it is written.

    Numba's own `overload` compiles a function for each combination of types, which takes far longer.
    """

    def register(define: Callable) -> Callable:
        class Template(AbstractTemplate):
            metadata = FIRST

            def generic(self, args: Any, kws: Any) -> Any:
                found = define(*map(types.unliteral, args))
                return None if found is None else found[0]

            def get_impl_key(self, sig: Any) -> Any:
                return define

        def generate(context: Any, b: Any, signature: Any, arguments: Any) -> Any:
            return define(*signature.args)[1](context, b, signature, arguments)

        local = "<locals>" in function.__qualname__  # numba looks for keys that are functions in their modules
        infer_global(function, typing_key=define if local else function)(Template)
        lower_builtin(define, types.VarArg(types.Any))(generate)
        return define

    return register


# arrays in generated code


class OpenArray:
    """The address of an array and the lengths and strides of its axes, as LLVM values."""

    def __init__(self, context: Any, b: Any, kind: types.Array, value: Any):
        self._b, self._value, self._model = b, value, context.data_model_manager[kind]

    @property
    def address(self) -> Any:
        return self._b.ptrtoint(self._model.get(self._b, self._value, "data"), I64)

    def shape(self, axis: int) -> Any:
        return self._b.extract_value(self._model.get(self._b, self._value, "shape"), axis)

    def stride(self, axis: int) -> Any:
        """In bytes."""
        return self._b.extract_value(self._model.get(self._b, self._value, "strides"), axis)


def make_array(context: Any, b: Any, kind: types.Array, address: Any, shape: list) -> Any:
    """A contiguous array at an address, which has no owner."""
    model, size = context.data_model_manager[kind], ir.Constant(I64, measure(context, kind.dtype))
    strides, count = [size], shape[0]
    for length in reversed(shape[1:]):
        strides.insert(0, b.mul(strides[0], length))
    for length in shape[1:]:
        count = b.mul(count, length)
    fields = {
        "nitems": count, "itemsize": size, "data": b.inttoptr(address, context.get_value_type(model.get_type("data"))),
        "shape": cgutils.pack_array(b, shape), "strides": cgutils.pack_array(b, strides),
    }  # fmt: skip
    value = ir.Constant(model.get_value_type(), None)
    for name, field in fields.items():
        value = model.set(b, value, field, name)
    return value


def measure(context: Any, kind: types.Type) -> int:
    """Bytes of a number in an array."""
    return context.get_abi_sizeof(context.get_data_type(kind))


# loops in generated code


def make_variable(b: Any, value: Any) -> Any:
    """The address of a variable with a first value, which LLVM keeps in a register where it can."""
    return cgutils.alloca_once_value(b, value)


@contextlib.contextmanager
def count_up(b: Any, start: Any, stop: Any) -> Iterator[Any]:
    """The body of a loop over 64-bit integers; gives the index."""
    with cgutils.for_range(b, stop, start=start) as loop:
        yield loop.index


# targets


def target_features(context: Any) -> list[str]:
    """What the target of the compilation can do, which need not be what this machine can."""
    return context.codegen()._tm_features.split(",")


def find_host() -> tuple[str, list[str]]:
    """This machine's processor as LLVM names it, and its features."""
    codegen: Any = cpu_target.target_context.codegen()
    return codegen._get_host_cpu_name(), codegen._tm_features.split(",")


# compilation


def take_instructions(functions: dict[Callable, tuple]) -> Iterator[tuple[str, str]]:
    """For functions and the types of their arguments: names and LLVM instructions that fit any target.

    From then on this process leaves all code as it is first made, since optimised code is made for one processor.
    Numba must have been started for a processor without a name (NUMBA_CPU_NAME and NUMBA_CPU_FEATURES).
    """
    CPUCodeLibrary._optimize_functions = lambda self, module: None
    for function, signature in functions.items():
        options: dict[str, Any] = PART | UNCOUNTED | {"error_model": "numpy"}
        dispatcher: Any = njit(function, **options)
        dispatcher.compile(signature)
        compiled = dispatcher.overloads[signature]
        compiled.library._ensure_finalized()
        yield compiled.fndesc.llvm_func_name, str(compiled.library._final_module)


@contextlib.contextmanager
def watch_compilation(begin: Callable, end: Callable = lambda function: None) -> Iterator[None]:
    """Call back with each Python function that is compiled within; loading one from the cache does not count."""

    class Compilations(Listener):
        def on_start(self, event: Event) -> None:
            begin(event.data["dispatcher"].py_func)

        def on_end(self, event: Event) -> None:
            end(event.data["dispatcher"].py_func)

    with install_listener("numba:compile", Compilations()):
        yield


class PartCompiler(Compiler):
    """Numba's compiler, for functions that are only compiled into the kernels that call them.

    Numba optimises every function with all that it calls, and makes machine code of it, before a kernel that calls it
    does the same again. The code of a part is never called by itself; leaving it out halves the time of compilation.
    """

    called = False  # rather than inlined

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any):
        super().__init__(typing, target, library, *rest)
        if library is None:
            self.state.library = _PartLibrary(target.codegen(), "part")
            self.state.library.called = self.called
            self.state.library.enable_object_caching()  # as for any function; kernels keep what they are linked with


class RoutineCompiler(PartCompiler):
    """The same for functions that are called rather than inlined. Both have the same options, so that functions which
    both call are compiled once."""

    called = True


PART: dict[str, Any] = {
    "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartCompiler,
}  # fmt: skip
UNCOUNTED = {"_nrt": False}  # references to arrays are not counted


class _PartLibrary(JITCodeLibrary):
    """The instructions of a part and of the parts that it calls."""

    called: bool

    @property
    def codegen(self) -> Any:
        return _NoEnvironment(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if self.called:
                function.attributes.discard("alwaysinline")
            elif "alwaysinline" in function.attributes:
                # a call looks cheap: loops would be written twice to save a branch, and all that it calls with them
                function.attributes.add("convergent")
        super().add_ir_module(ir_module)

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class _NoEnvironment:
    """A code generator for functions that have no place in memory, where numba would note their environment."""

    def __init__(self, own: Any):
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


def pack_code(types_given: tuple, compiled: Any) -> bytes | None:
    """Compiled code as bytes; None if it holds addresses of this process."""
    if compiled.library.has_dynamic_globals or not all(one.can_cache for one in compiled.lifted):
        return None
    return dumps((types_given, compiled._reduce()))


def unpack_code(types_given: tuple, target_context: Any, content: bytes) -> Any:
    """What `pack_code` packed, ready to run; None if it is for other types, or libraries are not as they were."""
    target_context.refresh()
    try:
        kept, parts = pickle.loads(content)
        return CompileResult._rebuild(target_context, *parts) if kept == types_given else None
    except Exception:  # whatever unpickling may raise
        return None


def describe_target(context: Any) -> tuple[str, str, str]:
    """The system, processor and features that code is compiled for."""
    return context.codegen().magic_tuple()
