"""What the playing database contains: clips, coverage and gaps, and the stretches in one cell of a coverage map."""

from typing import Literal

import numpy as np

from kinematch.database.coverage import (
    SPEEDS,
    TURNS,
    find_cells,
    find_gaps,
    measure_contact_shares,
    measure_coverage,
    measure_root_motion,
)
from kinematch.database.poses import PoseDatabase
from kinematch.database.storage import Database
from kinematch.doctor.labels import LABELS
from kinematch.errors import KinematchError
from kinematch.motion.clip import true_ranges
from kinematch.studio.workshop.messages import Cell, ClipRow, CoverageInfo, DatabaseInfo, GapRow, LabelRow, Stretch
from kinematch.studio.workshop.project import feature_rows
from kinematch.studio.workshop.reports import list_label_infos

MOST_STRETCHES = 60  # listed for a cell, the longest first
BRIEF = 0.6  # s; shorter gaps are bridged: within a footstep the speed may cross a cell's edge

Map = Literal["turn", "direction"]


def database_info(database: Database, name: str) -> DatabaseInfo:
    poses, features = database.poses, database.features
    speed, _, turn = measure_root_motion(poses)
    covered = measure_coverage(poses)
    clips = []
    for index, clip in enumerate(poses.clip_names):
        own = poses.clip_frames(index)
        tags = [tag for tag in poses.tags.names if poses.tags.of(tag)[own].any()]
        clips.append(
            ClipRow(
                index=index,
                name=clip,
                start=own.start,
                frames=own.stop - own.start,
                seconds=(own.stop - own.start) / poses.frame_rate,
                loop=bool(poses.clip_loops[index]),
                tags=tags,
                speed=float(speed[own].mean()),
                fastest=float(speed[own].max()),
                turn=float(np.degrees(turn[own].mean())),
                matchable=float(features.targets[own].mean()),
                contacts=poses.contacts[own].mean(axis=0).tolist(),
                labels=_list_labels(poses, own),
            )
        )
    return DatabaseInfo(
        name=name,
        frames=poses.frame_count,
        frame_rate=poses.frame_rate,
        minutes=poses.minutes,
        joints=poses.skeleton.joint_count,
        tags={tag: float(poses.tags.of(tag).sum() / poses.frame_rate) for tag in poses.tags.names},
        contact_names=list(measure_contact_shares(poses)),
        labels=list_label_infos(),
        clips=clips,
        features=feature_rows(features.schema),
        coverage=CoverageInfo(
            speeds=SPEEDS.tolist(),
            turns=np.degrees(TURNS).tolist(),
            directions=covered.speed_direction.shape[1],
            speed_turn=covered.speed_turn.round(3).tolist(),
            speed_direction=covered.speed_direction.round(3).tolist(),
            standing=covered.standing,
            fastest=covered.fastest,
            starts=covered.starts,
            stops=covered.stops,
            gaps=[GapRow(motion=gap.motion, seconds=gap.seconds, wanted=gap.wanted) for gap in find_gaps(poses)],
        ),
        warnings=list(database.about.get("warnings", [])),
    )


def _list_labels(poses: PoseDatabase, own: slice) -> list[LabelRow]:
    """The labels that a clip's frames have as tags, one at a time, the first in order."""
    rows, free = [], np.ones(own.stop - own.start, bool)
    for label in LABELS:
        if label.name not in poses.tags.names:
            continue
        tagged = poses.tags.of(label.name)[own] & free
        free &= ~tagged
        rows += [(a / poses.frame_rate, b / poses.frame_rate, label.name) for a, b in true_ranges(tagged)]
    return [LabelRow(name=name, start=start, stop=stop) for start, stop, name in sorted(rows)]


def cell(database: Database, which: Map, row: int, column: int) -> Cell:
    """The stretches of clips whose motion falls into one cell, the longest first."""
    poses = database.poses
    rows, turns, sectors, moving = find_cells(poses)
    if which == "turn":
        here = (rows == row) & (turns == column)
    elif which == "direction":
        here = moving & (rows == row) & (sectors == column)
    else:
        raise KinematchError(f"no map {which!r}; choose from: turn, direction")
    speed, _, _ = measure_root_motion(poses)
    bridge = round(BRIEF * poses.frame_rate)
    found = []
    for index in sorted({int(clip) for clip in poses.clip_of(np.flatnonzero(here))}):
        own = poses.clip_frames(index)
        for start, stop in _bridged(true_ranges(here[own]), bridge):
            found.append(
                Stretch(
                    clip=index,
                    name=poses.clip_names[index],
                    start=start,
                    stop=stop,
                    seconds=(stop - start) / poses.frame_rate,
                    speed=float(speed[own][start:stop].mean()),
                )
            )
    found.sort(key=lambda stretch: -stretch.seconds)
    return Cell(
        seconds=float(here.sum() / poses.frame_rate),
        stretches=found[:MOST_STRETCHES],
        more=max(0, len(found) - MOST_STRETCHES),
    )


def _bridged(ranges: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Merge ranges that are less than `most` frames apart."""
    out: list[tuple[int, int]] = []
    for start, stop in ranges:
        if out and start - out[-1][1] <= most:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((start, stop))
    return out
