"""Fuzz: damaged files of every kind are read as users would; all must give a result or one clear error, soon.

A file is made from its number alone, so a run continues where it stopped, and a finding can be repeated.
"""

import contextlib
import hashlib
import json
import math
import multiprocessing
import os
import re
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from kinematch.bench.fuzz_readers import READERS, find_ending, read_like_a_user
from kinematch.bench.mutations import damage
from kinematch.errors import FileError, KinematchError
from kinematch.writing import write_beside

FILE_SECONDS = 5.0  # s of processor time for one file
PROCESS_SECONDS = 30  # s of processor time, after which the system ends a process, where it can
CLOCK_SECONDS = 1800.0  # s of the clock, after which it is ended as well: other programs may have taken that time
FILE_MEMORY_BYTES = 1 << 30  # bytes that one small file may take
MAX_SEED_BYTES = 300_000  # bytes; larger files are shortened where that is possible, and left out otherwise
BVH_FRAMES = 12  # of a BVH, so that damage often falls on the hierarchy and reading is quick
REPORT_FILES = 200  # files between two reports of a process
Progress = Callable[[int, int, str], None]


@dataclass
class FuzzReport:
    """What came of the files so far."""

    seed: int
    originals: str  # digest of the files that are damaged
    done: list[int] = field(default_factory=list)  # blocks
    files: int = 0
    read: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # by kind of file
    slowest: float = 0.0  # s of processor time
    memory: float = 0.0  # MB above the start, most
    findings: list[dict[str, Any]] = field(default_factory=list)  # number, kind, what happened, and the file kept


def find_originals(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Ending and content of files and of all files of folders that can be read, shortened."""
    found = []
    for path in paths:
        if not path.exists():
            raise FileError(path, "no such file or folder")
        inside = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for one in inside:
            ending = find_ending(one)
            if ending is None:
                continue
            with one.open("rb") as file:
                content = file.read(MAX_SEED_BYTES + 100)  # enough to see that it is too large
            content = shorten_bvh(content) if ending == ".bvh" else content
            if len(content) <= MAX_SEED_BYTES:
                found.append((ending, content))
    if not found:
        raise KinematchError(
            f"no file to damage, expected some of {', '.join(READERS)}, at most {MAX_SEED_BYTES} bytes"
        )
    return _limit_alike(found)


def _limit_alike(found: list[tuple[str, bytes]], most: int = 40) -> list[tuple[str, bytes]]:
    """At most `count` files of one suffix, evenly spread, so that a folder of BVH does not crowd out the rest."""
    kept = []
    for ending in READERS:
        own = [one for one in found if one[0] == ending]
        kept += [own[k] for k in np.linspace(0, len(own) - 1, min(len(own), most)).astype(int)]
    return kept


def shorten_bvh(content: bytes) -> bytes:
    """The first frames of a BVH."""
    head, word, tail = content.partition(b"Frame Time:")
    lines = tail.splitlines(keepends=True)
    frames = min(BVH_FRAMES, sum(bool(line.strip()) for line in lines[1:]))
    head = re.sub(rb"Frames:\s*\d+", b"Frames: %d" % frames, head)
    return head + word + b"".join(lines[: 1 + frames])


def make_file(originals: list[tuple[str, bytes]], seed: int, number: int) -> tuple[str, bytes]:
    """Ending and content of the n-th damaged file."""
    rng = np.random.default_rng([seed, number])
    by_ending = [ending for ending in READERS if any(e == ending for e, _ in originals)]
    ending = by_ending[number % len(by_ending)]
    own = [content for e, content in originals if e == ending]
    return ending, damage(own[rng.integers(len(own))], rng, own[rng.integers(len(own))])


def fuzz(
    originals: list[tuple[str, bytes]],
    count: int,
    *,
    state: Path,
    seed: int = 0,
    processes: int = 1,
    progress: Progress = lambda done, total, text: None,
) -> FuzzReport:
    """Read damaged files in processes that may crash; continues from `state` (JSON), with findings beside it."""
    report = open_report(state, originals, seed)
    blocks = [block for block in range(-(-count // REPORT_FILES)) if block not in set(report.done)]
    workers = [Worker(originals, seed) for _ in range(max(1, min(processes, len(blocks))))] if blocks else []
    try:
        while blocks or any(worker.block is not None for worker in workers):
            for worker in workers:
                if worker.block is None and blocks:
                    worker.start(blocks.pop(0))
                if worker.listen(report, state):
                    write_beside(state, json.dumps(asdict(report), indent=1).encode())
            progress(report.files, count, f"{len(report.findings)} findings")
    finally:
        for worker in workers:
            worker.end()
    return report


def open_report(state: Path, originals: list[tuple[str, bytes]], seed: int) -> FuzzReport:
    digest = hashlib.sha256(b"".join(ending.encode() + content for ending, content in originals)).hexdigest()[:16]
    if not state.exists():
        return FuzzReport(seed, digest)
    try:
        report = FuzzReport(**json.loads(state.read_text()))
    except (ValueError, TypeError) as error:
        raise FileError(state, f"no state of a fuzz run: {error}") from None
    if (report.seed, report.originals) != (seed, digest):
        raise FileError(state, "is of a run with another seed or other files; name another file, or delete it")
    return report


def table(report: FuzzReport) -> Table:
    shown = Table(title="damaged files", title_justify="left", box=None, pad_edge=False)
    for column in ("files", "still read", "refused with a message", "findings", "slowest, s", "most memory, MB"):
        shown.add_column(column, justify="right")
    counts = report.files, report.read, sum(report.refused.values()), len(report.findings)
    shown.add_row(*(f"{count:,}" for count in counts), f"{report.slowest:.2f}", f"{report.memory:.0f}")
    return shown


def describe_findings(report: FuzzReport, state: Path) -> list[str]:
    """A line for each of the first findings."""
    lines = [f"{state.with_name(one['file'])}: {one['kind']}: {one['what']}"[:300] for one in report.findings[:20]]
    return lines + ([f"and {len(report.findings) - 20} more in {state}"] if len(report.findings) > 20 else [])


class Worker:
    """A process that reads blocks of files; one that crashes or hangs is a finding, and is replaced."""

    def __init__(self, originals: list[tuple[str, bytes]], seed: int):
        self.originals, self.seed = originals, seed
        self.block: int | None = None  # that it reads
        self._begin()

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_read_blocks, args=(other, self.originals, self.seed), daemon=True)
        self._process.start()
        other.close()
        self._heard = time.monotonic()

    def start(self, block: int, first: int = 0) -> None:
        self.block, self._number = block, block * REPORT_FILES + first
        self._heard = time.monotonic()
        self._pipe.send((block * REPORT_FILES + first, (block + 1) * REPORT_FILES))

    def listen(self, report: FuzzReport, state: Path) -> bool:
        """Take in what the process says, for a moment; whether it finished a block."""
        if self.block is None:
            return False
        try:
            if not self._pipe.poll(0.05):
                if time.monotonic() - self._heard < CLOCK_SECONDS:
                    return False
                raise TimeoutError(f"no answer for {CLOCK_SECONDS:g} s")
            said = self._pipe.recv()
        except (EOFError, OSError) as error:  # it crashed, or hangs
            number, block = self._number, self.block
            self.end()
            what = str(error) if isinstance(error, TimeoutError) else f"the process ended: {self._process.exitcode}"
            _note_finding(report, state, self.originals, number, "crash", what)
            self._begin()
            report.files += 1
            self.start(block, number + 1 - block * REPORT_FILES)
            return False
        self._heard = time.monotonic()
        if said[0] == "done":
            report.done.append(self.block)
            self.block = None
            return True
        if said[0] == "reads":
            self._number = said[1]
            return False
        _, number, ending, outcome, seconds, megabytes = said
        report.files += 1
        report.slowest, report.memory = max(report.slowest, seconds), max(report.memory, megabytes)
        if outcome == "read":
            report.read += 1
        elif outcome == "refused":
            report.refused[ending] = report.refused.get(ending, 0) + 1
        else:
            _note_finding(report, state, self.originals, number, "error", outcome)
        if seconds > FILE_SECONDS:
            _note_finding(report, state, self.originals, number, "slow", f"{seconds:.1f} s")
        return False

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _note_finding(
    report: FuzzReport, state: Path, originals: list[tuple[str, bytes]], number: int, kind: str, what: str
) -> None:
    ending, content = make_file(originals, report.seed, number)
    kept = state.with_name(f"{state.stem}-{number}{ending}")
    write_beside(kept, content)
    report.findings.append({"number": number, "kind": kind, "what": what, "file": kept.name})


def _read_blocks(pipe: Any, originals: list[tuple[str, bytes]], seed: int) -> None:
    """What a process does: reads files from one number to another, says what came of each, and waits for more."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for ending, content in dict(originals).items():
            _try_file(Path(folder) / f"original{ending}", content)  # compiles everything, before memory is limited
        limited = _limit_memory()
        while True:
            try:
                first, stop = pipe.recv()
            except EOFError:
                return
            for number in range(first, stop):
                pipe.send(("reads", number))
                ending, content = make_file(originals, seed, number)
                _limit_time()
                before, started = limited(), time.process_time()
                outcome = _try_file(Path(folder) / f"fuzz{ending}", content)
                pipe.send(("file", number, ending, outcome, time.process_time() - started, limited() - before))
            pipe.send(("done",))


def _try_file(path: Path, content: bytes) -> str:
    """'read', 'refused', or what went wrong."""
    path.write_bytes(content)
    try:
        read_like_a_user(path)
    except KinematchError as error:
        lines, longest = str(error).splitlines(), 1500 + len(str(path))
        # a recipe's problems are a line each
        good = (len(lines) == 1 or path.suffix == ".toml") and all(len(line) < longest for line in lines)
        return "refused" if good else f"no clear message: {error}"[:500]
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"[:500]
    return "read"


def _limit_time() -> None:
    """Let this process work for PROCESS_SECONDS more seconds, where the system can limit it."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + PROCESS_SECONDS, most))


def _limit_memory() -> Callable[[], float]:
    """Limit this process to FILE_MEMORY_BYTES more than now, where the system can; returns what measures its MB."""
    try:
        import resource
    except ImportError:  # Windows
        return lambda: 0.0
    scale = 1e6 if os.uname().sysname == "Darwin" else 1e3
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + FILE_MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
