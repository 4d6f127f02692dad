"""Trial: an upload is read by another process before the server meets it, within a deadline and a memory limit.

python -m kinematch.studio.workshop.trial FILE reads it once. A file that is merely wrong passes, since the doctor says
what is wrong with it; one that takes too long or too much is refused before it appears in the project.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from kinematch.errors import KinematchError

SECONDS = 20.0  # of processor time to read a file; 500 MB of BVH take 8
WAIT = 6  # times as long by the clock, on a busy machine
MEMORY = 6_000_000_000  # bytes of addresses, most of which libraries reserve and never touch
NICENESS = 5


async def try_reading(path: Path, name: str) -> None:
    """Refuse a file that another process cannot read within the limits."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kinematch.studio.workshop.trial", str(path),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        status = await asyncio.wait_for(process.wait(), WAIT * SECONDS)
    except TimeoutError:
        raise KinematchError(f"{name} was refused: reading it takes more than {SECONDS:g} s") from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if status == -getattr(signal, "SIGXCPU", 0) != 0:
        raise KinematchError(f"{name} was refused: reading it takes more than {SECONDS:g} s")
    if status:
        raise KinematchError(f"{name} was refused: reading it takes more than {MEMORY / 1e9:g} GB of memory")


def read_once(path: str) -> int:
    """Be the other process."""
    from kinematch.files import read_clips

    try:
        read_clips(path)
    except KinematchError:
        return 0  # the doctor tells
    except MemoryError:
        return 3
    return 0


if __name__ == "__main__":
    with suppress(ImportError, ValueError, OSError):  # systems without limits of this kind
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 1))
        os.nice(NICENESS)
    sys.exit(read_once(sys.argv[1]))
