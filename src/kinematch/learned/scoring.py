"""Scores of a model against the database it was made from, in physical units."""

import hashlib
from typing import Any

import numpy as np

from kinematch.character.settings import Settings
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.learned.model import Model
from kinematch.learned.source import LearnedSource
from kinematch.math import quaternion
from kinematch.motion.kinematics import forward
from kinematch.search import WideMatcher, search_space

MAX_SAMPLES = 4000  # frames, windows or queries of each score
RUN_FRAMES = (10, 20, 60)  # frames
CENTIMETRES_PER_METRE = 100.0


def find_digest(database: Database) -> str:
    """By which a database is known again: of its features."""
    return hashlib.sha256(np.ascontiguousarray(database.features.values).data).hexdigest()


def check_same_body(model: Model, database: Database) -> None:
    """Refuse a database that the model cannot be compared with."""
    difference = model.skeleton.difference(database.skeleton)
    if difference:
        raise KinematchError(f"the model has another skeleton than the database: {difference}")
    if model.schema != database.features.schema:
        raise KinematchError("the model has other features than the database")


def find_joints(source: LearnedSource, frames: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Joints (M, J, 3) m in the root's frame of features and latents (M, D + Z), and all that was decoded."""
    found = source.decode_frames(np.ascontiguousarray(frames, np.float32))
    positions = np.repeat(source.rest[None].astype(np.float32), len(frames), axis=0)
    positions[:, source.model.moving] = found["places"]
    return forward(source.skeleton, positions, found["rotations"])[0], found


def find_true_joints(database: Database, frames: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
    """Joints (M, J, 3) m in the root's frame of a database's frames, and their local rotations."""
    poses = database.poses
    positions, rotations = np.array(poses.positions[frames]), np.array(poses.rotations[frames])
    positions[:, 0], rotations[:, 0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    return forward(poses.skeleton, positions, rotations)[0].astype(np.float32, copy=False), rotations


def measure_distance(joints: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """cm (M, J - 1) between joints, without the root."""
    return CENTIMETRES_PER_METRE * np.linalg.norm(joints - truth, axis=-1)[:, 1:]


def score_reconstruction(
    source: LearnedSource, database: Database, both: np.ndarray, frames: np.ndarray, name: str
) -> dict[str, float]:
    """Distances of decoded from recorded poses; `both` (M, D + Z) are features and latents of frames (M,)."""
    joints, found = find_joints(source, both)
    truth, rotations = find_true_joints(database, frames)
    distance = measure_distance(joints, truth)
    angles = np.degrees(quaternion.angle(found["rotations"], rotations))[:, 1:]
    stands = (found["contacts"] > 0.5) == database.poses.contacts[frames]
    return {
        f"{name}_mean": float(distance.mean()), f"{name}_p95": float(np.percentile(distance, 95)),
        f"{name}_degrees": float(angles.mean()), f"{name}_contacts": float(stands.mean()),
    }  # fmt: skip


def score_runs(
    source: LearnedSource, database: Database, both: np.ndarray, windows: np.ndarray, name: str
) -> dict[str, float]:
    """How far free runs are from their clips, and how fast toes slide that should stand, against the clips' own.

    `both` (F, D + Z) are features and latents of all frames, windows (W,) first frames with room for the longest run.
    """
    scores: dict[str, float] = {}
    now = both[windows]
    contact_joints, rate = database.poses.contact_joints, source.frame_rate
    slides, before = [], find_joints(source, now)
    for frame in range(1, max(RUN_FRAMES) + 1):
        now = source.step_frames(now)
        after = find_joints(source, now)
        if frame <= min(RUN_FRAMES):
            slides.append(_measure_slides(before, after, contact_joints, rate))
        if frame in RUN_FRAMES:
            truth, _ = find_true_joints(database, windows + frame)
            scores[f"{name}_{frame}"] = float(measure_distance(after[0], truth).mean())
        before = after
    scores[f"{name}_toe_speed"] = float(np.concatenate(slides).mean()) if slides else 0.0
    return scores


def score_true_slides(database: Database, windows: np.ndarray) -> float:
    """cm/s that toes slide in the database itself while they stand."""
    poses = database.poses
    pairs = [find_true_joints(database, windows + step)[0] for step in (0, 1)]
    speeds = poses.velocities[windows, 0]
    back = quaternion.inverse(poses.rotations[windows, 0])
    roots = np.column_stack([quaternion.rotate(back, speeds)[:, ::2], poses.angular_velocities[windows, 0, 1]])
    given = [
        (joints, {"contacts": poses.contacts[windows + step], "roots": roots}) for step, joints in enumerate(pairs)
    ]
    slides = _measure_slides(given[0], given[1], poses.contact_joints, poses.frame_rate)
    return float(slides.mean()) if len(slides) else 0.0


Decoded = tuple[np.ndarray, dict[str, Any]]  # places of joints (N, J, 3) m, and what else the decoder gives


def _measure_slides(before: Decoded, after: Decoded, contact_joints: np.ndarray, rate: float) -> np.ndarray:
    """cm/s over the ground of contact joints that stand in both of two frames in a row."""
    (joints, found), (later, then) = before, after
    x, z, turn = (found["roots"].astype(np.float64) / rate).T[..., None]
    toes, next_toes = joints[:, contact_joints].astype(np.float64), later[:, contact_joints].astype(np.float64)
    # the next frame's toes in the axes of this one's root
    moved_x = x + np.cos(turn) * next_toes[..., 0] + np.sin(turn) * next_toes[..., 2] - toes[..., 0]
    moved_z = z - np.sin(turn) * next_toes[..., 0] + np.cos(turn) * next_toes[..., 2] - toes[..., 2]
    stands = (found["contacts"] > 0.5) & (then["contacts"] > 0.5)
    return CENTIMETRES_PER_METRE * rate * np.hypot(moved_x, moved_z)[stands]


def score_projection(
    source: LearnedSource, database: Database, rng: np.random.Generator, count: int = 1500
) -> dict[str, float]:
    """Queries as characters under a stick make them: the pose of one frame, the trajectory of another.

    The pose that is gone on from is compared with exact search's, and with the database's nearest of all.
    """
    features = database.features
    allowed = np.flatnonzero(features.targets)
    poses_of, paths_of = rng.choice(allowed, (2, count))
    queries = np.array(features.values[poses_of])
    for feature, columns in zip(source.schema.features, source.schema.columns.values()):
        if feature.group == "trajectory":  # half way to the other, as a command has just begun to bend the path
            queries[:, columns] = 0.5 * (queries[:, columns] + features.values[paths_of, columns])
    exact = WideMatcher(search_space(database)).find(queries, filter=database.filter, ignore=0)
    targets, costs = source.projector.project(queries, Settings())
    joints, _ = find_joints(source, targets)
    truth, _ = find_true_joints(database, exact.frames)
    nearest = _find_nearest(database, joints, allowed)
    return {
        "project_exact": float(measure_distance(joints, truth).mean()),
        "project_nearest": float(nearest.mean()),
        "project_cost": float(costs.mean() / max(exact.costs.mean(), 1e-9)),
    }


def _find_nearest(database: Database, joints: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """cm (M,), mean over joints, to the nearest of the database's poses; of those looked at."""
    some = allowed[:: max(1, len(allowed) // 20000)]
    truth = np.concatenate([find_true_joints(database, part)[0] for part in np.array_split(some, 8)])
    flat, own = truth[:, 1:].reshape(len(truth), -1), joints[:, 1:].reshape(len(joints), -1).astype(np.float32)
    squares = (flat**2).sum(axis=1)
    found = np.empty(len(own))
    for row, pose in enumerate(own):  # the nearest by squares is the nearest by distance but for ties
        near = np.argpartition(squares - 2 * flat @ pose, 4)[:4]
        found[row] = measure_distance(np.repeat(joints[row : row + 1], 4, axis=0), truth[near]).mean(axis=1).min()
    return found
