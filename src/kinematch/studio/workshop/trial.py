"""Trial: an upload is read by another process before the server meets it, within a deadline and a memory limit.

python -m kinematch.studio.workshop.trial FILE reads it once. A file that is merely wrong passes, since the doctor says
what is wrong with it; one that takes too long or too much is refused before it appears in the project. Where processes
can be forked, one that has imported the readers forks for each file: the imports take a second, most files a moment.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from kinematch.errors import KinematchError

SECONDS = 20.0  # of processor time to read a file; 500 MB of BVH take 8
WAIT = 6  # times as long by the clock, on a busy machine
MEMORY = 6_000_000_000  # bytes of addresses, most of which libraries reserve and never touch
NICENESS = 5
IDLE_SECONDS = 120.0  # after which the process that forks ends
FIRST_READ = (
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT Spine\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.01\n0 1 0 0 0 0 0 0 0\n0 1 0 0 0 0 0 0 0\n"
)
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


async def try_reading(path: Path, name: str) -> None:
    """Refuse a file that another process cannot read within the limits."""
    ask = _readers.ask if hasattr(os, "fork") else _read_alone
    status = await asyncio.to_thread(ask, path, WAIT * SECONDS)
    if status is None or status == -getattr(signal, "SIGXCPU", 0) != 0:
        raise KinematchError(f"{name} was refused: reading it takes more than {SECONDS:g} s")
    if status:
        raise KinematchError(f"{name} was refused: reading it takes more than {MEMORY / 1e9:g} GB of memory")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kinematch.studio.workshop.trial", *arguments]


def _read_alone(path: Path, seconds: float) -> int | None:
    """Exit status of a process that reads a file; None after a deadline."""
    try:
        done = subprocess.run(
            _command(str(path)), stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **ENVIRONMENT},
            timeout=seconds,
        )  # fmt: skip
        return done.returncode
    except subprocess.TimeoutExpired:
        return None


class _ForkingReader:
    """The server's end of the process that forks for each file; one file at a time."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, path: Path, seconds: float) -> int | None:
        """Exit status of reading a file; None after a deadline."""
        with self._lock:
            for _ in range(2):  # one that was idle may end while it is asked
                process = self._start()
                assert process.stdin is not None
                assert process.stdout is not None
                with suppress(BrokenPipeError):
                    process.stdin.write(json.dumps(str(path)).encode() + b"\n")
                    process.stdin.flush()
                    if not select.select([process.stdout], [], [], seconds)[0]:
                        self._end(process)
                        return None
                    if line := process.stdout.readline():
                        return int(line)
                self._end(process)
            return 1

    def _start(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                _command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, **ENVIRONMENT}, start_new_session=True,
            )  # fmt: skip
        return self.process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it forked
        process.communicate()
        self.process = None


_readers = _ForkingReader()


def serve() -> None:
    """Be the process that forks: for each path that comes in, print how reading it ended."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "first.bvh").write_text(FIRST_READ)
        read_once(f"{folder}/first.bvh")  # what is imported and loaded by the first read is there for each fork
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0] and (line := sys.stdin.readline()):
        if child := os.fork():
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            continue
        status = 1
        try:
            limit_resources()
            status = read_once(json.loads(line))
        finally:
            os._exit(status)


def limit_resources() -> None:
    with suppress(ImportError, ValueError, OSError):  # systems without limits of this kind
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 1))
        os.nice(NICENESS)


def read_once(path: str) -> int:
    """Exit status of reading a file."""
    from kinematch.files import read_clips

    try:
        read_clips(path)
    except KinematchError:
        return 0  # the doctor reports it
    except MemoryError:
        return 3
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        serve()
        sys.exit(0)
    limit_resources()
    sys.exit(read_once(sys.argv[1]))
