"""Parts: functions that are only compiled into the kernels that call them, with no machine code of their own.

Numba optimises every function with all that it calls, and makes machine code of it, before a kernel that calls it does
the same again. Nobody ever calls the code of a part by itself; leaving it out halves the time that kernels compile.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class PartCompiler(Compiler):
    """Numba's compiler, for functions that only kernels call."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any):
        super().__init__(typing, target, library, *rest)
        if library is None:
            self.state.library = _Part(target.codegen(), "part")
            self.state.library.enable_object_caching()  # as for any function; kernels keep what they are linked with


class _Part(JITCodeLibrary):
    """What is known of a part: its instructions and those of the parts that it calls."""

    @property
    def codegen(self) -> Any:
        return _WithoutCode(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class _WithoutCode:
    """A code generator for functions that have no place in memory, where numba would note their environment."""

    def __init__(self, own: Any):
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass
