"""A budget: of many clips those that cover the most motion in so many minutes."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.database.assemble import MarkedClip
from kinematch.database.coverage import SPEEDS, TURNS, find_cells
from kinematch.database.poses import build_poses
from kinematch.database.prepare import MIRRORED
from kinematch.errors import KinematchError
from kinematch.motion.skeleton import Skeleton

ENOUGH_SECONDS = 2.0  # of one kind of motion; from there on more of it is worth ever less


@dataclass(frozen=True, eq=False)
class CoverageChoice:
    clips: list[MarkedClip]  # in their order
    report: str


def choose_by_coverage(clips: Sequence[MarkedClip], skeleton: Skeleton, minutes: float) -> CoverageChoice:
    """Clips that cover most cells of speed, turn and direction, for each tag apart, in a number of minutes.

    A clip and its mirror image stay together. Each step takes what adds most for its length (greedy, which for a worth
    that grows ever slower is at most 37 % from the best).
    """
    groups: dict[str, list[int]] = {}
    for number, one in enumerate(clips):
        groups.setdefault(one.clip.name.removesuffix(MIRRORED), []).append(number)
    names = sorted({tag for one in clips for tag in one.tags})
    cells = [np.sum([_measure_cells(clips[n], skeleton, names) for n in group], axis=0) for group in groups.values()]
    lengths = [sum(clips[n].clip.frame_count / clips[n].clip.frame_rate for n in group) for group in groups.values()]
    left, covered = 60 * minutes, np.zeros_like(cells[0])
    taken: list[int] = []
    waiting = [(-_find_worth(covered, cells[g]) / lengths[g], g) for g in range(len(cells))]
    heapq.heapify(waiting)
    while waiting:  # what a group adds only falls, so that one still on top after it was measured again is the best
        _, g = heapq.heappop(waiting)
        if lengths[g] > left:
            continue
        worth = -_find_worth(covered, cells[g]) / lengths[g]
        if waiting and worth > waiting[0][0]:
            heapq.heappush(waiting, (worth, g))
            continue
        if worth < 0:
            taken.append(g)
            covered = covered + cells[g]
            left -= lengths[g]
    if not taken:
        shortest = min(lengths) / 60
        raise KinematchError(
            f"minutes = {minutes:g} holds no clip; the shortest has {shortest:.2f} with its mirror image"
        )
    chosen = {n for g in taken for n in list(groups.values())[g]}
    whole = np.sum(cells, axis=0)
    share = ((covered > 0) & (whole > 0)).sum() / max(1, (whole > 0).sum())
    report = (
        f"budget: {60 * minutes - left:.0f} of {sum(lengths):.0f} s, {len(taken)} of {len(groups)} clips, "
        f"cover {share:.0%} of the kinds of motion that all of them have"
    )
    return CoverageChoice([one for n, one in enumerate(clips) if n in chosen], report)


def _measure_cells(one: MarkedClip, skeleton: Skeleton, tags: Sequence[str]) -> np.ndarray:
    """Seconds in each cell of speed and turn, and of speed and direction; again for each tag."""
    entry = one.read(skeleton)
    row, column, sector, moving = find_cells(build_poses([entry], one.clip.contact_joints))
    counts = np.zeros((1 + len(tags), len(SPEEDS) - 1, len(TURNS) - 1 + 16))
    np.add.at(counts[0], (row, column), 1)
    np.add.at(counts[0], (row[moving], len(TURNS) - 1 + sector[moving]), 1)
    for number, tag in enumerate(tags, 1):
        if tag in one.tags:
            counts[number] = counts[0]
    for mark in one.marks:
        own = slice(mark.start, mark.stop)
        for tag in mark.tags:
            if tag in tags:
                np.add.at(counts[1 + tags.index(tag)], (row[own], column[own]), 1)
    return counts / entry.clip.frame_rate


def _find_worth(covered: np.ndarray, more: np.ndarray) -> float:
    return float((np.log1p((covered + more) / ENOUGH_SECONDS) - np.log1p(covered / ENOUGH_SECONDS)).sum())
