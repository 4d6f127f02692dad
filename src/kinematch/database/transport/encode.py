"""A database in its transport form: each clip in the largest steps that keep an error bound, checked on every frame."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinematch.database.feature_database import FeatureDatabase
from kinematch.database.packing.bodies import measure_distances, place_points
from kinematch.database.packing.mirrors import pair_names
from kinematch.database.packing.pack import check_upright, measure_errors, read_root_heights
from kinematch.database.packing.poses import PackedPoses, list_clips
from kinematch.database.packing.small import find_runs, pack_flags
from kinematch.database.poses import PoseDatabase
from kinematch.database.transport.channels import SharedSkeleton, find_centres, from_channels, to_channels
from kinematch.database.transport.curves import encode_curves, list_sizes
from kinematch.database.transport.decode import decode_poses, mirror_clip
from kinematch.database.transport.symbols import compress, write_numbers
from kinematch.errors import KinematchError
from kinematch.motion.rig import find_moving
from kinematch.threads import run_each

ERROR = 1e-3  # m
LIMITS = (1e-4, 0.1)  # m, of the bound
SHARES = (0.02, 6.0)  # of the bound that a joint's step may move the end of its chain by
ROUNDS = 8  # of the search for the largest share
ROUNDING = 2e-5  # m that float32 adds, to mirror images more than to other clips
CLOSER = 0.98  # of its steps with which a clip is tried again that float32 took over the edge
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Transport:
    arrays: dict[str, np.ndarray]  # of a file, see decode
    errors: np.ndarray  # (F,) m, the largest distance at a joint or end of a chain, on every frame
    root_error: float  # m, the farthest that a root is from where it was
    mirrored: int  # clips that are stored as a flag


@dataclass(eq=False)
class _Clip:
    """A clip while its steps are searched."""

    share: float
    centres: np.ndarray  # (J - 1, 4) int8
    levels: list[np.ndarray]


def encode_database(
    poses: PoseDatabase, features: FeatureDatabase, error: float = ERROR, *, progress: Progress = lambda *_: None
) -> Transport:
    """Poses within `error` in metres at every joint and end of a chain, seen from the root, on every frame."""
    least, most = LIMITS
    if not least <= error <= most:
        raise KinematchError(f"an error of {error:g} m, expected {least:g} to {most:g}")
    if isinstance(poses, PackedPoses):
        raise KinematchError("the database is packed already; take the one it was made of")
    check_upright(poses)
    if read_root_heights(poses) is not None:
        raise KinematchError("the root leaves the ground, as in actions: `--transport` stores ground roots only")
    body = SharedSkeleton(
        poses.skeleton, find_moving(poses.skeleton, poses.positions), np.array(poses.positions[0], np.float32)
    )
    originals = find_originals(poses)
    stored, done = [int(c) for c in np.flatnonzero(originals < 0)], [0]
    clips: dict[int, _Clip] = {}

    def fill(c: int) -> None:
        clips[c] = _fit_clip(body, poses, c, error)
        done[0] += 1
        progress(done[0], len(stored))

    run_each(stored, fill)
    while True:
        arrays = _write(body, poses, features, originals, clips) | {"transport.error": np.array([error])}
        opened, _ = decode_poses(
            arrays, poses.skeleton, poses.frame_rate, list_clips(poses),
            {"J": poses.skeleton.joint_count, "C": poses.clip_count}, contact_joints=poses.contact_joints,
            tag_names=poses.tags.names,
        )  # fmt: skip
        errors = measure_errors(poses, opened)
        missed = np.unique(poses.clip_of(np.flatnonzero(errors > error)))
        if not len(missed):
            moved = np.linalg.norm(opened.positions[:, 0] - poses.positions[:, 0], axis=-1)
            return Transport(arrays, errors, float(moved.max()), int((originals >= 0).sum()))
        for c in missed.tolist():
            if originals[c] >= 0:  # not the mirror image it was taken for
                originals[c] = -1
                fill(c)
            else:
                clips[c] = _encode_clip(body, poses, c, CLOSER * clips[c].share, error)[0]


def find_originals(poses: PoseDatabase) -> np.ndarray:
    """The clip (C,) that each is the mirror image of; -1 for those that are none."""
    out = pair_names(poses)
    for c in np.flatnonzero(out >= 0).tolist():
        own = poses.clip_frames(c)
        image = mirror_clip(poses.clip(int(out[c])))
        there = place_points(poses.skeleton, image.positions, image.rotations)
        here = place_points(poses.skeleton, poses.positions[own], poses.rotations[own])
        apart = np.abs(image.positions[:, 0] - poses.positions[own, 0]).max()
        if max(measure_distances(here, there).max(), apart) > ROUNDING:
            out[c] = -1
    return out


def _fit_clip(body: SharedSkeleton, poses: PoseDatabase, c: int, error: float) -> _Clip:
    """With the largest steps within the bound."""
    low, high = np.log(SHARES)
    best, worst = _encode_clip(body, poses, c, SHARES[0], error)
    if worst > error:
        raise KinematchError(f"clip {poses.clip_names[c]!r} cannot be stored within {error:g} m: {worst:g} m at best")
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        tried, worst = _encode_clip(body, poses, c, float(np.exp(middle)), error)
        if worst <= error - min(ROUNDING, error / 10):
            low, best = middle, tried
        else:
            high = middle
    return best


def _encode_clip(body: SharedSkeleton, poses: PoseDatabase, c: int, share: float, error: float) -> tuple[_Clip, float]:
    """A clip in steps of a share of the bound, and its largest error."""
    own, share = poses.clip_frames(c), float(np.float32(share))
    positions, rotations = poses.positions[own], poses.rotations[own]
    centres = find_centres(rotations)
    levels, back = encode_curves(to_channels(body, positions, rotations, centres), body.make_steps(share * error))
    points = place_points(body.skeleton, *from_channels(body, back, centres))
    worst = measure_distances(points, place_points(body.skeleton, positions, rotations)).max()
    return _Clip(share, centres, levels), float(worst)


def _write(
    body: SharedSkeleton, poses: PoseDatabase, features: FeatureDatabase, originals: np.ndarray, clips: dict[int, _Clip]
) -> dict[str, np.ndarray]:
    """Numbers by level, clip and channel, so that like stands beside like."""
    stored = [clips[int(c)] for c in np.flatnonzero(originals < 0)]
    parts = []
    for level in range(len(list_sizes(1))):
        for clip in stored:
            numbers = clip.levels[level]
            parts.append((np.diff(numbers, axis=0, prepend=0) if level == 0 else numbers).T.reshape(-1))
    small, large = write_numbers(np.concatenate(parts))
    flags = np.column_stack([poses.contacts, poses.no_entry, poses.no_exit, features.targets, poses.tags.frames])
    starts, factors = find_runs(poses.cost_factor)
    return {
        "transport.small": small, "transport.large": large, "transport.originals": originals.copy(),
        "transport.shares": np.array([clip.share for clip in stored], np.float32),
        "transport.centres": np.stack([clip.centres for clip in stored]).view(np.uint8),
        "transport.flags": compress(np.ascontiguousarray(pack_flags(flags.T)).tobytes()),
        "transport.factor_starts": starts, "transport.factors": factors,
        "transport.moving": body.moving, "transport.rest": body.rest,
    }  # fmt: skip
