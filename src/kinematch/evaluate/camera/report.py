"""The report on camera fusion: one HTML file with the table and figures 2 and 3 of Fletcher et al. redrawn."""

from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.draw.chart import line_chart
from kinematch.evaluate import page
from kinematch.evaluate.camera.evaluation import CameraEvaluation
from kinematch.evaluate.camera.measures import COLUMNS
from kinematch.evaluate.camera.methods import CAMERA, ESTIMATORS, FUSED, HEADSET, NETWORK, TRUE
from kinematch.evaluate.vr.measures import find_hips_errors
from kinematch.evaluate.vr.performance import Performance
from kinematch.writing import write_beside

SIZE = (900, 320)


def write_report(path: Path, evaluation: CameraEvaluation, *, title: str) -> None:
    """Write the page, beside then renamed."""
    write_beside(path, make_html(evaluation, title=title).encode())


def show_value(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.1f}"


def make_html(evaluation: CameraEvaluation, *, title: str) -> str:
    parts = []
    for place, found in evaluation.alignments.items():
        rows = [
            [source, *(show_value(evaluation.rows[place, source][column.name]) for column in COLUMNS)]
            for source in ESTIMATORS
        ]
        head = ["degrees", *(page.text(column.text) for column in COLUMNS)]
        parts.append(f"<h2>Camera: {page.text(place)}</h2>" + page.table(head, rows, mark=None))
        if found:
            yaws, places, offsets = (np.median([one[k] for one in found]) for k in (1, 2, 3))
            parts.append(
                f"<p>After 5 s, medians over {len(found)} users who moved about: yaw off by {yaws:.1f} degrees, "
                f"place by {places:.0f} cm, time by {offsets:.0f} ms.</p>"
            )
    place = next(iter(evaluation.alignments))
    parts += [page.drawn(draw_sources(evaluation, place), "like figure 2")]
    parts += [page.drawn(draw_truth(evaluation, place), "like figure 3")]
    return page.page(f"A camera corrects the body: {title}", parts)


def find_most_parted(evaluation: CameraEvaluation, place: str) -> int:
    """The user with the largest angle between headset and hips."""
    errors = [np.abs(find_hips_errors(one)).mean() for one in evaluation.performances[place, HEADSET]]
    return int(np.argmax(errors))


def draw_sources(evaluation: CameraEvaluation, place: str) -> Image.Image:
    """Figure 2: the error of the shown hips over time, by what drives them."""
    number = find_most_parted(evaluation, place)
    lines = {name: _trace(evaluation.performances[place, name][number]) for name in (NETWORK, CAMERA, FUSED)}
    return line_chart(lines, title=f"Camera: {place}", x_label="s", y_label="degrees, shown hips", size=SIZE)


def draw_truth(evaluation: CameraEvaluation, place: str) -> Image.Image:
    """Figure 3: the same when the true direction drives them: what motion matching itself adds."""
    one = evaluation.performances[place, TRUE][find_most_parted(evaluation, place)]
    lines = {"true direction": _trace(one)}
    return line_chart(lines, title="Driven by the truth", x_label="s", y_label="degrees, shown hips", size=SIZE)


def _trace(one: Performance) -> tuple[np.ndarray, np.ndarray]:
    errors = np.abs(find_hips_errors(one))
    return np.arange(len(errors)) / one.user.rate, errors
