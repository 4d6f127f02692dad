"""The camera alone: joints of a body from its landmarks, so that it drives a character without any tracker."""

import numpy as np

from kinematch.avatar.calibration import DEFAULT_HEIGHT
from kinematch.avatar.trackers import HANDS, HEAD, POINTS, WAIST, Trackers
from kinematch.avatar.velocities import Poses, find_velocities
from kinematch.camera.alignment import find_pitch
from kinematch.camera.follower import find_steady
from kinematch.camera.landmarks import Landmarks
from kinematch.camera.one_euro import smooth_one_euro
from kinematch.camera.pose import CameraPose
from kinematch.camera.projection import FIELD_OF_VIEW, MIN_VISIBILITY, locate_bodies
from kinematch.errors import KinematchError
from kinematch.math import quaternion, rotation, smoothing

EARS_OFFSET = np.array([0.0, 0.06, 0.01])  # m, their middle from the head joint
HIPS_OFFSET = np.array([0.0, 0.06, 0.0])  # m, the hips joint from the middle of the hip landmarks
NOSE_SHARE = 0.92  # of the height of a person, to the nose
GLITCH_SECONDS = 0.14  # s before and after a picture, most of which must agree with it
TALLEST_SHARE = 0.9  # quantile of heights that gives the size


def find_joints(
    landmarks: Landmarks,
    *,
    height: float = DEFAULT_HEIGHT,
    field_of_view: float = FIELD_OF_VIEW,
    pitch: float | None = None,
) -> Trackers:
    """Head, wrists and waist of one body over time, as joints in a world with a floor and +Z towards the camera.

    Place and size come from the picture and the person's `height` (m); the pitch (rad) from how the person stands.
    """
    hips = locate_bodies(landmarks, field_of_view)
    bodies = landmarks.places + hips[:, None]
    good = np.isfinite(bodies[:, 0, 0]) & (
        landmarks.visibility[:, pick_pair(landmarks, "hip")].min(axis=1) > MIN_VISIBILITY
    )
    frames = np.flatnonzero(good)
    frames = frames[find_steady(hips[frames], landmarks.times[frames])]
    if len(frames) < 2:
        raise KinematchError(f"a body is seen in {len(frames)} of {len(good)} frames, expected at least two")
    bodies, visibility, times = bodies[frames], landmarks.visibility[frames], landmarks.times[frames]
    pose = find_stance(landmarks, bodies, visibility, height, pitch)
    # pictures in which the estimator fails come one to four in a row
    rate = 1 / max(float(np.median(np.diff(times))), 1e-3)
    world = smoothing.median(pose.to_world(bodies).reshape(len(times), -1), radius=GLITCH_SECONDS, frame_rate=rate)
    world = world.reshape(bodies.shape)
    # the body always stands on the floor: its distance is not known well enough for anything else
    lowest = smooth_one_euro(times, find_lowest(world, visibility)[:, None], slowest=1.0, beta=0.0)
    world[..., 1] -= lowest
    world -= np.median(world[:, pick_pair(landmarks, "hip")].mean(axis=1), axis=0) * [1, 0, 1]
    return find_velocities(find_poses(landmarks, smooth_one_euro(times, world), visibility, times - times[0]))


def pick_pair(landmarks: Landmarks, part: str) -> np.ndarray:
    return landmarks.find((f"left_{part}", f"right_{part}"))


def find_lowest(places: np.ndarray, visibility: np.ndarray) -> np.ndarray:
    """Heights (F,) of the lowest landmarks that are seen."""
    return np.where(visibility > MIN_VISIBILITY, places[..., 1], np.inf).min(axis=1)


def find_stance(
    landmarks: Landmarks, bodies: np.ndarray, visibility: np.ndarray, height: float, pitch: float | None
) -> CameraPose:
    """Pitch and scale of a camera that looks along -Z, from the frames in which the person is tallest."""
    nose = landmarks.find(("nose",))[0]
    if pitch is None:
        ups = bodies[:, pick_pair(landmarks, "hip")].mean(axis=1) - bodies[:, pick_pair(landmarks, "ankle")].mean(
            axis=1
        )
        seen = visibility[:, pick_pair(landmarks, "ankle")].min(axis=1) > MIN_VISIBILITY
        pitch = find_pitch(ups[seen]) if seen.any() else 0.0
    pose = CameraPose(np.pi, np.zeros(3), pitch)
    level = pose.level(bodies)
    tall = np.quantile(level[:, nose, 1] - find_lowest(level, visibility), TALLEST_SHARE)
    return CameraPose(np.pi, np.zeros(3), pitch, float(np.clip(NOSE_SHARE * height / max(tall, 0.1), 0.5, 2.0)))


def find_poses(landmarks: Landmarks, world: np.ndarray, visibility: np.ndarray, times: np.ndarray) -> Poses:
    """Head, wrists and waist of landmarks (F, K, 3) in the world; hands and hips are valid where they are seen."""

    def place(name: str) -> np.ndarray:
        return world[:, landmarks.find((name,))[0]]

    def is_seen(*names: str) -> np.ndarray:
        return visibility[:, landmarks.find(names)].min(axis=1) > MIN_VISIBILITY

    count = len(times)
    positions, turns = np.zeros((count, len(POINTS), 3)), quaternion.identity((count, len(POINTS)))
    valid = np.zeros((count, len(POINTS)), bool)
    ears = (place("left_ear") + place("right_ear")) / 2
    turns[:, HEAD] = _face(place("left_ear") - place("right_ear"), place("nose") - ears)
    positions[:, HEAD] = ears - quaternion.rotate(turns[:, HEAD], EARS_OFFSET)
    valid[:, HEAD] = True
    hips = place("left_hip") - place("right_hip")
    turns[:, WAIST] = _face(hips * [1, 0, 1], quaternion.cross(hips, np.array([0.0, 1.0, 0.0])))
    positions[:, WAIST] = (place("left_hip") + place("right_hip")) / 2 + HIPS_OFFSET
    valid[:, WAIST] = visibility[:, pick_pair(landmarks, "hip")].min(axis=1) > MIN_VISIBILITY
    for point, side, sign in zip(HANDS, ("left", "right"), (1.0, -1.0)):
        wrist, index, pinky = (place(f"{side}_{part}") for part in ("wrist", "index", "pinky"))
        turns[:, point] = _face(sign * ((index + pinky) / 2 - wrist), index - pinky)
        positions[:, point] = wrist
        valid[:, point] = is_seen(f"{side}_wrist")
    return Poses(times, positions, turns, valid)


def _face(left: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Rotations (F, 4) that take +X along `left` (F, 3) and +Z as near to `ahead` (F, 3) as that lets."""
    x = quaternion.unit(left, (1.0, 0.0, 0.0))
    y = quaternion.unit(quaternion.cross(ahead, x), (0.0, 1.0, 0.0))
    return rotation.from_matrix(np.stack([x, y, quaternion.cross(x, y)], axis=-1))
