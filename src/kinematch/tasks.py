"""Work in parts whose results are kept: each part is a file under its key, made once, on all cores or on a cluster.

`python -m kinematch.tasks` is a process that does such tasks, a line of JSON each. A pool of multiprocessing would run
the user's own script again in each process.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from time import time
from typing import Any, TextIO

import kinematch
from kinematch.errors import KinematchError
from kinematch.folders import find_cache_folder
from kinematch.writing import write_beside

KEPT_ANSWER, FAILED_ANSWER = "kept", "failed"
MAX_PROCESSES = 63  # beside this one
PROCESS_BYTES = 400_000_000  # of memory that one takes
MAX_FOLDER_BYTES = 10_000_000_000
MIN_KEPT_SECONDS = 3600.0  # after its last use: others may be reading it
MAX_RETRIES = 3  # of a task whose worker in a cluster died
Done = Callable[[int, KinematchError | None], None]  # number of a task, and what was wrong with it


@dataclass(frozen=True)
class KeptTask:
    """A call of `function(given, place)`, which writes a file at the place; `given` is plain JSON."""

    key: str
    function: str  # module:name, within this package
    given: dict[str, Any]


@dataclass(frozen=True)
class Store:
    """A folder of the cache that keeps results of one kind."""

    folder: Path
    suffix: str

    def place(self, key: str) -> Path:
        return self.folder / f"{key}{self.suffix}"

    def remove_oldest(self) -> None:
        """Keep the folder below MAX_FOLDER_BYTES; files used in the last hour stay."""
        entries = []
        for path in self.folder.glob(f"*{self.suffix}"):
            with suppress(OSError):  # another process has just removed it
                about = path.stat()
                entries.append((about.st_mtime, about.st_size, path))
        total = sum(size for _, size, _ in entries)
        for used, size, path in sorted(entries):
            if total <= MAX_FOLDER_BYTES or time() - used < MIN_KEPT_SECONDS:
                return
            with suppress(OSError):
                path.unlink()
            total -= size


def open_store(name: str, suffix: str, cache: Path | None = None) -> Store:
    """A store in the user's cache, or in another folder."""
    folder = (cache or find_cache_folder()) / name
    folder.mkdir(parents=True, exist_ok=True)
    return Store(folder, suffix)


def run_tasks(
    tasks: Sequence[KeptTask], store: Store, done: Done, *, processes: int = 0, cluster: str | None = None
) -> None:
    """Do each task once and keep its result; `done` hears of each in this thread.

    `processes` work beside this one, which also does what they could not. `cluster` is the address of a Ray cluster
    that does all of it; `auto` finds one.
    """
    if cluster is not None:
        _run_on_cluster(tasks, store, done, cluster)
        return
    with _open_processes(min(processes, len(tasks) - 1), store) as others:
        free: SimpleQueue[_Process | None] = SimpleQueue()  # None is this process
        for one in (None, *others):
            free.put(one)

        def run(task: KeptTask) -> None:
            other = free.get()
            try:
                if other is None or not other.run(task):
                    call(task.function, task.given, store.place(task.key))
            finally:
                free.put(other)

        with ThreadPoolExecutor(1 + len(others)) as executor:
            try:
                running = {executor.submit(run, task): number for number, task in enumerate(tasks)}
                for finished in as_completed(running):
                    error = finished.exception()
                    if error is not None and not isinstance(error, KinematchError):
                        raise error
                    done(running[finished], error)
            except BaseException:
                executor.shutdown(wait=True, cancel_futures=True)
                raise


def call(function: str, given: dict[str, Any], place: Path) -> None:
    module, name = function.split(":")
    if module.split(".")[0] != "kinematch":
        raise KinematchError(f"{function!r} is no task of this package")
    getattr(import_module(module), name)(given, place)


def count_processes(memory: int) -> int:
    """How many processes may work beside this one in so many bytes of memory: one on each other core at most."""
    return max(0, min((os.cpu_count() or 1) - 1, MAX_PROCESSES, memory // PROCESS_BYTES - 1))


def count_memory() -> int:
    """Bytes of the machine; 8 GB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8_000_000_000


@cache
def hash_package() -> str:
    """A digest of all Python code of this package: processes and workers of another version are not asked."""
    root = Path(kinematch.__file__).parent
    digest = sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Process:
    def __init__(self, store: Store):
        command = [sys.executable, "-m", "kinematch.tasks"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._ask({"folder": str(store.folder.absolute()), "suffix": store.suffix, "code": hash_package()})

    def run(self, task: KeptTask) -> bool:
        """Whether the result is now kept; False where it could not be made, for whatever reason."""
        try:
            self._ask({"key": task.key, "function": task.function, "given": task.given})
            assert self._process.stdout is not None
            answer = self._process.stdout.readline().strip()
        except (OSError, ValueError):
            answer = ""
        if answer not in (
            KEPT_ANSWER,
            FAILED_ANSWER,
        ):  # it has ended, or said something else: no answer of it can be trusted
            self._process.kill()
        return answer == KEPT_ANSWER

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, value: dict[str, Any]) -> None:
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(value) + "\n")
            self._process.stdin.flush()


@contextmanager
def _open_processes(count: int, store: Store) -> Iterator[list[_Process]]:
    """Start so many processes, or fewer where none can be started."""
    processes: list[_Process] = []
    try:
        with suppress(OSError):
            for _ in range(count):
                processes.append(_Process(store))
        yield processes
    finally:
        for one in processes:
            one.close()


def work_for_another(asked: TextIO, answers: TextIO) -> None:
    """Be the other process until nothing more is asked."""
    given = json.loads(asked.readline())
    if given["code"] != hash_package():
        return
    store = Store(Path(given["folder"]), given["suffix"])
    for line in asked:
        task = KeptTask(**json.loads(line))
        try:
            call(task.function, task.given, store.place(task.key))
            answer = KEPT_ANSWER
        except Exception:  # the process that asked does it itself, and says what is wrong
            answer = FAILED_ANSWER
        answers.write(answer + "\n")
        answers.flush()


def _run_on_cluster(tasks: Sequence[KeptTask], store: Store, done: Done, address: str) -> None:
    """Each result comes back as bytes; a task whose worker dies is done again by another."""
    ray = _connect(address)
    remote = ray.remote(max_retries=MAX_RETRIES)(_call_for_bytes)
    running = {remote.remote(task.function, task.given, hash_package()): number for number, task in enumerate(tasks)}
    waiting = list(running)
    try:
        while waiting:
            ready, waiting = ray.wait(waiting)
            for one in ready:
                number = running[one]
                try:
                    content, error = ray.get(one)
                except ray.exceptions.RayError as failure:
                    content, error = b"", KinematchError(f"no worker of the cluster could do it: {failure}")
                if error is None:
                    write_beside(store.place(tasks[number].key), content)
                done(number, error)
    except BaseException:
        for one in waiting:
            ray.cancel(one, force=True)
        raise


def _connect(address: str) -> Any:
    try:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray
    except ImportError:
        raise KinematchError("a cluster needs Ray: pip install 'kinematch[scale]'") from None
    if not ray.is_initialized():
        try:
            ray.init(address=address, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise KinematchError(f"no Ray cluster at {address!r}: {error}") from None
    return ray


def _call_for_bytes(function: str, given: dict[str, Any], code: str) -> tuple[bytes, KinematchError | None]:
    """Runs on a worker."""
    if code != hash_package():
        return b"", KinematchError("a worker of the cluster has another version of kinematch; install the same on all")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "result"
        try:
            call(function, given, place)
        except KinematchError as error:
            return b"", error
        return place.read_bytes(), None


if __name__ == "__main__":
    work_for_another(sys.stdin, sys.stdout)
