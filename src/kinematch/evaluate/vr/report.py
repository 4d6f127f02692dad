"""The report on VR avatars: one HTML file with the table, the sweeps and the figures of MMVR redrawn."""

from pathlib import Path

import numpy as np

from kinematch.avatar.trackers import POINTS
from kinematch.draw.sheet import contact_sheet
from kinematch.evaluate import page
from kinematch.evaluate.vr import figures
from kinematch.evaluate.vr.columns import COLUMNS, VrColumn
from kinematch.evaluate.vr.evaluation import ACCURACIES, VrEvaluation, find_database
from kinematch.evaluate.vr.measures import find_direction_errors
from kinematch.evaluate.vr.methods import DRAGGED, HEADSET, OURS
from kinematch.evaluate.vr.performance import Performance
from kinematch.writing import write_beside

PAPER = {0.1: 27, 0.25: 22, 1.0: 19}  # cm, MMVR 7.2, of another database and user


def write_report(path: Path, evaluation: VrEvaluation, *, title: str) -> None:
    """Write the page, beside then renamed."""
    write_beside(path, make_html(evaluation, title=title).encode())


def make_html(evaluation: VrEvaluation, *, title: str) -> str:
    makers = (_introduce, _compare, _sweep, _show_walking, _show_parting, _show_levels, _show_traces)
    return page.page(f"A body from a headset and two controllers: {title}", [make(evaluation) for make in makers])


def show_value(column: VrColumn, value: float | None) -> str:
    """A value with its digits, or a dash."""
    return "–" if value is None or np.isnan(value) else f"{value:.{column.digits}f}"


def _introduce(evaluation: VrEvaluation) -> str:
    users = [user for cast in evaluation.casts for user in cast.users]
    minutes = sum(user.seconds for user in users) / 60
    names = ", ".join(page.text(user.name) for user in users)
    return (
        f"<p>{len(users)} simulated users, {minutes:.1f} minutes at {users[0].rate:g} Hz: {names}. They wear "
        f"{_list_points(evaluation)}. {_name_motion(evaluation)} holds none of their motion; it is retargeted to them. "
        "The first second of each is not scored. The truth about "
        "directions is that of the captured hips, not smoothed.</p>"
    )


def _name_motion(evaluation: VrEvaluation) -> str:
    database = find_database(evaluation.motion)
    if database is None:
        return "The model that plays"
    return f"The database that plays, {database.poses.clip_count} clips, {database.poses.minutes:.1f} minutes,"


def _list_points(evaluation: VrEvaluation) -> str:
    valid = evaluation.casts[0].users[0].devices.valid
    return ", ".join(point.replace("_", " ") for number, point in enumerate(POINTS) if valid[:, number].any())


def _compare(evaluation: VrEvaluation) -> str:
    names = list(evaluation.rows)
    rows = [
        [
            page.text(column.text),
            *(show_value(column, evaluation.rows[name].get(column.name)) for name in names),
            show_value(column, evaluation.own.get(column.name)),
            column.unit,
        ]
        for column in COLUMNS
    ]
    times = [f"{evaluation.microseconds[name]:.0f}" for name in names]
    rows.append(["own time for a step, all users together", *times, "–", "us a user"])
    head = ["", *map(page.text, names), f"ours, alpha {ACCURACIES[1]:g} m", ""]
    return (
        f"<h2>Methods, alpha {ACCURACIES[0]:g} m</h2>"
        + page.table(head, rows, mark=1 + names.index(OURS) if OURS in names else None)
        + "<p>Joint measures use the formulas of AvatarPoser and its successors, on other skeletons and motion: same "
        "formulas, not the same benchmark. Theirs: 2.9 to 4.2 cm, 2.3 to 3.1 degrees, jitter 6 to 14.5.</p>"
        + page.drawn(figures.draw_directions(evaluation), "like MMVR figure 9")
    )


def _sweep(evaluation: VrEvaluation) -> str:
    if not evaluation.sweep:
        return ""
    rows = []
    for run in evaluation.sweep:
        paper = f"{PAPER[run.share]}" if run.accuracy == ACCURACIES[0] else "–"
        turning = "–" if np.isnan(run.turning) else f"{run.turning:.1f}"
        rows.append([f"{run.share:.0%}", f"{run.accuracy:g} m", f"{run.root:.1f}", paper, turning, str(run.poses)])
    pictures = [
        page.drawn(figures.draw_shares(evaluation.sweep)),
        page.drawn(figures.draw_root_errors(evaluation.sweep, ACCURACIES[0]), "like MMVR figure 7"),
        *(page.drawn(picture, "like MMVR figure 8") for picture in figures.draw_poses(evaluation)),
    ]
    return (
        "<h2>How much database, how accurate</h2><p>Driven by the true direction, so that only the errors of motion "
        "matching count. The paper's figures are of another database and user.</p>"
        + page.table(
            ["database", "alpha", "root, cm", "paper, cm", "hips while turning in place, degrees", "different poses"],
            rows,
        )
        + f'<div class="pictures">{"".join(pictures)}</div>'
        + _show_turn(evaluation)
    )


def _show_turn(evaluation: VrEvaluation) -> str:
    shown = figures.draw_turn(evaluation.sweep, ACCURACIES[0])
    if not shown:
        return "<p>No user turns in place for long, so that there is nothing like MMVR figure 6.</p>"
    return (
        "<h3>A turn in place, by share of the database</h3><p>Like MMVR figure 6: the user, then 10 %, 25 % and all of "
        "the database.</p>" + "".join(page.drawn(picture) for picture in shown)
    )


def _pick(evaluation: VrEvaluation, names: tuple[str, ...], number: int) -> list[tuple[str, Performance]]:
    return [(name, evaluation.performances[name][number]) for name in names if name in evaluation.performances]


def _show_walking(evaluation: VrEvaluation) -> str:
    speeds = [np.linalg.norm(np.ptp(one.user.joints.positions[:, 0], axis=0)) for one in evaluation.performances[OURS]]
    picked = _pick(evaluation, (DRAGGED, OURS), int(np.argmax(speeds)))
    films = [page.figure(film, "image/webp", name) for name, film in figures.film_walk(picked)]
    return (
        "<h2>Walking</h2><p>Like MMVR figure 4.</p>"
        + "".join(page.drawn(picture) for picture in figures.draw_walk(picked))
        + f'<div class="pictures">{"".join(films)}</div>'
    )


def _show_parting(evaluation: VrEvaluation) -> str:
    if HEADSET not in evaluation.performances:
        return ""
    parted = [np.abs(find_direction_errors(one)).mean() for one in evaluation.performances[HEADSET]]
    number = int(np.argmax(parted))
    picked = _pick(evaluation, (HEADSET, OURS), number)
    shown = figures.draw_parting(picked, picked[0][1].user.clip)
    return (
        "<h2>Head and body part</h2><p>Like MMVR figure 5: the user who turns the head farthest from the hips.</p>"
        + "".join(page.drawn(picture) for picture in shown)
    )


def _show_levels(evaluation: VrEvaluation) -> str:
    lowest = [one.user.joints.positions[:, 0, 1].min() for one in evaluation.performances[OURS]]
    one = evaluation.performances[OURS][int(np.argmin(lowest))]
    start = figures.find_busiest(-one.user.joints.positions[:, 0, 1], one.user.rate, 2.0)
    sheets = [
        contact_sheet(clip, columns=8, rows=1, start=start, stop=start + 2.0, tile=(130, 170), title=name)
        for name, clip in (("the user", one.user.clip), (OURS, figures.make_clip(one)))
    ]
    return "<h2>Low</h2><p>Like MMVR figure 3: where a head is lowest.</p>" + "".join(map(page.drawn, sheets))


def _show_traces(evaluation: VrEvaluation) -> str:
    made = [page.drawn(figures.draw_trace(one, one.user.clip, name=OURS)) for one in evaluation.performances[OURS][:12]]
    return f'<h2>From above</h2><div class="pictures">{"".join(made)}</div>'
