"""Draws docs/images/architecture-file.png and architecture-frame.png: which module does what, in order.

Run `python docs/figures/architecture.py` from the folder of the project.
"""

from pathlib import Path

import numpy as np

from kinematch.draw.canvas import Box, Canvas, new_canvas, title_of
from kinematch.draw.theme import LIGHT, rgb

COLUMNS, CELL, GAP = 4, (250, 96), (38, 34)
MARGIN, TOP = 24, 52

# what happens, in what, and what comes out
FILE = (
    ("read the file", "files/reading.py, bvh.py, gltf_read.py ...", "arrays as the file has them"),
    ("metres, Y up, +Z forward", "files/units_and_axes.py", "Clip"),
    ("find roles and the T-pose", "motion/roles.py, tpose.py", "Clip that any body can wear"),
    ("apply the recipe", "database/recipe.py, prepare.py", "ranges and tags of a take"),
    ("clean", "motion/clean/resample.py, floor.py, root.py", "Clip at one rate, on a ground root"),
    ("mirror, find contacts", "motion/clean/mirror.py, contacts.py", "twice the motion, foot contacts"),
    ("join all clips", "database/poses.py", "PoseDatabase"),
    ("measure features", "database/feature_database.py", "FeatureDatabase"),
    ("write and check", "database/storage.py, file_checks.py", "my.kinematch"),
    ("open, memory-mapped", "database/storage.py", "Database"),
    ("make boxes to search", "search/wide.py", "Matcher"),
    ("play", "character/crowd.py", "Crowd"),
)
FRAME = (
    ("steer", "control/stick.py, path.py ...", "Command"),
    ("check what was commanded", "control/orders.py", "Orders"),
    ("schedule: who searches now", "step/schedule.py", "searching characters"),
    ("predict the simulated body", "step/bodies.py", "Trajectory"),
    ("ask: build the query", "step/ask.py", "features of pose and trajectory"),
    ("project: search", "step/project.py, search/", "frame and cost"),
    ("transition", "step/transition.py, offsets.py", "offsets that decay"),
    ("advance by dt", "step/playback.py, runs.py", "next moment of the source"),
    ("adjust the root, decode", "step/adjust.py, decode.py", "pose, offsets added"),
    ("layers of users", "character/seams.py, layers.py", "changed pose"),
    ("plant feet", "step/toes.py, legs.py, feet.py", "feet locked, on the terrain"),
    ("report", "step/output.py", "Pose"),
)
Stage = tuple[str, str, str]


def find_cell(place: int) -> Box:
    """Rows are read like text, left to right."""
    row, column = divmod(place, COLUMNS)
    left, top = MARGIN + column * (CELL[0] + GAP[0]), TOP + row * (CELL[1] + GAP[1])
    return Box(left, top, left + CELL[0], top + CELL[1])


def draw_arrow(canvas: Canvas, points: list[tuple[float, float]]) -> None:
    """A line along points, with a head at its end."""
    line = np.array(points, float)
    canvas.line(line, LIGHT.faint, 1.6)
    ahead = line[-1] - line[-2]
    ahead = 8 * ahead / np.linalg.norm(ahead)
    aside = 0.5 * ahead[::-1] * (1, -1)
    canvas.polygon(
        [line[-1] + 0.5 * ahead, line[-1] - 0.5 * ahead + aside, line[-1] - 0.5 * ahead - aside], rgb(LIGHT.faint)
    )


def draw_way(title: str, stages: tuple[Stage, ...]) -> Canvas:
    rows = -(-len(stages) // COLUMNS)
    size = (2 * MARGIN + COLUMNS * CELL[0] + (COLUMNS - 1) * GAP[0], TOP + rows * (CELL[1] + GAP[1]))
    canvas = new_canvas(size, LIGHT)
    title_of(canvas, title, MARGIN)
    for place, (what, where, result) in enumerate(stages):
        box = find_cell(place)
        canvas.rectangle(box, rgb("#ffffff"))
        canvas.rectangle(Box(box.left, box.top, box.left + 4, box.bottom), rgb(LIGHT.left))
        canvas.text((box.left + 16, box.top + 22), what, anchor="lm", size=15)
        canvas.text((box.left + 16, box.top + 48), where, anchor="lm", size=11.5, colour=LIGHT.faint)
        canvas.text((box.left + 16, box.top + 74), result, anchor="lm", size=12.5, colour=LIGHT.left)
        if place + 1 < len(stages):
            after, middle = find_cell(place + 1), 0.5 * (box.top + box.bottom)
            if after.top == box.top:
                draw_arrow(canvas, [(box.right + 4, middle), (after.left - 8, middle)])
            else:
                between, start, end = box.bottom + 0.45 * GAP[1], box.left + 60, after.left + 60
                draw_arrow(canvas, [(start, box.bottom), (start, between), (end, between), (end, after.top - 5)])
    return canvas


if __name__ == "__main__":
    for name, title, stages in (
        ("file", "The way of a file: from a motion file to characters", FILE),
        ("frame", "The way of a frame: one step of a crowd", FRAME),
    ):
        draw_way(title, stages).finished().save(Path(f"docs/images/architecture-{name}.png"))
