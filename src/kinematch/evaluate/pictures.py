"""Pictures of an evaluation: traces of body and character from above, worst moments, moving pictures, charts."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from kinematch.draw.animation import animate
from kinematch.draw.chart import bar_chart, line_chart
from kinematch.draw.sheet import contact_sheet
from kinematch.draw.text import write
from kinematch.draw.theme import find_theme, rgb
from kinematch.draw.trace import top_down
from kinematch.evaluate.following import facing_errors, position_errors
from kinematch.evaluate.moments import WorstMoment
from kinematch.evaluate.run import Take
from kinematch.evaluate.scores import BY_NAME, Scores
from kinematch.evaluate.smoothness import excess
from kinematch.evaluate.yardstick import Yardstick
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clip import Clip

SHEET_SECONDS = 0.75


def trace(take: Take, *, size: tuple[int, int] = (340, 340), most: float = 30.0) -> Image.Image:
    """The way of the character and of its simulated body, from above."""
    seconds = min(take.scenario.seconds, most)
    shown = take.clip(0.0, seconds)
    body = _body_clip(take).frames(0, shown.frame_count)
    clips = [shown.with_(name="character"), body]
    return top_down(clips, ticks=max(0.5, seconds / 24), title=take.scenario.name, size=size)


def _body_clip(take: Take) -> Clip:
    """The character standing stiff on the simulated body, of which only the way is drawn."""
    positions, rotations = take.positions.copy(), take.rotations.copy()
    positions[:, 1:], rotations[:, 1:] = positions[:1, 1:], rotations[:1, 1:]
    positions[:, 0] = take.body_positions
    rotations[:, 0] = from_axis_angle(np.array([0.0, 1.0, 0.0]), take.body_yaws)
    return Clip(take.skeleton, positions, rotations, take.rate, "simulated body")


def moment_sheet(moment: WorstMoment, contact: np.ndarray, joints: np.ndarray, *, columns: int = 8) -> Image.Image:
    """Contact sheet around a moment, toes marked where contact (T, K) has them planted."""
    take = moment.take
    start = float(np.clip(moment.time - SHEET_SECONDS / 2, 0, max(0.0, take.scenario.seconds - SHEET_SECONDS)))
    first = round(start * take.rate)
    clip = take.clip(start, SHEET_SECONDS)
    return contact_sheet(
        clip, columns=columns, rows=1, tile=(130, 170), contacts=contact[first : first + clip.frame_count],
        contact_joints=[int(j) for j in joints],
        title=f"{moment.kind}: {take.scenario.name} at {moment.time:.2f} s: {moment.text}",
    )  # fmt: skip


def moving_picture(take: Take, *, seconds: float = 4.0) -> bytes:
    """A short WebP of a take, around its second event where it has any."""
    events = take.scenario.events
    start = events[min(1, len(events) - 1)].time - 1.0 if events else 2.0
    start = max(0.0, min(start, take.scenario.seconds - seconds))
    clip = take.clip(start, min(seconds, take.scenario.seconds))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moving.webp"
        animate(clip, path, size=(252, 220), frames_per_second=15, caption=take.scenario.name)
        return path.read_bytes()


def time_chart(take: Take, yardstick: Yardstick) -> Image.Image:
    """Errors and roughness along a take."""
    rough = excess(take.global_positions, take.rate, yardstick.limits).max(axis=1)
    lines = {
        "position error, m": (take.times, position_errors(take)),
        "facing error, rad": (take.times, facing_errors(take)),
        "roughest joint, of the source's largest": (take.times, rough),
    }
    return line_chart(lines, title=take.scenario.name, x_label="seconds", size=(720, 300))


def comparison(rows: Mapping[str, Scores], name: str) -> Image.Image:
    """One measure of every method that has it."""
    measure = BY_NAME[name]
    known = {method: scores[name] for method, scores in rows.items() if np.isfinite(scores.get(name, np.nan))}
    values = np.array([measure.scale * value for value in known.values()])
    return bar_chart(
        list(known),
        {measure.text: values},
        title=measure.text,
        y_label=measure.unit,
        size=(max(420, 110 * len(known)), 300),
    )


def scenario_chart(scenarios: Mapping[str, Scores], name: str, source: float | None = None) -> Image.Image:
    """One measure by group of scenarios."""
    measure = BY_NAME[name]
    known = {scenario: scores[name] for scenario, scores in scenarios.items() if np.isfinite(scores.get(name, np.nan))}
    numbers = [str(n + 1) for n in range(len(known))]
    series = {measure.text: measure.scale * np.array(list(known.values()))}
    if source is not None:
        series["source"] = np.full(len(known), measure.scale * source)
    return bar_chart(numbers, series, title=measure.text, x_label="scenario", y_label=measure.unit, size=(900, 300))


def sweep_chart(
    x: Sequence[float] | None,
    labels: Sequence[str],
    rows: Sequence[Scores],
    names: Sequence[str],
    *,
    title: str,
    x_label: str,
) -> Image.Image:
    """A panel for each measure over what a sweep changes: lines over numbers, bars over names."""
    columns = 2 if len(labels) < 8 else 1
    size = (1100 // columns, 300)
    panels = []
    for name in names:
        measure = BY_NAME[name]
        values = measure.scale * np.array([row.get(name, np.nan) for row in rows], np.float64)
        if not np.isfinite(values).any():
            continue
        if x is None:
            panel = bar_chart(list(labels), {measure.text: values}, title=measure.text, y_label=measure.unit, size=size)
        else:
            lines = {measure.text: (np.asarray(x, np.float64), values)}
            panel = line_chart(lines, x_label=x_label, y_label=measure.unit, points=True, size=size)
        panels.append(panel)
    theme = find_theme("light")
    whole = Image.new("RGB", (1100, 44 + 300 * -(-len(panels) // columns)), rgb(theme.floor))
    write(ImageDraw.Draw(whole), (24, 24), title, colour=theme.ink, size=20, anchor="lm")
    for n, panel in enumerate(panels):
        whole.paste(panel, ((n % columns) * size[0], 44 + (n // columns) * 300))
    return whole
