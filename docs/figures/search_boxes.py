"""Draws docs/images/search.png: frames as points, leaves as boxes, and what a query can pass over.

python docs/figures/search_boxes.py OUTPUT.png
"""

import sys

import numpy as np
from PIL import Image, ImageDraw

SIZE, SCALE = (900, 420), 2
LIGHT, INK, GREY, BLUE, ORANGE = "#f5f7fa", "#1f2430", "#b8c0cc", "#3b72c4", "#e07b39"

time = np.linspace(0, 1, 160)
path = np.stack([0.5 + 0.44 * np.sin(2.2 * np.pi * time + 0.4), 0.5 + 0.4 * np.sin(5 * np.pi * time)], axis=1)
frames = path * [760, 330] + [70, 45]
leaves = [frames[k : k + 16] for k in range(0, 160, 16)]
query = np.array([560.0, 250.0])
best = min(np.linalg.norm(frames - query, axis=1))

picture = Image.new("RGB", (SIZE[0] * SCALE, SIZE[1] * SCALE), LIGHT)
draw = ImageDraw.Draw(picture)


def scaled(*values: float) -> list[float]:
    return [v * SCALE for v in values]


for leaf in leaves:
    low, high = leaf.min(axis=0), leaf.max(axis=0)
    gap = np.linalg.norm(np.maximum(0, np.maximum(low - query, query - high)))
    colour = ORANGE if gap <= best else GREY
    draw.rectangle(scaled(*low, *high), outline=colour, width=2 * SCALE)
    for x, y in leaf:
        draw.ellipse(scaled(x - 3, y - 3, x + 3, y + 3), fill=INK if gap <= best else GREY)
draw.ellipse(scaled(*(query - best), *(query + best)), outline=BLUE, width=2 * SCALE)
draw.ellipse(scaled(*(query - 5), *(query + 5)), fill=BLUE)
picture.resize(SIZE, Image.Resampling.LANCZOS).save(sys.argv[1])
