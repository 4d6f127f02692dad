"""A simulated camera: the landmarks that a pose estimator would have found in pictures of a clip."""

from dataclasses import dataclass

import numpy as np

from kinematch.avatar.body_frames import find_point_joints, to_body_rotations
from kinematch.avatar.trackers import HANDS, HEAD
from kinematch.camera.landmarks import NAMES, Landmarks, find_mirror
from kinematch.camera.projection import FIELD_OF_VIEW, project
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip
from kinematch.motion.heading import facing_yaws

# m from the joint, in the axes of a body that faces +Z; those of the left side, x changes sign for the right one
FACE_OFFSETS = {"nose": (0.0, 0.05, 0.12), "eye_inner": (0.015, 0.08, 0.105), "eye": (0.03, 0.08, 0.1),
        "eye_outer": (0.045, 0.08, 0.09), "ear": (0.075, 0.06, 0.01), "mouth": (0.025, 0.01, 0.1)}  # fmt: skip
HAND_OFFSETS = {"pinky": (0.08, -0.01, -0.035), "index": (0.09, -0.01, 0.03), "thumb": (0.05, -0.015, 0.05)}
HEEL_OFFSET, FOOT_INDEX_OFFSET = (0.0, -0.07, -0.05), (0.0, -0.07, 0.15)
JOINT_ROLES = {"shoulder": "upper_arm", "elbow": "lower_arm", "wrist": "hand", "hip": "upper_leg", "knee": "lower_leg",
          "ankle": "foot"}  # fmt: skip


@dataclass(frozen=True)
class SimulatedCamera:
    """Where a camera stands, and what it sees."""

    position: tuple[float, float, float] = (0.0, 1.0, 3.0)  # m
    yaw: float = np.pi  # rad, where it looks: from +Z towards +X
    pitch: float = 0.0  # rad, downwards
    field_of_view: float = FIELD_OF_VIEW  # rad across the picture
    aspect: float = 4 / 3
    rate: float = 20.0  # pictures a second
    lag: float = 0.1  # s from the picture to its landmarks


@dataclass(frozen=True)
class Noise:
    """What a pose estimator adds to the truth. Fixed so that the hips' direction by the camera alone is off by about
    9 degrees, and 21 degrees in one frame of ten, as in the recording of Fletcher et al. (docs/camera.md)."""

    lateral: float = 0.007  # m across the line of sight, for a body 3 m away
    depth: float = 0.016  # m along it
    correlation: float = 0.25  # s, over which errors persist
    spells: float = 1.0  # by how much (as a logarithm, standard deviation) spells of pictures are better or worse
    spell_length: float = 1.5  # s
    hidden: float = 2.0  # times that, for landmarks behind the body or outside the picture
    scale: float = 0.93  # size of the estimated body
    swaps: float = 0.12  # times a second that left and right are taken for each other while a body faces away
    swap_length: float = 0.4  # s, on average
    dropped: float = 0.02  # share of pictures without a detection


def simulate_camera(
    clip: Clip,
    camera: SimulatedCamera,
    rng: np.random.Generator,
    *,
    noise: Noise | None = None,
    head_rotations: np.ndarray | None = None,
) -> Landmarks:
    """What a camera sees of a clip, stamped with the times at which it is known: `camera.lag` after each picture.

    `head_rotations` (F, 4): of the head joint since the T-pose, if it does not look where the clip's does.
    """
    noise = Noise() if noise is None else noise
    if clip.skeleton.tpose is None:
        raise KinematchError("the skeleton has no T-pose; a camera needs a humanoid")
    every = clip.frame_rate / camera.rate
    frames = np.unique(np.minimum(np.round(np.arange(0, len(clip.positions), every)), len(clip.positions) - 1)).astype(
        int
    )
    world, facing = find_landmark_places(clip, frames, head_rotations)
    toward = np.arctan2(camera.position[0] - world[:, NAMES.index("left_hip"), 0],
                        camera.position[2] - world[:, NAMES.index("left_hip"), 2])  # fmt: skip
    away = np.abs(wrap_angle(facing - toward))  # 0: faces the camera
    seen = to_camera(world, camera)
    image = project(seen, camera.field_of_view, camera.aspect)
    visibility = _judge_visibility(seen, image, away)
    dt = 1 / camera.rate
    distances = np.linalg.norm(seen.mean(axis=1), axis=-1)[:, None, None]
    errors = _make_errors(seen.shape, noise.correlation, dt, rng)
    errors *= np.exp(noise.spells * _make_errors((len(frames), 1, 1), noise.spell_length, dt, rng))
    errors *= np.where(visibility < 0.5, noise.hidden, 1.0)[..., None]
    errors *= np.concatenate([np.full_like(distances, noise.lateral) * np.maximum(distances / 3, 0.5)] * 2
                             + [np.full_like(distances, noise.depth)], axis=-1)  # fmt: skip
    found = seen + errors
    middle = found[:, [NAMES.index("left_hip"), NAMES.index("right_hip")]].mean(axis=1, keepdims=True)
    places = (found - middle) * noise.scale
    # in the picture only the error across the line of sight shows
    image = project(seen + errors * [1, 1, 0], camera.field_of_view, camera.aspect)
    swapped = _choose_swaps(away, noise, dt, rng)
    mirror = find_mirror(NAMES)
    places, image = (np.where(swapped[:, None, None], a[:, mirror], a) for a in (places, image))
    visibility = np.where(swapped[:, None], visibility[:, mirror], visibility)
    visibility[rng.random(len(frames)) < noise.dropped] = 0.0
    visibility[(visibility > 0.5).sum(axis=1) < 6] = 0.0  # too little of a body to be found
    return Landmarks(frames / clip.frame_rate + camera.lag, places, image, visibility, camera.aspect)


def find_landmark_places(
    clip: Clip, frames: np.ndarray, head_rotations: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The true places (F, 33, 3) m in the world at some frames, and where the hips face (F,) rad."""
    roles, points = clip.skeleton.roles, find_point_joints(clip.skeleton)
    positions, rotations = (array[frames].astype(np.float64) for array in kinematics.global_pose(clip))

    def turn(joint: int) -> np.ndarray:
        return to_body_rotations(clip.skeleton, np.array([joint]), rotations[:, [joint]])[:, 0]

    def offset(joint: int, turns: np.ndarray, away: tuple[float, float, float], sign: float = 1.0) -> np.ndarray:
        return positions[:, joint] + quaternion.rotate(turns, np.array(away) * [sign, 1, 1])

    head = points[HEAD]
    gaze = turn(head) if head_rotations is None else head_rotations[frames]
    found = {"nose": offset(head, gaze, FACE_OFFSETS["nose"])}
    for side, sign, hand in (("left", 1.0, points[HANDS[0]]), ("right", -1.0, points[HANDS[1]])):
        for part in ("eye_inner", "eye", "eye_outer", "ear"):
            found[f"{side}_{part}"] = offset(head, gaze, FACE_OFFSETS[part], sign)
        found[f"mouth_{side}"] = offset(head, gaze, FACE_OFFSETS["mouth"], sign)
        for name, role in JOINT_ROLES.items():
            found[f"{side}_{name}"] = positions[:, roles[f"{side}_{role}"]]
        for part, away in HAND_OFFSETS.items():
            found[f"{side}_{part}"] = offset(hand, turn(hand), away, sign)
        foot = roles[f"{side}_foot"]
        found[f"{side}_heel"] = offset(foot, turn(foot), HEEL_OFFSET)
        found[f"{side}_foot_index"] = offset(foot, turn(foot), FOOT_INDEX_OFFSET)
    return np.stack([found[name] for name in NAMES], axis=1), facing_yaws(turn(roles["hips"]))


def to_camera(world: np.ndarray, camera: SimulatedCamera) -> np.ndarray:
    """World places (..., 3) in the axes of a camera."""
    level = rotate_about_y(world - np.array(camera.position), -camera.yaw)
    return quaternion.rotate(rotation.from_axis_angle(np.array([1.0, 0.0, 0.0]), -camera.pitch), level)


def _judge_visibility(seen: np.ndarray, image: np.ndarray, away: np.ndarray) -> np.ndarray:
    """(F, 33): low outside the picture, lower for the side of the body that is turned from the camera, and for a face
    that is seen from behind."""
    inside = ((image > 0) & (image < 1)).all(axis=-1) & (seen[..., 2] > 0.2)
    trunk = seen[:, [NAMES.index(name) for name in ("left_shoulder", "right_shoulder", "left_hip", "right_hip")], 2]
    behind = seen[..., 2] - trunk.mean(axis=1)[:, None]  # m behind the middle of the trunk
    visibility = np.clip(1.05 - 2.5 * np.maximum(behind, 0.0), 0.4, 0.99)
    visibility[:, :11] *= np.clip(1.6 - away[:, None] / np.radians(100), 0.1, 1.0)
    return np.where(inside, visibility, 0.05)


def _make_errors(shape: tuple[int, ...], correlation: float, dt: float, rng: np.random.Generator) -> np.ndarray:
    """Noise of unit variance that forgets itself over a time."""
    keep = np.exp(-dt / correlation)
    fresh = rng.normal(size=shape)
    errors = np.empty(shape)
    errors[:1] = fresh[:1]
    for frame in range(1, shape[0]):
        errors[frame] = keep * errors[frame - 1] + np.sqrt(1 - keep * keep) * fresh[frame]
    return errors


def _choose_swaps(away: np.ndarray, noise: Noise, dt: float, rng: np.random.Generator) -> np.ndarray:
    """(F,) whether left and right are exchanged: now and then, while a body faces away."""
    swapped = np.zeros(len(away), bool)
    for start in np.flatnonzero((away > np.radians(120)) & (rng.random(len(away)) < noise.swaps * dt)):
        swapped[start : start + max(1, round(rng.exponential(noise.swap_length) / dt))] = True
    return swapped
