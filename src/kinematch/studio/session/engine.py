"""Engine: the thread that steps the stage at a steady rate and runs the jobs of pages between steps."""

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

from kinematch.errors import KinematchError, failure
from kinematch.stream.layout import DT
from kinematch.studio.session.stage import Stage

Job = Callable[[Stage], None]
MOST_JOBS = 1000  # in the queue; more are refused
MAX_LAG_SECONDS = 0.25  # s behind schedule from which missed steps are dropped, not caught up


class Engine:
    """Calls `show` with each new frame and `fail` with each failure, on its own thread."""

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
        """Queue a job to run between two steps; false when the queue is full."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            return False
        return True

    async def perform(self, job: Job) -> None:
        """Run a job between two steps and wait for it; its error is raised here."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def finish(error: Exception | None) -> None:
            if done.done():  # the caller has gone
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
                with suppress(RuntimeError):  # the server has stopped
                    loop.call_soon_threadsafe(finish, problem)

        if not self.post(attempt):
            raise KinematchError("too many requests are waiting; try again")
        await done

    def watch(self, watched: bool) -> None:
        """Say whether anybody watches; without viewers the simulation pauses and uses no CPU."""
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
            if not busy or now - due > MAX_LAG_SECONDS:
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
        if stage.robots is not None:
            self._show(stage.robots.pack(stage.step, DT, list(stage.crowds)))
        if stage.lineup.frame:
            self._show(stage.lineup.frame)

    def _do(self, job: Job) -> None:
        try:
            job(self.stage)
        except Exception as error:  # a bug must not end the thread: report it and pause
            logging.getLogger(__name__).exception("the simulation failed")
            self.stage.playing = False
            self._fail(f"the simulation failed and was paused: {failure(error)}")


def _nothing(stage: Stage) -> None:
    """The empty job: a step is due."""
