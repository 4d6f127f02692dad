"""One picture of one pose, or of several side by side on the same floor."""

from collections.abc import Iterable

import numpy as np
from PIL import Image

from kinematch.draw.body import BodyShape, place
from kinematch.draw.camera import ViewCamera, body_joints, facing, frame_clip
from kinematch.draw.mannequin import make_body
from kinematch.draw.scene import render_scene
from kinematch.draw.solid import Solids, join, round_cones
from kinematch.draw.text import caption as write_caption
from kinematch.draw.theme import Theme, find_theme, linear
from kinematch.errors import KinematchError
from kinematch.motion.skeleton import Skeleton


def render(
    skeleton: Skeleton,
    global_positions: np.ndarray,
    global_rotations: np.ndarray,
    *,
    camera: ViewCamera | None = None,
    size: tuple[int, int] = (640, 480),
    contacts: Iterable[int] | None = None,
    trail: np.ndarray | None = None,
    arrow: bool = False,
    caption: str = "",
    theme: Theme | str = "light",
    floor_height: float | None = None,
    light: np.ndarray | None = None,
    body: BodyShape | None = None,
) -> Image.Image:
    """A pose (J, 3), (J, 4), or several (..., J, 3) in one picture.

    contacts are joints marked as planted (of a single pose), trail is a path (N, 3) drawn on the floor, arrow shows
    where the body faces. The floor is at height zero, or under a body that is mostly below that. A body made once by
    mannequin.make_body saves making it for each picture.
    """
    theme = find_theme(theme)
    p, r = check_pose(skeleton, global_positions, global_rotations)
    floor_height = floor_under(skeleton, p) if floor_height is None else floor_height
    camera = frame_clip(skeleton, p, size=size) if camera is None else camera
    solids = place(make_body(skeleton) if body is None else body, p, r, theme)
    groups = [solids[index] for index in np.ndindex(p.shape[:-2])]
    for pose in p.reshape(-1, *p.shape[-2:]) if arrow else ():
        groups.append(arrow_mark(skeleton, pose, theme, floor_height=floor_height))
    if contacts is not None:
        if p.ndim != 2:
            raise KinematchError("contacts can be marked on a single pose only")
        groups.append(contact_marks(p[list(contacts)], theme, floor_height=floor_height))
    if trail is not None:
        groups.append(trail_marks(trail, theme, floor_height=floor_height))
    pixels = render_scene(join(*groups), camera, size=size, theme=theme, floor_height=floor_height, light=light)
    picture = Image.fromarray(pixels)
    if caption:
        write_caption(picture, caption, theme)
    return picture


def check_pose(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As float64, with shapes checked and nothing infinite."""
    p, r = np.asarray(positions, np.float64), np.asarray(rotations, np.float64)
    joints = skeleton.joint_count
    if p.shape[-2:] != (joints, 3) or r.shape != (*p.shape[:-1], 4):
        raise KinematchError(
            f"pose of shapes {p.shape} and {r.shape}, expected (..., {joints}, 3) and (..., {joints}, 4)"
        )
    if not (np.isfinite(p).all() and np.isfinite(r).all()):
        raise KinematchError("the pose has values that are not finite")
    return p, r


def floor_under(skeleton: Skeleton, positions: np.ndarray) -> float:
    """Zero, unless most poses (..., J, 3) sink into such a floor: some rigs have their origin at the hips."""
    lowest = float(np.median(body_joints(skeleton, positions)[..., 1].min(axis=-1)))
    return lowest - 0.02 if lowest < -0.1 else 0.0


def contact_marks(points: np.ndarray, theme: Theme, *, floor_height: float = 0.0) -> Solids:
    """Flat discs on the floor under planted points (K, 3)."""
    on_floor = np.array(points, np.float64).reshape(-1, 3)
    on_floor[:, 1] = floor_height
    return _paint(on_floor, on_floor, 0.1, thickness=0.03, theme=theme)


def trail_marks(path: np.ndarray, theme: Theme, *, floor_height: float = 0.0, width: float = 0.012) -> Solids:
    """A line on the floor along a path (N, 3)."""
    path = np.array(path, np.float64)
    if path.ndim != 2 or path.shape[1] != 3:
        raise KinematchError(f"trail of shape {path.shape}, expected (N, 3)")
    path[:, 1] = floor_height
    # a slow path has many points on one spot: keep those four centimetres apart
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=-1))])
    keep = np.flatnonzero(np.diff(np.floor(travelled / 0.04), prepend=-1))
    path = path[keep]
    return _paint(path[:-1], path[1:], width, thickness=0.3, theme=theme)


def arrow_mark(skeleton: Skeleton, pose: np.ndarray, theme: Theme, *, floor_height: float = 0.0) -> Solids:
    """An arrow on the floor from below the hips to where the body faces."""
    start = np.array(pose[skeleton.roles.get("root", skeleton.roles.get("hips", 0))], np.float64)
    start[1] = floor_height
    way = facing(skeleton, pose)
    side = np.array([way[2], 0.0, -way[0]])
    tip = start + 0.6 * way
    barbs = [tip - 0.12 * way + 0.09 * s * side for s in (-1, 1)]
    return _paint(np.array([start, tip, tip]), np.array([tip, *barbs]), 0.014, thickness=0.3, theme=theme)


def _paint(starts: np.ndarray, ends: np.ndarray, radius: float, *, thickness: float, theme: Theme) -> Solids:
    """Unlit solids lying flat on the floor."""
    return round_cones(
        starts,
        ends,
        np.array([radius, radius]),
        across=np.array([0.0, 1.0, 0.0]),
        along=np.array([1.0, 0.0, 0.0]),
        scales=np.array([thickness, 1.0]),
        colours=linear(theme.accent),
        lit=False,
    )
