"""Camera: a perspective view, and the choice of a good one for a pose or a whole clip."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math.smoothing import savitzky_golay
from kinematch.motion.heading import yaw_angle
from kinematch.motion.skeleton import Skeleton

UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class ViewCamera:
    position: np.ndarray  # (3,) m
    target: np.ndarray  # (3,) m, drawn in the middle of the picture
    field_of_view: float = np.radians(30)  # rad, from the lower edge to the upper

    def __post_init__(self) -> None:
        for name in ("position", "target"):
            value = np.array(getattr(self, name), np.float64)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise KinematchError(f"camera {name} {value.tolist()}, expected three finite numbers")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not 0 < self.field_of_view < np.pi:
            raise KinematchError(f"field of view {self.field_of_view} rad, expected between 0 and pi")
        if not np.linalg.norm(self.target - self.position) > 0:
            raise KinematchError("the camera stands on its target")

    @property
    def axes(self) -> np.ndarray:
        """Right, up and forward as rows (3, 3); looking straight down, the picture's top is +Z."""
        forward = self.target - self.position
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, UP)
        if np.linalg.norm(right) < 1e-9:  # straight up or down: any horizontal right serves, so that +Z is the top
            right = np.array([np.sign(forward[1]), 0.0, 0.0])
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(right, forward), forward])

    def focal(self, height: int) -> float:
        """Pixels per unit of slope, for a picture of some height in pixels."""
        return 0.5 * height / np.tan(0.5 * self.field_of_view)

    def project(self, points: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (..., 2) from the upper left corner, and depths (...) along the view in metres."""
        width, height = size
        local = (points - self.position) @ self.axes.T
        depth = local[..., 2]
        scale = self.focal(height) / depth
        return np.stack([0.5 * width + local[..., 0] * scale, 0.5 * height - local[..., 1] * scale], -1), depth

    def moved(self, offset: np.ndarray) -> "ViewCamera":
        return replace(self, position=self.position + offset, target=self.target + offset)


def facing(skeleton: Skeleton, global_positions: np.ndarray) -> np.ndarray:
    """Where the body faces on the floor, unit (..., 3): across hips and shoulders, else the pose's longer way, +Z."""
    roles = skeleton.roles
    across = np.zeros((*global_positions.shape[:-2], 3))
    for limb in ("upper_leg", "upper_arm"):
        if f"left_{limb}" in roles and f"right_{limb}" in roles:
            across = across + global_positions[..., roles[f"left_{limb}"], :]
            across = across - global_positions[..., roles[f"right_{limb}"], :]
    forward = np.cross(across, UP)
    length = np.linalg.norm(forward, axis=-1, keepdims=True)
    safe = np.where(length > 1e-6, length, 1)  # lying on the side, or no roles: facing is undefined
    return np.where(length > 1e-6, forward / safe, np.array([0.0, 0.0, 1.0]))


def body_joints(skeleton: Skeleton, global_positions: np.ndarray) -> np.ndarray:
    """Positions (..., J, 3) without the ground root, which is not part of the body."""
    first = 1 if "root" in skeleton.roles and skeleton.joint_count > 1 else 0
    return global_positions[..., first:, :]


def body_points(skeleton: Skeleton, poses: np.ndarray) -> np.ndarray:
    """Joints of poses (N, J, 3) and the crown above the highest of each: bones end at joints, bodies go on."""
    points = body_joints(skeleton, poses)
    reach = np.linalg.norm(np.ptp(points[0], axis=0))
    crown = points[:, [int(np.argmax(points[0, :, 1]))]] + 0.08 * reach * UP
    return np.concatenate([points, crown], axis=1)


def frame_points(
    points: np.ndarray,
    direction: np.ndarray,
    *,
    size: tuple[int, int] = (640, 480),
    field_of_view: float = np.radians(30),
    margin: float = 0.12,
) -> ViewCamera:
    """The nearest camera looking along direction that sees all points (..., 3), with margin m around each of them."""
    points = np.reshape(points, (-1, 3)).astype(np.float64)
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    axes = ViewCamera(centre - direction, centre, field_of_view).axes
    x, y, z = ((points - centre) @ axes.T).T
    slope_y = np.tan(0.5 * field_of_view)
    slope_x = slope_y * size[0] / size[1]

    def fit(values: np.ndarray, slope: float) -> tuple[float, float]:
        """Shift and distance at which |values - shift| <= slope * (distance + z) just holds on both sides."""
        above = np.max((values + margin) / slope - z)
        below = np.max((margin - values) / slope - z)
        return slope * (above - below) / 2, (above + below) / 2

    (shift_x, distance_x), (shift_y, distance_y) = fit(x, slope_x), fit(y, slope_y)
    distance = max(distance_x, distance_y, margin - z.min())
    target = centre + shift_x * axes[0] + shift_y * axes[1]
    return ViewCamera(target - distance * axes[2], target, field_of_view)


def frame_clip(
    skeleton: Skeleton,
    global_positions: np.ndarray,
    *,
    size: tuple[int, int] = (640, 480),
    azimuth: float = np.radians(-40),
    elevation: float = np.radians(10),
    field_of_view: float = np.radians(30),
    margin: float = 0.15,
) -> ViewCamera:
    """A three-quarter view of a pose (J, 3) or of a whole clip (F, J, 3); azimuth 0 looks the body in the face."""
    poses = np.reshape(global_positions, (-1, skeleton.joint_count, 3))
    ways = facing(skeleton, poses)
    mean = ways.mean(axis=0)
    forward = mean if np.linalg.norm(mean) > 0.2 else ways[0]  # a clip that turns all the way round has no mean
    heading = yaw_angle(forward) + azimuth
    level = np.cos(elevation)
    direction = -np.array([np.sin(heading) * level, np.sin(elevation), np.cos(heading) * level])
    return frame_points(body_points(skeleton, poses), direction, size=size, field_of_view=field_of_view, margin=margin)


def follow(camera: ViewCamera, places: np.ndarray, *, frame_rate: float, smoothing: float = 1.2) -> list[ViewCamera]:
    """The camera of each frame: carried along with places (F, 3) on the floor, smoothed with a window in seconds.

    Straight pieces are fitted, so that a body that runs steadily from the first frame stays in the middle.
    """
    path = np.array(places, np.float64)
    path[:, 1] = 0
    smooth = savitzky_golay(path, seconds=smoothing, frame_rate=frame_rate, order=1)
    return [camera.moved(offset) for offset in smooth - path[0]]
