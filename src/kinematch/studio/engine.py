"""Engine: the thread that steps the stage at a steady rate, whatever pages do, and does what they ask in between."""

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

from kinematch.errors import KinematchError, failure
from kinematch.studio.stage import DT, Stage

Job = Callable[[Stage], None]
MOST_JOBS = 1000  # that wait; a flood beyond it is refused
LATE = 0.25  # s, behind which lost steps are given up rather than made good


class Engine:
    """`show` is given each new frame and `fail` each failure, on the engine's own thread."""

    def __init__(self, stage: Stage, *, show: Callable[[bytes], None], fail: Callable[[str], None]):
        self.stage = stage
        self._show, self._fail = show, fail
        self._jobs: queue.Queue[Job | None] = queue.Queue(MOST_JOBS)
        self._watched = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kinematch studio", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._jobs.put(None)
        self._thread.join(timeout=10)

    def post(self, job: Job) -> bool:
        """Have something done between two steps; false when too much waits already."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            return False
        return True

    async def perform(self, job: Job) -> None:
        """The same, and wait until it is done; what goes wrong is raised here."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def finish(error: Exception | None) -> None:
            if done.done():  # whoever asked has left
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        def attempt(stage: Stage) -> None:
            problem: Exception | None = None
            try:
                job(stage)
            except Exception as error:
                problem = error
                if not isinstance(error, KinematchError):
                    raise
            finally:
                with suppress(RuntimeError):  # the server has ended meanwhile
                    loop.call_soon_threadsafe(finish, problem)

        if not self.post(attempt):
            raise KinematchError("too many requests are waiting; try again")
        await done

    def watch(self, watched: bool) -> None:
        """With nobody watching, time stands still and the processor rests."""
        if watched:
            self._watched.set()
        else:
            self._watched.clear()

    def _run(self) -> None:
        due = perf_counter()
        while True:
            busy = self._watched.is_set() and self.stage.playing
            job = self._next_job(due - perf_counter() if busy else 0.1)
            if job is None:
                return
            if job is not _nothing:
                self._do(job)
                continue
            now = perf_counter()
            if not busy or now - due > LATE:
                due = now
            if busy and now >= due:
                due += DT
                self._do(self._step)

    def _next_job(self, wait: float) -> Job | None:
        try:
            return self._jobs.get(timeout=wait) if wait > 0 else self._jobs.get_nowait()
        except queue.Empty:
            return _nothing

    def _step(self, stage: Stage) -> None:
        self._show(stage.advance())

    def _do(self, job: Job) -> None:
        try:
            job(self.stage)
        except Exception as error:  # a fault of ours must not end the show; it is told, and time stops
            logging.getLogger(__name__).exception("the simulation failed")
            self.stage.playing = False
            self._fail(f"the simulation failed and was paused: {failure(error)}")


def _nothing(stage: Stage) -> None:
    """No job: it is time for a step."""
