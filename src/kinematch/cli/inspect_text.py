"""The output of `kinematch inspect` on a database: tables on the screen, or everything in plain JSON values."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from kinematch.cli.screen import Screen
from kinematch.database.alike import Lookalike
from kinematch.database.coverage import Gap, measure_contact_shares, measure_coverage
from kinematch.database.storage import Database

MAX_ROWS = 15  # rows of a list on the screen; --json has all


def report(opened: Database, missing: list[Gap], pairs: list[Lookalike]) -> dict[str, Any]:
    """Everything that inspect knows, in plain JSON values."""
    poses, features = opened.poses, opened.features
    covered = measure_coverage(poses)
    return {
        "frames": poses.frame_count,
        "minutes": poses.minutes,
        "frame_rate": poses.frame_rate,
        "joints": list(poses.skeleton.names),
        "roles": dict(poses.skeleton.roles),
        "clips": [
            {"name": name, "start": int(start), "stop": int(stop), "loop": bool(loop)}
            for name, start, stop, loop in zip(poses.clip_names, poses.clip_starts, poses.clip_stops, poses.clip_loops)
        ],
        "tags": {name: int(poses.tags.of(name).sum()) for name in poses.tags.names},
        "contacts": measure_contact_shares(poses),
        "filter": opened.filter,
        "matchable": float(features.targets.mean()),
        "normalisation": features.normalisation,
        "responsiveness": features.weights.responsiveness,
        "quality": features.weights.quality,
        "features": _features(opened),
        "coverage": {
            "fastest": covered.fastest,
            "standing": covered.standing,
            "starts": covered.starts,
            "stops": covered.stops,
            "speed_turn": covered.speed_turn.round(3).tolist(),
            "speed_direction": covered.speed_direction.round(3).tolist(),
        },
        "gaps": [asdict(gap) for gap in missing],
        "alike_but_unlike": [asdict(pair) for pair in pairs],
        "warnings": opened.about.get("warnings", []),
    }


def _features(opened: Database) -> list[dict[str, Any]]:
    features = opened.features
    weights = features.column_weights()
    return [
        {
            "name": feature.name,
            "kind": feature.kind,
            "columns": [columns.start, columns.stop],
            "weight": float(weights[columns.start]),
            "offset": features.offset[columns].tolist(),
            "scale": features.scale[columns].tolist(),
        }
        for feature, columns in zip(features.schema.features, features.schema.columns.values())
    ]


def print_database(screen: Screen, path: Path, opened: Database) -> None:
    poses, features = opened.poses, opened.features
    covered = measure_coverage(poses)
    lines = [
        f"{path}: {poses.frame_count} frames, {poses.minutes:.1f} minutes at {poses.frame_rate:g} fps,"
        f" {poses.clip_count} clips, {poses.skeleton.joint_count} joints",
        f"speeds up to {covered.fastest:.1f} m/s; standing {covered.standing:.0f} s; {covered.starts} starts,"
        f" {covered.stops} stops",
        "contacts: " + ", ".join(f"{joint} {share:.0%}" for joint, share in measure_contact_shares(poses).items()),
        f"{features.targets.mean():.1%} of the frames can be matched; normalisation per {features.normalisation};"
        f" responsiveness {features.weights.responsiveness:g}, quality {features.weights.quality:g}",
    ]
    for line in lines:
        screen.print(line)
    for warning in opened.about.get("warnings", []):
        screen.say(("warning: ", "yellow"), warning)
    screen.say(("features", "italic"))  # a title of the table would be broken at its width
    table = Table("feature", "columns", "weight", "scale", box=None)
    for row in _features(opened):
        scale = np.array(row["scale"])
        shown = f"{scale[0]:.3g}" if np.ptp(scale) == 0 else f"{scale.min():.3g} to {scale.max():.3g}"
        table.add_row(row["name"], _columns(*row["columns"]), f"{row['weight']:g}", shown)
    screen.print(table)
    lengths = (poses.clip_stops - poses.clip_starts) / poses.frame_rate
    screen.say(("clips, longest first", "italic"))
    table = Table("clip", "seconds", "", box=None)
    for k in np.argsort(-lengths, kind="stable")[:MAX_ROWS]:
        table.add_row(poses.clip_names[k], f"{lengths[k]:.1f}", "loop" if poses.clip_loops[k] else "")
    screen.print(table)
    if poses.clip_count > MAX_ROWS:
        screen.print(f"... and {poses.clip_count - MAX_ROWS} more")
    if poses.tags.names:
        seconds = {name: poses.tags.of(name).sum() / poses.frame_rate for name in poses.tags.names}
        screen.print("tags: " + ", ".join(f"{name} {time:.0f} s" for name, time in seconds.items()))
    if opened.filter:
        screen.print(f"default filter: {opened.filter}")


def _columns(start: int, stop: int) -> str:
    return f"{start}-{stop - 1}" if stop > start + 1 else f"{start}"


def print_gaps(screen: Screen, missing: list[Gap]) -> None:
    if not missing:
        screen.print("\nno gaps: all motions of a locomotion set are there")
        return
    screen.say(("\nworth recording next", "italic"))
    table = Table("motion", "there", "worth having", box=None)
    for gap in missing[:MAX_ROWS]:
        table.add_row(gap.motion, f"{gap.seconds:.1f} s", f"{gap.wanted:.0f} s")
    screen.print(table)
    if len(missing) > MAX_ROWS:
        screen.print(f"... and {len(missing) - MAX_ROWS} more")


def print_pairs(screen: Screen, pairs: list[Lookalike]) -> None:
    if not pairs:
        return
    title = "\nalike in features, unlike in the upper body: arms flap when a search takes one for the other"
    screen.say((title, "italic"))
    table = Table("one", "other", "mean apart", "most apart", box=None)
    for pair in pairs:
        places = [f"{name} at {time:.1f} s" for name, time in zip(pair.clips, pair.times)]
        table.add_row(*places, f"{100 * pair.apart:.0f} cm", f"{pair.joint} {100 * pair.joint_apart:.0f} cm")
    screen.print(table)
