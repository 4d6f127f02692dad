"""Contact sheets: many moments of a clip on one picture, to judge a gait at a glance."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from kinematch.draw.body import BodyShape
from kinematch.draw.camera import UP, ViewCamera, body_points, facing, frame_points
from kinematch.draw.frames import DrawnFrames, even_frames, frames_of
from kinematch.draw.scene import check_size, render_scene
from kinematch.draw.solid import Solids, join
from kinematch.draw.text import write
from kinematch.draw.theme import Theme, find_theme, rgb
from kinematch.errors import KinematchError, unknown
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.heading import yaw_angle

VIEWS = {"side": np.pi / 2, "front": 0.0, "back": np.pi, "three-quarter": np.radians(40)}
_LENS = np.radians(9)  # a long lens: near and far leg come out alike


def contact_sheet(
    clip: Clip,
    *,
    columns: int = 8,
    rows: int = 2,
    start: float | None = None,
    stop: float | None = None,
    view: str = "side",
    tile: tuple[int, int] = (200, 240),
    contacts: np.ndarray | None = None,
    contact_joints: Sequence[int] | None = None,
    title: str | None = None,
    theme: Theme | str = "light",
    body: BodyShape | None = None,
) -> Image.Image:
    """Evenly spaced moments between start and stop seconds, all at one scale, the body walking to the right.

    The camera stands still beside the body's mean direction and moves along with it. contacts (F, K) and
    contact_joints as from motion.contacts mark planted feet. `body` is drawn in place of the usual figure.
    """
    theme, tile = find_theme(theme), check_size(tile)
    frames = frames_of(
        clip,
        even_frames(clip, columns * rows, start=start, stop=stop),
        contacts=contacts,
        contact_joints=contact_joints,
        body=body,
    )
    camera = _tile_camera(frames, _turn(view), tile)
    head = 30 if (title is None or title) else 0
    sheet = Image.new("RGB", (columns * tile[0], rows * tile[1] + head), rgb(theme.background_bottom))
    draw = ImageDraw.Draw(sheet)
    if head:
        text = f"{clip.name or 'clip'}   {view} view" if title is None else title
        write(draw, (10, head / 2), text, colour=theme.ink, size=15, anchor="lm")
    for n, index in enumerate(frames.indices):
        eye = camera.moved(frames.hips[n] * [1, 0, 1])
        pixels = render_scene(frames.solids(n, theme), eye, size=tile, theme=theme, floor_height=frames.floor_height)
        left, top = (n % columns) * tile[0], head + (n // columns) * tile[1]
        sheet.paste(Image.fromarray(pixels), (left, top))
        label = f"{index / clip.frame_rate:.2f} s"
        write(draw, (left + 8, top + 7), label, colour=theme.faint, size=12, halo=theme.background_top)
    for column in range(1, columns):
        draw.line([(column * tile[0], head), (column * tile[0], sheet.height)], fill=rgb(theme.grid))
    for row in range(rows):
        draw.line([(0, head + row * tile[1]), (sheet.width, head + row * tile[1])], fill=rgb(theme.grid))
    return sheet


def strip(
    clip: Clip,
    *,
    count: int = 12,
    start: float | None = None,
    stop: float | None = None,
    spread: float = 0.35,
    height: int = 320,
    width: int | None = None,
    contacts: np.ndarray | None = None,
    contact_joints: Sequence[int] | None = None,
    theme: Theme | str = "light",
) -> Image.Image:
    """One wide picture in which the body walks from left to right, a figure for each of count moments.

    The path is laid out straight: each figure keeps its turn against the path, and stands as far along as it has
    travelled, plus spread metres per figure so that they do not cover each other.
    """
    theme = find_theme(theme)
    frames = frames_of(
        clip, even_frames(clip, count, start=start, stop=stop), contacts=contacts, contact_joints=contact_joints
    )
    laid, places = _laid_out(frames, spread)
    points = body_points(clip.skeleton, laid.positions)
    if width is None:
        span = np.ptp(points.reshape(-1, 3), axis=0)
        width = round(height * (span[0] + 0.5) / (span[1] + 0.35))
    size = check_size((width, height))
    # seen from the body's right, +X is to the right
    camera = frame_points(points, np.array([0.0, -0.1, -1.0]), size=size, field_of_view=_LENS, margin=0.16)
    solids: list[Solids] = [laid.solids(n, theme) for n in range(count)]
    picture = Image.fromarray(
        render_scene(join(*solids), camera, size=size, theme=theme, floor_height=laid.floor_height)
    )
    draw = ImageDraw.Draw(picture)
    for n, index in enumerate(laid.indices):
        (x, _), _ = camera.project(np.array([places[n], laid.floor_height, 0.0]), size)
        text = f"{index / clip.frame_rate:.2f} s"
        write(draw, (x, height - 6), text, colour=theme.faint, size=max(10, height // 28), anchor="ms")
    return picture


def _laid_out(frames: DrawnFrames, spread: float) -> tuple[DrawnFrames, np.ndarray]:
    """The frames along +X, and where on it each stands."""
    hips = frames.hips * [1, 0, 1]
    ways = facing(frames.clip.skeleton, frames.positions)
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(hips, axis=0), axis=-1))])
    places = travelled + spread * np.arange(len(hips))
    turns = rotation.from_axis_angle(UP, np.pi / 2 - yaw_angle(ways))[:, None]  # each figure to +X
    positions = quaternion.rotate(turns, frames.positions - hips[:, None])
    positions[..., 0] += places[:, None]
    return replace(frames, positions=positions, rotations=quaternion.multiply(turns, frames.rotations)), places


def _turn(view: str) -> float:
    if view not in VIEWS:
        raise KinematchError(unknown("view", view, VIEWS))
    return VIEWS[view]


def _tile_camera(frames: DrawnFrames, turn: float, tile: tuple[int, int]) -> ViewCamera:
    """One camera for all tiles, around hips at (0, 0): the mean heading decides from where it looks."""
    ways = facing(frames.clip.skeleton, frames.positions)
    mean = ways.mean(axis=0)
    forward = mean if np.linalg.norm(mean) > 0.3 else ways[0]
    heading = yaw_angle(forward) - turn
    direction = -np.array([np.sin(heading), 0.12, np.cos(heading)])
    around = body_points(frames.clip.skeleton, frames.positions) - (frames.hips * [1, 0, 1])[:, None]
    return frame_points(around, direction, size=tile, field_of_view=_LENS, margin=0.13)
