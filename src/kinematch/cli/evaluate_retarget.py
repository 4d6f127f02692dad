"""`kinematch evaluate retarget A B`: scores motion A on the body of B, source beside target."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.evaluate_options import Figures
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.evaluate.retargeting import RetargetScore


def retarget(
    motion: Annotated[tyro.conf.Positional[Path], option("a motion file, or a folder of them")],
    body: Annotated[tyro.conf.Positional[Path], option("the target character, or a motion file with its skeleton")],
    /,
    json: Figures = None,
) -> int:
    """Score motion on another body, source beside target: feet, slip, limits. Exit status 1 where an aim is missed."""
    from kinematch.cli.evaluate_avatar import tell_left_out
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.evaluate.retargeting import score_retarget
    from kinematch.evaluate.vr.casting import find_motion_files
    from kinematch.files import read_clip, read_clips
    from kinematch.files.body_measures import read_bulk

    check_output(json)
    screen = Screen()
    files, notes, clips = find_motion_files([motion]), [], []
    with progress_bar("retargeting") as show:
        target = read_clip(body).skeleton
        bulk = read_bulk(body, target)
        for number, file in enumerate(files):
            show(number, len(files), "reading")
            try:
                found = [clip for clip in read_clips(file) if clip.skeleton.tpose is not None]
            except KinematchError as error:
                notes.append(str(error))
                continue
            clips += found
            if not found:
                notes.append(f"{file.name}: not a humanoid")
        score = score_retarget(clips, target, bulk=bulk, progress=lambda done, total: show(done, total, "retargeting"))
    tell_left_out(screen, notes)
    print_score(screen, score, motion.stem, body.name)
    write_figures(json, to_plain(score))
    return 0 if all(row.met is not False for row in score.rows) else 1


def print_score(screen: "Screen", score: "RetargetScore", motion: str, body: str) -> None:
    from kinematch.cli.evaluate_text import make_table

    screen.say(f"{motion} on {body}: {score.frames} frames, scale {score.scale:.2f}")
    table = make_table("", ["source", "rotations alone", "corrected", "", "aim"])
    for row in score.rows:
        values = [
            "" if value != value else f"{value:.4g}" if abs(value) >= 1000 else f"{value:.2f}" for value in row.values
        ]
        aim = "" if row.most is None else f"at most {row.most:.3g}: {'met' if row.met else 'missed'}"
        table.add_row(row.text, *values, row.unit, aim)
    screen.print(table)
    for note in score.notes:
        screen.say(note)


def to_plain(score: "RetargetScore") -> dict[str, Any]:
    """Every figure, as JSON knows it."""

    def plain(values: Mapping[str, Any]) -> dict[str, Any]:
        numbers = [None if value != value else value for value in values["values"]]
        return {**values, "values": dict(zip(("source", "rotations", "corrected"), numbers))}

    return {
        "frames": score.frames,
        "scale": score.scale,
        "measures": [{**plain(asdict(row)), "met": row.met} for row in score.rows],
        "notes": list(score.notes),
    }
