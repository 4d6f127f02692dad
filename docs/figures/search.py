"""Draws docs/images/search.png: a search in a space of two features, so that its boxes can be seen.

Run `python docs/figures/search.py` from the folder of the project.
"""

from pathlib import Path

import numpy as np

from kinematch.draw.canvas import Box, Canvas, beside, new_canvas
from kinematch.draw.theme import LIGHT

SIZE = (1080, 420)
LEAF = 8  # frames, half of the real number, so that there is something to see
QUERY = np.array([0.507, 0.404])

TITLES = ("1  what plays sets the bound", "2  a look at the nearest leaf", "3  and at all within reach")


def clips() -> list[np.ndarray]:
    """Three walks through feature space, each a gait that drifts."""
    time = np.linspace(0, 1, 80)[:, None]
    swing = [np.concatenate([np.cos(w * time + a), np.sin(w * time + a)], axis=1) for w, a in ((9, 0), (11, 2), (8, 4))]
    return [
        0.12 * swing[0] + [0.20, 0.28] + time * [0.60, 0.05],
        0.10 * swing[1] + [0.16, 0.72] + time * [0.25, 0.08],
        0.09 * swing[2] + [0.62, 0.66] + time * [0.20, 0.10],
    ]


def squared_distances(leaves: list[np.ndarray]) -> np.ndarray:
    """From the query to the box of each leaf: the gap in each column, squared and added up."""
    lows, highs = (np.array([edge(leaf, axis=0) for leaf in leaves]) for edge in (np.min, np.max))
    return np.square(np.maximum(np.maximum(lows - QUERY, QUERY - highs), 0)).sum(axis=1)


def draw_panel(canvas: Canvas, box: Box, title: str, *, radius: float, looked: list[int], best: np.ndarray) -> None:
    theme, leaves = canvas.theme, [leaf for clip in clips() for leaf in np.split(clip, len(clip) // LEAF)]
    near = squared_distances(leaves) <= radius**2
    for k, leaf in enumerate(leaves):
        low, high = leaf.min(axis=0), leaf.max(axis=0)
        corners = box.at(*np.array([low, [high[0], low[1]], high, [low[0], high[1]], low]).T)
        colour = theme.accent if k in looked else theme.series[0] if near[k] else theme.grid
        canvas.line(corners, colour, 2.0 if k in looked or near[k] else 1.0)
        for place in box.at(*leaf.T):
            canvas.disc(place, 2.2, colour)
    turn = np.linspace(0, 2 * np.pi, 181)
    circle = QUERY + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    canvas.line(box.at(*circle.T), theme.right, 2.0)
    canvas.line(box.at(*np.array([QUERY, best]).T), theme.right, 1.0)
    canvas.disc(box.at(*best), 4.5, theme.right)
    canvas.disc(box.at(*QUERY), 4.5, theme.ink)
    canvas.text(beside(box.at(*QUERY), 0, 15), "query", size=12)
    told = f"{near.sum()} of {len(leaves)} boxes within reach, {len(looked)} looked at"
    canvas.text((box.left, box.top - 38), title, anchor="lm", size=14)
    canvas.text((box.left, box.top - 18), told, anchor="lm", size=12, colour=theme.faint)


def main() -> None:
    leaves = [leaf for clip in clips() for leaf in np.split(clip, len(clip) // LEAF)]
    playing = clips()[1][50]
    order = np.argsort(squared_distances(leaves))
    canvas = new_canvas(SIZE, LIGHT)
    boxes = [Box(20 + 360 * k, 60, 345 + 360 * k, 385) for k in range(3)]
    looked: list[int] = []
    best = playing
    for step, box in enumerate(boxes):
        title = TITLES[step]
        while step and order[len(looked)] not in looked:
            leaf = leaves[order[len(looked)]]
            distances = np.linalg.norm(leaf - QUERY, axis=1)
            if squared_distances(leaves)[order[len(looked)]] > np.square(best - QUERY).sum():
                break
            looked.append(int(order[len(looked)]))
            if distances.min() < np.linalg.norm(best - QUERY):
                best = leaf[distances.argmin()]
            if step == 1:
                break
        draw_panel(canvas, box, title, radius=float(np.linalg.norm(best - QUERY)), looked=looked, best=best)
    picture = Path(__file__).parents[1] / "images" / "search.png"
    picture.parent.mkdir(exist_ok=True)
    canvas.finished().quantize(64).save(picture, optimize=True)


if __name__ == "__main__":
    main()
