"""Effort: how much of each experiment is run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    quick_course: bool  # one of each scenario at the slowest and the fastest gait
    groups: tuple[str, ...]  # of scenarios; empty: all
    users: int  # who wear trackers, at most
    user_seconds: float  # of each, at most
    people: int  # recordings of directions, at most
    direction_steps: tuple[int, int]  # training iterations of MMVR's network with r = 1 and 50
    searches: int
    timed_seconds: float
    small_steps: tuple[int, int, int]  # training iterations of decompressor, stepper and projector
    big_steps: tuple[int, int, int]


FULL = Effort(
    False, (), 40, 30.0, 100, (8_000, 3_000), 100, 60.0,
    (10_000, 3_000, 4_000), (15_000, 30_000, 1_000),  # learned MM, tables 5.3 and 5.4
)  # fmt: skip
QUICK = Effort(True, (), 4, 15.0, 4, (800, 300), 100, 60.0, (400, 300, 200), (400, 300, 200))
