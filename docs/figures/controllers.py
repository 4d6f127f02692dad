"""Draws docs/images/controllers.png, terrain-map.png and terrain-stairs.png: characters steered in every way.

Run `python docs/figures/controllers.py` from the folder of the project.
"""

from pathlib import Path as FilePath

import numpy as np

from kinematch.character import Crowd
from kinematch.control.follow import Follow
from kinematch.control.path import Path
from kinematch.control.region import make_region
from kinematch.control.route import Keypoint
from kinematch.control.stick import GAITS, Stick, find_top_speeds
from kinematch.control.wander import Wander
from kinematch.database.built_in import open_built_in
from kinematch.draw.canvas import Box, Canvas, beside, new_canvas
from kinematch.draw.chart import heat_map
from kinematch.draw.theme import LIGHT, rgb
from kinematch.scene.made_terrain import uneven_ground
from kinematch.scene.terrain import HeightFunction

SIZE = (1080, 940)
DT = 1 / 60
LEVEL = "level0"  # upright


class Panel:
    """A part of the canvas that shows some metres of ground, +Z up and +X to the left."""

    def __init__(self, canvas: Canvas, corner: tuple[float, float], title: str, told: str, *, metres, middle):
        self.canvas, self.box = canvas, Box(corner[0], corner[1] + 50, corner[0] + 500, corner[1] + 440)
        self.scale = min(500 / metres[0], 390 / metres[1])
        self.middle = np.array(middle, float)
        canvas.text((corner[0], corner[1] + 10), title, anchor="lm", size=16)
        canvas.text((corner[0], corner[1] + 32), told, anchor="lm", size=12, colour=canvas.theme.faint)

    def at(self, points) -> np.ndarray:
        centre = [0.5 * (self.box.left + self.box.right), 0.5 * (self.box.top + self.box.bottom)]
        return centre + self.scale * (np.asarray(points, float) - self.middle) * [-1, -1]

    def line(self, points, colour: str, width: float = 2.0) -> None:
        self.canvas.line(self.at(points), colour, width)

    def pointers(self, points, yaws, colour: str) -> None:
        for spot, yaw in zip(self.at(points), yaws):
            ahead = np.array([-np.sin(yaw), -np.cos(yaw)])
            across = ahead[::-1] * [-1, 1]
            corners = [spot + 9 * ahead, spot - 3 * ahead + 4.5 * across, spot - 3 * ahead - 4.5 * across]
            self.canvas.polygon(corners, rgb(colour))

    def bar(self, metres: float) -> None:
        start = np.array([self.box.left, self.box.bottom + 14])
        end = beside(start, metres * self.scale, 0)
        self.canvas.line(np.array([beside(start, 0, -4), start, end, beside(end, 0, -4)]), LIGHT.ink, 1.5)
        self.canvas.text(beside(end, 8, 0), f"{metres:g} m", anchor="lm", size=12)


def run(crowd: Crowd, controller, seconds: float, each=lambda time: None):
    """Roots (T, N, 2), yaws (T, N) and what was shown."""
    roots, yaws, shown = [], [], []
    for k in range(round(seconds / DT)):
        each(k * DT)
        shown.append(crowd.step(controller.command(crowd.body, DT), DT))
        roots.append(crowd.root_positions[:, [0, 2]].copy())
        yaws.append(crowd.root_yaws.copy())
    return np.array(roots), np.array(yaws), shown


def draw_stick(canvas: Canvas, database) -> None:
    told = "walks to and fro past a target and keeps facing it; rings: top speed by direction at each gait"
    panel = Panel(canvas, (24, 12), "Stick", told, metres=(8.5, 6.6), middle=(-0.6, 0.6))
    target = np.array([0.0, 0.0, 2.4])
    stick = Stick(face="target", target=target, filter=LEVEL)
    way = [(1.5, (0, -1)), (3.5, (1, 0)), (7.0, (-1, 0.15)), (9.0, (0.2, 1)), (10.5, (0, 0))]

    def push(time: float) -> None:
        stick.axes = next(axes for until, axes in way if time < until)

    roots, yaws, _ = run(Crowd(database), stick, 10.4, push)
    panel.line(roots[:, 0], LIGHT.series[0])
    panel.pointers(roots[::30, 0], yaws[::30, 0], LIGHT.series[0])
    canvas.disc(panel.at(target[[0, 2]]), 6, LIGHT.series[1])
    angles = np.linspace(0, 2 * np.pi, 181)
    moves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    centre = panel.at([-3.4, 2.0])
    for n, (name, gait) in enumerate(GAITS.items()):
        limits = np.array([[gait.forward, gait.sideways, gait.backward]])
        radii = find_top_speeds(limits, moves, np.tile([0.0, 1.0], (181, 1)))[:, None]
        ring = centre + 20 * radii * moves * [-1, -1]
        canvas.line(ring, LIGHT.series[n + 2], 2)
        canvas.text(beside(centre, 0, -20 * gait.forward - 9), f"{name} {gait.forward:g}", size=11)
    panel.bar(1)


def draw_path(canvas: Canvas, database) -> None:
    told = "grey: the path, a disc where it waits; blue: the character; the last leg is walked sideways"
    panel = Panel(canvas, (556, 12), "Path", told, metres=(10.5, 8.6), middle=(2.5, 2))
    keypoints = [(0, 0), (0, 4), Keypoint(4.5, 5.5, speed=2.6), Keypoint(5, -1, stop=1.0, facing=0.0), (0, -1.5)]
    path = Path(keypoints, radius=1.5, filter=LEVEL)
    roots, yaws, _ = run(Crowd(database), path, 17)
    panel.line(path.route.points[::10], LIGHT.grid, 9)
    for place in path.route.points[[0, -1]]:
        canvas.disc(panel.at(place), 7, LIGHT.grid)
    canvas.disc(panel.at([5, -1]), 9, LIGHT.faint)
    panel.line(roots[:, 0], LIGHT.series[0])
    panel.pointers(roots[::40, 0], yaws[::40, 0], LIGHT.series[0])
    panel.bar(1)


def draw_follow(canvas: Canvas, database) -> None:
    told = "five go after a point (orange) that walks and stops, with room between them"
    panel = Panel(canvas, (24, 474), "Follow", told, metres=(20, 9), middle=(6.2, 0.6))
    place, trail = np.array([0.0, 0, 0]), []
    follow = Follow(lambda: place, filter=LEVEL, speed=2.6, room=0.9)

    def walk(time: float) -> None:
        along = min(1.3 * time, 15.0)
        place[:] = along, 0, 2.2 * np.sin(0.45 * along) + 0.1 * along
        trail.append(place[[0, 2]].copy())

    starts = np.array([[-1.5, 0, 0], [-2, 0, 1.5], [-2.6, 0, -1], [-1, 0, -2.2], [-3, 0, 0.4]])
    crowd = Crowd(database, len(starts), positions=starts, yaws=np.full(len(starts), np.pi / 2))
    roots, yaws, _ = run(crowd, follow, 15, walk)
    panel.line(trail, LIGHT.series[1], 3)
    canvas.disc(panel.at(trail[-1]), 7, LIGHT.series[1])
    for n in range(len(starts)):
        panel.line(roots[:, n], LIGHT.series[0], 1.2)
        panel.pointers(roots[[0, -1], n], yaws[[0, -1], n], LIGHT.series[0])
    panel.bar(2)


def draw_wander(canvas: Canvas, database) -> None:
    told = "sixty stroll about a square for 20 s and walk around each other; nobody leaves"
    panel = Panel(canvas, (556, 474), "Wander", told, metres=(22, 17), middle=(0, 0))
    inside = (18.0, 15.0)
    places, random = make_region(inside).spread(60), np.random.default_rng(3)
    starts = np.stack([places[:, 0], np.zeros(60), places[:, 1]], axis=-1)
    crowd = Crowd(database, 60, positions=starts, yaws=random.uniform(-np.pi, np.pi, 60))
    roots, yaws, _ = run(crowd, Wander(random, inside=inside, filter=LEVEL), 20)
    half = np.array(inside) / 2
    panel.line(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * half, LIGHT.grid, 2)
    for n in range(60):
        panel.line(roots[-360:, n], LIGHT.series[n % len(LIGHT.series)], 1.2)
        panel.pointers(roots[-1:, n], yaws[-1:, n], LIGHT.series[n % len(LIGHT.series)])
    panel.bar(2)


def draw_terrain(folder: FilePath, database) -> None:
    ground = uneven_ground(np.random.default_rng(4), size=24.0, hills=0.6, step=0.12, steps=14)
    along = np.linspace(-12, 12, 161)
    x, z = (axis.ravel() for axis in np.meshgrid(along[:-1], along[:-1], indexing="ij"))
    heights = ground.heights(np.stack([-x, z], axis=-1)).reshape(160, 160)
    labels = {"x_label": "-x, m", "y_label": "z, m", "value_label": "above the lowest, m"}
    heat_map(heights - heights.min(), along, along, size=(560, 460), **labels).quantize(128).save(
        folder / "terrain-map.png", optimize=True
    )
    draw_stairs(database).quantize(64).save(folder / "terrain-stairs.png", optimize=True)


def draw_stairs(database):
    """A flight of stairs from the side, and a character on it every so often."""
    stairs = HeightFunction(lambda x, z: 0.16 * np.clip(np.floor(z / 0.36), 0, 8))
    crowd = Crowd(database, terrain=stairs, positions=np.array([[0.0, 0, -1.2]]))
    _, _, shown = run(crowd, Path([Keypoint(0, -1.2, speed=0.8), (0, 5.0)], filter=LEVEL), 7.5)
    canvas, scale = new_canvas((1080, 420), LIGHT), 128.0

    def at(z, y):
        return np.stack(np.broadcast_arrays(260 + scale * np.asarray(z), 390 - scale * np.asarray(y)), axis=-1)

    along = np.linspace(-2.5, 7.0, 2000)
    heights = stairs.heights(np.stack([0 * along, along], axis=-1))
    canvas.polygon([*at(along, heights), at(7.0, -0.3), at(-2.5, -0.3)], rgb(LIGHT.grid))
    skeleton = database.poses.skeleton
    names = {joint: role for role, joint in skeleton.roles.items()}
    for step in shown[20::40]:
        places = at(step.global_positions[0, :, 2], step.global_positions[0, :, 1])
        for joint in range(2, len(places)):
            side = names.get(joint, "").split("_")[0]
            colour = {"left": LIGHT.left, "right": LIGHT.right}.get(side, LIGHT.faint)
            canvas.line(places[[skeleton.parents[joint], joint]], colour, 2.5)
    return canvas.finished()


def main() -> None:
    folder = FilePath(__file__).parents[1] / "images"
    database = open_built_in()
    canvas = new_canvas(SIZE, LIGHT)
    for draw in (draw_stick, draw_path, draw_follow, draw_wander):
        draw(canvas, database)
    canvas.finished().quantize(96).save(folder / "controllers.png", optimize=True)
    draw_terrain(folder, database)


if __name__ == "__main__":
    main()
