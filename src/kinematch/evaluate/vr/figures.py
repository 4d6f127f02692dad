"""Pictures of VR avatars like the figures of MMVR, redrawn from our own runs."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.draw.animation import animate
from kinematch.draw.chart import bar_chart, line_chart
from kinematch.draw.scatter import scatter_chart
from kinematch.draw.sheet import contact_sheet
from kinematch.draw.trace import top_down
from kinematch.evaluate.vr.evaluation import SharedRun, VrEvaluation, find_database
from kinematch.evaluate.vr.measures import find_direction_errors, find_root_errors, find_turns_in_place
from kinematch.evaluate.vr.performance import Performance
from kinematch.evaluate.vr.users import SimulatedUser
from kinematch.motion.clip import Clip

SPAN = 20.0  # s over which figure 7 averages
MINUTE = 60.0
FEWEST_TURNED = 0.7  # rad in figure 6
SIZE = (560, 340)


def make_clip(one: Performance, name: str = "") -> Clip:
    """What an avatar did, as a clip."""
    return Clip(one.skeleton, one.positions, one.rotations, one.user.rate, name or one.user.name)


def draw_walk(performances: Sequence[tuple[str, Performance]], *, seconds: float = 2.4) -> list[Image.Image]:
    """Figure 4: the same user by several methods, around where the user is quickest."""
    user = performances[0][1].user
    start = find_busiest(_find_speeds(user), user.rate, seconds)
    return [
        contact_sheet(make_clip(one), columns=8, rows=1, start=start, stop=start + seconds, tile=(130, 170), title=name)
        for name, one in performances
    ]


def draw_parting(
    performances: Sequence[tuple[str, Performance]], truth: Clip, *, seconds: float = 1.6
) -> list[Image.Image]:
    """Figure 5: the user and what methods make of it, where head and hips part most."""
    one = performances[0][1]
    start = find_busiest(np.abs(find_direction_errors(one)), one.user.rate, seconds)
    clips = [("the user", truth), *((name, make_clip(shown)) for name, shown in performances)]
    return [
        contact_sheet(
            clip,
            columns=6,
            rows=1,
            start=start,
            stop=start + seconds,
            tile=(130, 170),
            title=name,
            view="three-quarter",
        )
        for name, clip in clips
    ]


def draw_turn(runs: Sequence[SharedRun], accuracy: float, *, seconds: float = 2.4) -> list[Image.Image]:
    """Figure 6: a user who turns in place, by parts of the database, the smallest first; none without such a user."""
    chosen = sorted((run for run in runs if run.accuracy == accuracy), key=lambda run: run.share)
    users = [one.user for one in chosen[0].performances]
    turns = [np.convolve(find_turns_in_place(user), np.ones(round(seconds * user.rate)), "valid") for user in users]
    number = int(np.argmax([own.max() for own in turns]))
    if turns[number].max() / users[number].rate < FEWEST_TURNED:
        return []
    start = float(np.argmax(turns[number])) / users[number].rate
    clips = [("the user", users[number].clip)]
    clips += [(f"{run.share:.0%} of the database", make_clip(run.performances[number])) for run in chosen]
    return [
        contact_sheet(clip, columns=8, rows=1, start=start, stop=start + seconds, tile=(130, 170), title=name)
        for name, clip in clips
    ]


def film_walk(performances: Sequence[tuple[str, Performance]], *, seconds: float = 4.0) -> list[tuple[str, bytes]]:
    """Short films (WebP) of the same user by several methods, around where the user is quickest."""
    user = performances[0][1].user
    start = find_busiest(_find_speeds(user), user.rate, seconds)
    films = []
    with tempfile.TemporaryDirectory() as folder:
        for name, one in performances:
            path, length = Path(folder) / "film.webp", min(seconds, user.seconds - start)
            animate(
                make_clip(one), path, size=(300, 260), frames_per_second=15, start=start, seconds=length, caption=name
            )
            films.append((name, path.read_bytes()))
    return films


def _find_speeds(user: SimulatedUser) -> np.ndarray:
    """(F,) m/s of the head along the ground."""
    return np.linalg.norm(np.gradient(user.joints.positions[:, 0] * [1, 0, 1], 1 / user.rate, axis=0), axis=-1)


def find_busiest(values: np.ndarray, rate: float, seconds: float) -> float:
    """When (s) a stretch begins over which values (F,) are largest on average."""
    width = min(len(values), max(1, round(seconds * rate)))
    sums = np.convolve(values, np.ones(width), mode="valid")
    return float(np.argmax(sums)) / rate


def draw_root_errors(runs: Sequence[SharedRun], accuracy: float) -> Image.Image:
    """Figure 7: distance of the root from below the head over time, for parts of the database."""
    lines = {}
    for run in runs:
        if run.accuracy == accuracy:
            errors = np.concatenate([find_root_errors(one) for one in run.performances])
            lines[f"{run.share:.0%} of the database"] = average_over(100 * errors, run.performances[0].user.rate, SPAN)
    return line_chart(
        lines, title=f"Root from below the head, averaged over {SPAN:g} s", x_label="s of all users, end to end",
        y_label="cm", size=SIZE, points=True,
    )  # fmt: skip


def draw_directions(evaluation: VrEvaluation) -> Image.Image:
    """Figure 9: mean error of body directions by minute."""
    lines = {}
    for name, performances in evaluation.performances.items():
        errors = np.concatenate([np.abs(find_direction_errors(one)) for one in performances])
        times, means = average_over(errors, performances[0].user.rate, MINUTE)
        lines[name] = times / MINUTE, means
    return line_chart(
        lines, title="Body direction, mean error by minute", x_label="minute", y_label="degrees", size=SIZE, points=True
    )


def average_over(values: np.ndarray, rate: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Middle times (s) of stretches, and means of values (F,) over them; a short rest joins the last."""
    count = max(1, int(len(values) / (seconds * rate)))
    parts = np.array_split(values, count)
    ends = np.cumsum([len(part) for part in parts]) / rate
    return ends - np.diff(ends, prepend=0.0) / 2, np.array([part.mean() for part in parts])


def draw_poses(evaluation: VrEvaluation) -> list[Image.Image]:
    """Figure 8: where all poses of the database are going in a third of a second, and which of them were shown."""
    database = find_database(evaluation.motion)
    assert database is not None, "only a database has parts to sweep over"
    features = database.features
    trajectory = next(one for one in features.schema.features if one.kind == "trajectory_position")
    first = features.schema.columns[trajectory.name].start
    places = features.physical(slice(None))[:, first : first + 2]
    pictures = []
    for run in evaluation.sweep:
        if run.share == 1:
            used = np.unique(np.concatenate([one.frames for one in run.performances]))
            pictures.append(
                scatter_chart(
                    {"all poses": places[::7], "shown": places[used[used >= 0]]},
                    title=f"alpha {run.accuracy:g} m: {run.poses} different poses",
                    x_label="m to the left",
                    y_label="m ahead in 1/3 s",
                    size=(420, 420),
                )
            )
    return pictures


def draw_shares(runs: Sequence[SharedRun]) -> Image.Image:
    """Figure 7's means: root errors by part of the database and accuracy."""
    shares = sorted({run.share for run in runs})
    found = {(run.share, run.accuracy): run.root for run in runs}
    series = {
        f"alpha {accuracy:g} m": np.array([found[share, accuracy] for share in shares])
        for accuracy in sorted({run.accuracy for run in runs}, reverse=True)
    }  # fmt: skip
    return bar_chart(
        [f"{share:.0%}" for share in shares], series, title="Root from below the head, by share of the database",
        y_label="cm", size=SIZE,
    )  # fmt: skip


def draw_trace(one: Performance, truth: Clip, *, name: str) -> Image.Image:
    """The way of the user and of the avatar, from above."""
    return top_down([make_clip(one, name), truth], ticks=2.0, title=one.user.name, size=(340, 340))
