"""The avatar benchmark: what a body of the room costs per frame and user, and how long a page waits for it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter, sleep, thread_time
from typing import Any

import numpy as np
from rich.table import Table

from kinematch.avatar.calibrator import Calibrator
from kinematch.bench.machine import machine
from kinematch.bench.visitors import RATE, make_samples, time_answers
from kinematch.database.storage import Database
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.samples import read_sample
from kinematch.studio.vr.user import VrUser

Progress = Callable[[str, int, int], None]  # what, how many done, of how many
USER_COUNTS = (1, 2, 4, 8)
OBSERVER_INTERVAL = 3  # frames of the own body for one as others see it: 90 and 30 a second
WARM_UP_FRAMES = RATE // 2  # frames that are not counted
STAGES = ("sample", "calibrate", "direction, trajectory", "motion matching, feet", "upper body", "velocities, frame")
NOTICEABLE_MS = 16.0  # ms, beyond which people notice (thesis 2.1.3)


@dataclass(frozen=True)
class UserCountTimes:
    """A number of users at 90 Hz on one database."""

    database: str
    users: int
    median: float  # ms per frame and user, from the bytes of a sample to those of the body
    p99: float  # ms
    mean: float  # ms
    seen: float  # ms, median of a body as others see it, of which there is one for three frames
    busy: float  # share of one core that all users' bodies take
    stages: dict[str, float]  # us per frame and user, medians


@dataclass(frozen=True)
class Answers:
    """A number of pages at 90 Hz, over connections of this machine: from a sample sent to its body received."""

    database: str
    users: int
    median: float  # ms
    p99: float  # ms
    late: float  # share of answers after 16 ms
    left_out: float  # share of samples that a newer one replaced before they were answered


@dataclass(frozen=True)
class AvatarReport:
    machine: dict[str, Any]
    rate: int
    rows: tuple[UserCountTimes, ...]
    answers: tuple[Answers, ...]


def bench_avatar(
    databases: dict[str, Database], *, counts: tuple[int, ...] = USER_COUNTS, seconds: float = 5.0, progress: Progress
) -> AvatarReport:
    """Simulated users who stroll, sidestep and gesture, through the code that samples of pages go through."""
    rows: list[UserCountTimes] = []
    answers: list[Answers] = []
    total = 2 * len(databases) * len(counts)
    for name, database in databases.items():
        for count in counts:
            progress(f"{name}: bodies of {count}", len(rows) + len(answers), total)
            rows.append(_measure_bodies(name, database, count, seconds))
        for count in counts:
            progress(f"{name}: answers to {count} pages", len(rows) + len(answers), total)
            answers.append(_measure_answers(name, database, count, seconds))
    return AvatarReport(machine(), RATE, tuple(rows), tuple(answers))


def plain(report: AvatarReport) -> dict[str, Any]:
    """As JSON has it."""
    return asdict(report)


def tables(report: AvatarReport) -> list[Table]:
    bodies = _make_table(
        f"own time per frame and user at {report.rate} Hz, ms",
        ("database", "users", "median", "p99", "mean", "as others see it", "of one core"),
    )
    stages = _make_table("stage by stage, median us per frame and user", ("database", "users", *STAGES))
    for row in report.rows:
        times = (row.median, row.p99, row.mean, row.seen)
        bodies.add_row(row.database, str(row.users), *(f"{one:.2f}" for one in times), f"{row.busy:.0%}")
        stages.add_row(row.database, str(row.users), *(f"{row.stages[stage]:.0f}" for stage in STAGES))
    answers = _make_table(
        "from a sample sent by a page to its body received, ms",
        ("database", "users", "median", "p99", f"after {NOTICEABLE_MS:g} ms", "left out"),
    )
    for one in report.answers:
        shares = f"{one.late:.1%}", f"{one.left_out:.1%}"
        answers.add_row(one.database, str(one.users), f"{one.median:.1f}", f"{one.p99:.1f}", *shares)
    return [bodies, stages, answers]


def _make_table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column == "database" else "right")
    return table


def _measure_bodies(name: str, database: Database, count: int, seconds: float) -> UserCountTimes:
    own, seen, spent = _run_users(_make_users(database, count), seconds)
    watched = _make_users(database, count)
    clock = _Clock(watched)
    _run_users(watched, seconds / 2, clock)
    return UserCountTimes(
        database=name, users=count, median=float(np.median(own)) * 1e3, p99=float(np.percentile(own, 99)) * 1e3,
        mean=float(np.mean(own)) * 1e3, seen=float(np.median(seen)) * 1e3, busy=spent, stages=clock.find_medians(),
    )  # fmt: skip


def _make_users(database: Database, count: int) -> list[VrUser]:
    users = []
    for number in range(count):
        calibrator = Calibrator("generic")
        outfit = make_outfit(database, "bench", calibration=calibrator.calibration)
        users.append(VrUser(number, str(number), "", number, outfit, calibrator))
    return users


def _run_users(
    users: list[VrUser], seconds: float, clock: "_Clock | None" = None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Seconds of each frame (F,), of each as others see it (S,), and the share of time that all of them take.

    Paced as live: between two frames the core does something else. Time of this thread alone counts, so that other
    programs on a busy machine do not.
    """
    samples = [make_samples(user.number, WARM_UP_FRAMES + round(seconds * RATE)) for user in users]
    own, seen, began, spent = [], [], 0.0, 0.0
    due = perf_counter()
    for frame, messages in enumerate(zip(*samples)):
        sleep(max(due - perf_counter(), 0.0))
        due = max(due, perf_counter() - 1 / RATE) + 1 / RATE
        if frame == WARM_UP_FRAMES:
            began = perf_counter()
        for user, message in zip(users, messages):
            start = thread_time()
            user.hear(read_sample(message))
            heard = thread_time()
            user.step_own()
            stepped = thread_time()
            if frame % OBSERVER_INTERVAL == user.number % OBSERVER_INTERVAL:
                user.step_seen()
                if frame >= WARM_UP_FRAMES:
                    seen.append(thread_time() - stepped)
            if frame >= WARM_UP_FRAMES:
                own.append(stepped - start)
                spent += thread_time() - start
                if clock is not None:
                    clock.note(heard - start, stepped - start)
            elif clock is not None:
                clock.forget()
    return np.array(own), np.array(seen), spent / (perf_counter() - began)


class _Clock:
    """Times the parts of users' own bodies; in a run of its own, since looking costs time too."""

    def __init__(self, users: list[VrUser]):
        self._now = dict.fromkeys(STAGES, 0.0)
        self._frames: list[list[float]] = []
        for user in users:
            body = user.outfit.own
            self._watch(user.calibrator, "watch", "calibrate")
            self._watch(body, "read_trackers", "direction, trajectory")
            self._watch(body.crowd, "step", "motion matching, feet")
            self._watch(body.upper_body, "apply", "upper body")
            self._watch(body.upper_body, "finish", "upper body")

    def _watch(self, owner: Any, method: str, stage: str) -> None:
        work = getattr(owner, method)

        def timed(*given: Any) -> Any:
            before = thread_time()
            result = work(*given)
            self._now[stage] += thread_time() - before
            return result

        setattr(owner, method, timed)

    def note(self, heard: float, whole: float) -> None:
        """A frame is done."""
        now = self._now
        now["sample"] = heard
        now["motion matching, feet"] -= now["upper body"]  # which is within it
        now["velocities, frame"] = whole - sum(now.values())
        self._frames.append(list(now.values()))
        self.forget()

    def forget(self) -> None:
        self._now.update(dict.fromkeys(STAGES, 0.0))

    def find_medians(self) -> dict[str, float]:
        """us of each stage."""
        return dict(zip(STAGES, (np.median(self._frames, axis=0) * 1e6).tolist()))


def _measure_answers(name: str, database: Database, count: int, seconds: float) -> Answers:
    times, left_out = time_answers(database, count, seconds)
    milliseconds = np.array(times) * 1e3
    return Answers(
        name, count, float(np.median(milliseconds)), float(np.percentile(milliseconds, 99)),
        float((milliseconds > NOTICEABLE_MS).mean()), left_out,
    )  # fmt: skip
