"""Builds: one at a time in a separate process, so that the simulation keeps its rate and a cancel is immediate."""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import msgspec

from kinematch.database.build import build
from kinematch.errors import FileError, KinematchError
from kinematch.studio.workshop.messages import JobInfo

IN_USE = ". Windows replaces no file that is in use: name another `output` in the recipe, or play something else first"
NICENESS = 5  # of the build's process: the simulation comes first


class Jobs:
    """The build that is running, or the last one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._info = JobInfo(number=0, state="none")
        self._process: Any = None
        self._began = 0.0

    def info(self) -> JobInfo:
        with self._lock:
            if self._info.state != "running":
                return self._info
            return msgspec.structs.replace(self._info, seconds=time.monotonic() - self._began)

    def start(self, recipe_path: Path, finished: Callable[[Path], None]) -> JobInfo:
        """Start a build; `finished` is called with the database once it is written."""
        with self._lock:
            if self._info.state == "running":
                raise KinematchError("a build is running already; cancel it or wait for it")
            spawn = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
            ours, theirs = spawn.Pipe(duplex=False)
            self._process = spawn.Process(target=work, args=(str(recipe_path), theirs), daemon=True)
            self._began = time.monotonic()
            self._info = JobInfo(number=self._info.number + 1, state="running")
            self._process.start()
            theirs.close()
            number = self._info.number
        Thread(target=self._watch, args=(number, self._process, ours, finished), daemon=True).start()
        return self.info()

    def cancel(self) -> JobInfo:
        """Stop the build; the database of an earlier one stays, since it is replaced only by a complete one."""
        with self._lock:
            if self._info.state == "running":
                self._set(state="cancelled", seconds=time.monotonic() - self._began)
                self._process.kill()
            return self._info

    def _set(self, **changes: Any) -> None:
        self._info = msgspec.structs.replace(self._info, **changes)

    def _watch(self, number: int, process: Any, pipe: Connection, finished: Callable[[Path], None]) -> None:
        last: dict[str, Any] = {}
        try:
            while last.get("state", "running") == "running":
                last = pipe.recv()
                if last["state"] == "done":
                    self._tell(number, {"stage": "open", "done": 0, "total": 0})
                    try:
                        finished(Path(last["database"]))
                    except KinematchError as error:
                        last = {"state": "failed", "message": str(error)}
                self._tell(number, last)
        except (EOFError, OSError):
            process.join()
            message = f"the build ended by itself (exit status {process.exitcode}); was there enough memory?"
            self._tell(number, {"state": "failed", "message": message})
        process.join()

    def _tell(self, number: int, changes: dict[str, Any]) -> None:
        with self._lock:
            if self._info.number == number and self._info.state == "running":
                self._set(**changes, seconds=time.monotonic() - self._began)


def work(recipe_path: str, pipe: Connection) -> None:
    """Runs in the build's process; reports progress and result through a pipe."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)

    def progress(stage: str, done: int, total: int) -> None:
        pipe.send({"state": "running", "stage": stage, "done": done, "total": total})

    try:
        began = time.monotonic()
        result = build(recipe_path, progress=progress)
        poses, features = result.on_disk.poses, result.on_disk.features
        did = {"nothing": "built", "clips": "cleaned clips reused", "everything": "nothing had changed"}
        summary = (
            f"{poses.clip_count} clips, {poses.frame_count} frames, {poses.minutes:.1f} minutes at"
            f" {poses.frame_rate:g} fps, {features.width} feature columns; {did[result.reused]}"
            f" in {time.monotonic() - began:.1f} s"
        )
        pipe.send(
            {"state": "done", "database": str(result.path), "summary": summary, "warnings": list(result.warnings)}
        )
    except FileError as error:
        message = error.message + (IN_USE if sys.platform == "win32" and _refused(error) else "")
        pipe.send({"state": "failed", "message": message, "line": error.line, "file": str(error.path)})
    except KinematchError as error:
        pipe.send({"state": "failed", "message": str(error)})
    except MemoryError:
        pipe.send({"state": "failed", "message": "not enough memory"})
    except Exception as error:  # whatever it is, the page must show it
        pipe.send({"state": "failed", "message": f"{type(error).__name__}: {error}"})


def _refused(error: FileError) -> bool:
    """Whether the system refused to write the file."""
    return isinstance(error.__cause__, PermissionError)
