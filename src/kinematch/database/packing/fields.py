"""UnpackedArray: an array of a packed database, unpacked for the frames that are asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from kinematch.copies import Unchanging

BATCH = 8192  # frames at a time


class UnpackedArray(Unchanging, NDArrayOperatorsMixin):
    """Indexes like an array whose first axis is frames; nothing is kept of what is unpacked.

    In arithmetic and as the argument of numpy functions it is the whole array.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, unpack: Callable[[np.ndarray], np.ndarray]):
        """`unpack` gives the rows of frames (N,) int64."""
        self.shape, self.dtype, self._unpack = shape, np.dtype(dtype), unpack

    def __reduce__(self) -> tuple[Any, ...]:
        return np.array, (np.asarray(self),)  # pickled as what it stands for

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        first, *rest = key if isinstance(key, tuple) else (key,)
        if first is Ellipsis or first is None:
            return np.asarray(self)[key]
        frames = np.arange(len(self))[first]  # numpy's own rules, whatever the index
        rows = self._read(frames.reshape(-1))
        if frames.ndim == 0:
            return rows[(0, *rest)]
        return rows[(slice(None) if isinstance(first, slice) else np.arange(frames.size).reshape(frames.shape), *rest)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        whole = self._read(np.arange(len(self)))
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        plain = (np.asarray(one) if isinstance(one, UnpackedArray) else one for one in inputs)
        return getattr(ufunc, method)(*plain, **given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)  # mean, any, astype and so on

    def _read(self, frames: np.ndarray) -> np.ndarray:
        out = np.empty((len(frames), *self.shape[1:]), self.dtype)
        for start in range(0, len(frames), BATCH):
            out[start : start + BATCH] = self._unpack(frames[start : start + BATCH].astype(np.int64))
        return out
