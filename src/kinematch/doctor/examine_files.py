"""Examine many files on all cores, and keep the reports in the cache under what the files hold."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinematch.database.sources import hash_file, hash_value
from kinematch.doctor.examine import examine
from kinematch.doctor.report import Report
from kinematch.errors import KinematchError
from kinematch.tasks import KeptTask, count_memory, count_processes, hash_package, open_store, run_tasks
from kinematch.writing import write_beside

MIN_SHARED_BYTES = 20_000_000  # of files, from which other processes save more time than they take to start


def examine_files(
    paths: Sequence[Path], *, unit: float | str | None = None, up: str | None = None, memory: int | None = None,
    cluster: str | None = None, progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Report]:  # fmt: skip
    """The doctor's reports on files, in their order; those of files that did not change are taken from the cache."""
    store = open_store("examined", ".report")
    given = {"unit": unit, "up": up}
    keys = [_make_key(path, given) for path in paths]
    reports = [
        _read_report(store.place(key), path) if key else examine(path, **given) for key, path in zip(keys, paths)
    ]
    missing = [number for number, report in enumerate(reports) if report is None]
    done = len(paths) - len(missing)
    progress(done, len(paths))

    def keep(task: int, error: KinematchError | None) -> None:
        nonlocal done
        number = missing[task]
        report = None if error else _read_report(store.place(keys[number]), paths[number])
        reports[number] = report or examine(paths[number], **given)
        done += 1
        progress(done, len(paths))

    tasks = [KeptTask(keys[n], f"{__name__}:examine_one", {**given, "path": str(paths[n].absolute())}) for n in missing]
    shared = sum(paths[n].stat().st_size for n in missing) >= MIN_SHARED_BYTES
    processes = count_processes(memory or count_memory() // 4) if shared else 0
    run_tasks(tasks, store, keep, processes=processes, cluster=cluster)
    if missing:
        store.remove_oldest()
    return [report for report in reports if report is not None]


def examine_one(given: dict[str, Any], place: Path) -> None:
    """A task: examine one file."""
    report = examine(given["path"], unit=given["unit"], up=given["up"])
    write_beside(place, msgspec.msgpack.encode(report, enc_hook=_encode_array))


def _make_key(path: Path, given: dict[str, Any]) -> str:
    """Reports name their file, so that its name is part of the key.

    None for a file that cannot be read, nor for one whose name is not Unicode: its report cannot be kept.
    """
    with suppress(KinematchError, UnicodeEncodeError):
        str(path.absolute()).encode()
        return hash_value([hash_package(), path.name, hash_file(path), given])
    return ""


def _read_report(place: Path, path: Path) -> Report | None:
    try:
        return replace(msgspec.msgpack.decode(place.read_bytes(), type=Report, dec_hook=_decode_array), path=str(path))
    except (OSError, msgspec.MsgspecError, KinematchError, AssertionError):
        return None


def _encode_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "data": value.tobytes()}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a report holds {type(value).__name__}")


def _decode_array(kind: type, value: Any) -> Any:
    if kind is not np.ndarray:
        raise TypeError(f"a report holds {kind.__name__}")
    return np.frombuffer(value["data"], value["dtype"]).reshape(value["shape"])
