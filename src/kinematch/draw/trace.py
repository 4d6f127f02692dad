"""Root paths seen from above: where clips go, which way the body faces on the way, and where feet are planted."""

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from kinematch.draw.axis import Axis
from kinematch.draw.camera import facing
from kinematch.draw.canvas import Box, Canvas, beside, new_canvas, ruling, title_of
from kinematch.draw.theme import Theme, find_theme, rgb
from kinematch.errors import KinematchError
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_joints
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.heading import yaw_angle

ToPixel = Callable[[np.ndarray], np.ndarray]  # from metres (right, up) to pixels


def top_down(
    clips: Clip | Sequence[Clip],
    *,
    contacts: Sequence[np.ndarray] | np.ndarray | None = None,
    ticks: float = 0.5,
    together: bool = False,
    title: str = "",
    names: bool = True,
    size: tuple[int, int] = (720, 720),
    theme: Theme | str = "light",
) -> Image.Image:
    """The way of each clip on the floor, +Z up and +X to the left; a tick at regular times shows the facing.

    contacts as from motion.contacts.find_contacts, one array (F, K) per clip, mark foot plants in the colours of left
    and right. together moves all clips to start at one point facing up, to compare turns.
    """
    theme = find_theme(theme)
    clips = [clips] if isinstance(clips, Clip) else list(clips)
    if not clips:
        raise KinematchError("nothing to draw: no clips")
    if ticks <= 0:
        raise KinematchError(f"ticks every {ticks} seconds, expected a positive number")
    plants = [contacts] if isinstance(contacts, np.ndarray) else contacts
    if plants is not None and len(plants) != len(clips):
        raise KinematchError(f"contacts of {len(plants)} clips for {len(clips)}")
    ways = [_way(clip, None if plants is None else plants[n], together) for n, clip in enumerate(clips)]
    everything = np.concatenate([np.concatenate([path, *(spots for spots, _ in feet)]) for path, _, feet in ways])
    if not np.isfinite(everything).all():
        raise KinematchError("a clip has values that are not finite")
    canvas = new_canvas(size, theme)
    box = Box(24, 44 if title else 24, size[0] - 24, size[1] - 44)
    scale, to_pixel = _fit(everything, box)
    _grid(canvas, box, scale, to_pixel)
    for n, (clip, way) in enumerate(zip(clips, ways)):
        step = max(1, round(ticks * clip.frame_rate))
        _draw_way(canvas, way, to_pixel, colour=_path_colour(theme, n, len(clips)), step=step)
    if names:
        _names(canvas, [clip.name or f"clip {n}" for n, clip in enumerate(clips)], box)
    _scale_bar(canvas, box, scale)
    title_of(canvas, title, box.left)
    return canvas.finished()


Way = tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, str]]]


def _way(clip: Clip, contacts: np.ndarray | None, together: bool) -> Way:
    """Path (F, 2), directions (F, 2) and plants of each foot (n, 2) with its side, as picture axes: right, up."""
    positions, _ = kinematics.global_pose(clip)
    roles = clip.skeleton.roles
    path = positions[:, roles.get("root", roles.get("hips", 0))]
    directions = facing(clip.skeleton, positions)
    feet = []
    if contacts is not None:
        joints = contact_joints(clip.skeleton)
        contacts = np.asarray(contacts, bool)
        if contacts.shape != (clip.frame_count, len(joints)):
            raise KinematchError(f"contacts of shape {contacts.shape}, expected ({clip.frame_count}, {len(joints)})")
        for column, joint in enumerate(joints):
            side = next((role.split("_")[0] for role, j in roles.items() if j == joint), "")
            # the middle of each stance stands for the plant
            middles = [(start + stop - 1) // 2 for start, stop in true_ranges(contacts[:, column])]
            feet.append((positions[middles, joint], side))
    turn = yaw_angle(directions[0]) if together else 0.0
    start = path[0] if together else np.zeros(3)

    def flat(points: np.ndarray) -> np.ndarray:
        x, z = points[:, 0], points[:, 2]
        c, s = np.cos(turn), np.sin(turn)
        return np.stack([-(c * x - s * z), s * x + c * z], axis=-1)

    origin = flat(start[None])
    return flat(path) - origin, flat(directions), [(flat(spots) - origin, side) for spots, side in feet]


def _draw_way(canvas: Canvas, way: Way, to_pixel: ToPixel, *, colour: str, step: int) -> None:
    """Plants, then the path over them: a ring at its start, a disc at its end, a pointer at regular frames."""
    path, directions, feet = way
    theme = canvas.theme
    for spots, side in feet:
        for spot in to_pixel(spots):
            canvas.disc(spot, 3.2, {"left": theme.left, "right": theme.right}.get(side, theme.faint))
    places = to_pixel(path)
    if len(places) > 1:
        canvas.line(places, colour, 2.2)
    for spot, direction in zip(places[::step], directions[::step]):
        ahead = direction * [1, -1]
        across = ahead[::-1] * [-1, 1]
        corners = [spot + 9 * ahead, spot - 3 * ahead + 4.5 * across, spot - 3 * ahead - 4.5 * across]
        canvas.polygon(corners, rgb(colour))
    canvas.disc(places[0], 5, colour)
    canvas.disc(places[0], 2.5, theme.floor)
    canvas.disc(places[-1], 5, colour)


def _fit(points: np.ndarray, box: Box) -> tuple[float, ToPixel]:
    """Pixels per metre, and the way from metres (right, up) to pixels, for all points to lie in the box."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = 0.5 * (low + high)
    room = np.array([box.right - box.left, box.bottom - box.top])
    scale = float((room / np.maximum(high - low + 0.6, 1.5)).min())
    centre = np.array([0.5 * (box.left + box.right), 0.5 * (box.top + box.bottom)])
    return scale, lambda metres: centre + scale * (metres - middle) * [1, -1]


def _path_colour(theme: Theme, n: int, count: int) -> str:
    """A single path is drawn in grey, beside the blue and orange of its feet."""
    return theme.faint if count == 1 else theme.series[n % len(theme.series)]


def _grid(canvas: Canvas, box: Box, scale: float, to_pixel: ToPixel) -> None:
    """Lines every metre, or every ten or so where the way is long."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1e9) if s * scale >= 24)
    origin = to_pixel(np.zeros(2))
    spacing = step * scale
    for axis, (low, high) in enumerate(((box.left, box.right), (box.top, box.bottom))):
        for k in range(int(np.ceil((low - origin[axis]) / spacing)), int((high - origin[axis]) // spacing) + 1):
            at = origin[axis] + k * spacing
            ends = [(at, box.top), (at, box.bottom)] if axis == 0 else [(box.left, at), (box.right, at)]
            canvas.line(np.array(ends), ruling(canvas.theme))


def _scale_bar(canvas: Canvas, box: Box, scale: float) -> None:
    length = Axis(0, 120 / scale).ticks(3)[-1]  # with two, the only round value may be zero
    start = np.array([box.left, box.bottom + 20])
    end = beside(start, length[0] * scale, 0)
    canvas.line(np.array([beside(start, 0, -4), start, end, beside(end, 0, -4)]), canvas.theme.ink, 1.5)
    canvas.text(beside(end, 8, 0), f"{length[1]} m", anchor="lm", size=12)


def _names(canvas: Canvas, names: list[str], box: Box) -> None:
    """The first names in a column at the upper left, and how many more there are."""
    most = max(1, int((box.bottom - box.top) / 40))
    for n, name in enumerate(names[:most]):
        y = box.top + 12 + 18 * n
        colour = _path_colour(canvas.theme, n, len(names))
        canvas.line(np.array([[box.left + 8, y], [box.left + 26, y]]), colour, 2.5)
        canvas.text((box.left + 32, y), name, anchor="lm", size=12)
    if len(names) > most:
        place = (box.left + 32, box.top + 12 + 18 * most)
        canvas.text(place, f"and {len(names) - most} more", anchor="lm", size=12, colour=canvas.theme.faint)
