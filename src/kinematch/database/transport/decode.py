"""A database back from its transport form: nothing that a file says is trusted before it is checked."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from kinematch.database.file_checks import Sizes, check_arrays
from kinematch.database.file_table import TRANSPORT
from kinematch.database.packing.mirrors import check_moving, check_originals
from kinematch.database.packing.poses import ClipTable
from kinematch.database.packing.small import check_runs, read_runs
from kinematch.database.poses import ClipEntry, PoseDatabase, build_poses, check_clips
from kinematch.database.tags import Tags
from kinematch.database.transport.channels import SharedSkeleton, from_channels
from kinematch.database.transport.curves import decode_curves, list_sizes
from kinematch.database.transport.symbols import decompress, read_numbers
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clean.mirror import mirror
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton

MOST_TIMES, FREE = 1000, 64_000_000  # times the bytes of a file, and bytes besides, that its poses may take
FLOATS = 13  # of a joint in a frame: place, rotation and their velocities
MAX_VALUE = 1e6  # m and rad
Progress = Callable[[int, int], None]


def decode_poses(
    arrays: Mapping[str, np.ndarray], skeleton: Skeleton, frame_rate: float, clips: ClipTable, sizes: Sizes, *,
    contact_joints: np.ndarray, tag_names: tuple[str, ...], progress: Progress = lambda *_: None,
) -> tuple[PoseDatabase, np.ndarray]:  # fmt: skip
    """Poses with all that is recomputed, and which frames (F,) a search may jump to."""
    own = {name.removeprefix("transport."): array for name, array in arrays.items() if name.startswith("transport.")}
    frames = sizes["F"] = int(clips.stops[-1])
    check_arrays(arrays, TRANSPORT, sizes)
    _check(own, clips, sizes)
    body = SharedSkeleton(skeleton, own["moving"], own["rest"])
    kinds = [len(contact_joints), 1, 1, 1, len(tag_names)]
    flags = _read_flags(own["flags"], sum(kinds), frames)
    contacts, no_entry, no_exit, targets, tags = np.split(flags, np.cumsum(kinds)[:-1], axis=1)
    made = _decode_clips(own, body, frame_rate, clips, progress)
    entries = [_make_entry(clip, contacts, clips, c) for c, clip in enumerate(made)]
    poses = replace(
        build_poses(entries, contact_joints), tags=Tags(tag_names, tags), no_entry=no_entry[:, 0],
        no_exit=no_exit[:, 0], cost_factor=read_runs(own["factor_starts"], own["factors"], np.arange(frames)),
        loop_positions=clips.loop_positions, loop_rotations=clips.loop_rotations,
    )  # fmt: skip
    return poses, targets[:, 0]


def mirror_clip(clip: Clip) -> Clip:
    """As a recipe mirrors it."""
    return mirror(clip)


def _check(own: Mapping[str, np.ndarray], clips: ClipTable, sizes: Sizes) -> None:
    """Raise where numbers do not fit each other, or a small file would take much memory."""
    frames, stored, size = sizes["F"], int((own["originals"] < 0).sum()), sum(array.nbytes for array in own.values())
    check_clips(clips.starts, clips.stops, frames)
    if frames * sizes["J"] * FLOATS * 4 > FREE + MOST_TIMES * size:
        raise KinematchError(f"{size} bytes cannot hold the {frames} frames that they are said to hold")
    if sizes["N"] != stored:
        raise KinematchError(f"{sizes['N']} clips are stored, expected {stored}")
    check_moving(own["moving"])
    check_runs(own["factor_starts"])
    check_originals(own["originals"], np.diff(clips.stops, prepend=0))


def _read_flags(data: np.ndarray, count: int, frames: int) -> np.ndarray:
    """Flags (F, N) bool."""
    row = -(-frames // 8)
    bits = decompress(data, count * row).reshape(count, row)
    return np.ascontiguousarray(np.unpackbits(bits, axis=1, bitorder="little")[:, :frames].T.astype(bool))


def _decode_clips(
    own: Mapping[str, np.ndarray], body: SharedSkeleton, frame_rate: float, clips: ClipTable, progress: Progress
) -> list[Clip]:
    """All clips in order; mirror images are made of what they mirror."""
    lengths, originals = np.diff(clips.stops, prepend=0).tolist(), own["originals"].tolist()
    stored = [c for c, original in enumerate(originals) if original < 0]
    width = body.channel_count
    sizes = np.array([list_sizes(lengths[c]) for c in stored], np.int64)  # (stored, levels)
    ends = np.cumsum(sizes.T.reshape(-1) * width).reshape(sizes.T.shape)  # numbers stand by level, then by clip
    numbers = read_numbers(own["small"], own["large"], int(ends[-1, -1]))
    made: dict[int, Clip] = {}
    for n, c in enumerate(stored):
        levels = [
            numbers[ends[level, n] - size * width : ends[level, n]].reshape(width, size).T.astype(np.float64)
            for level, size in enumerate(sizes[n].tolist())
        ]
        levels[0] = np.cumsum(levels[0], axis=0)
        steps = body.make_steps(float(own["shares"][n]) * float(own["error"][0]))
        curves = decode_curves(levels, steps, lengths[c])
        if not (np.abs(curves) < MAX_VALUE).all():
            raise KinematchError(f"clip {clips.names[c]!r} has values that are no motion")
        positions, rotations = from_channels(body, curves, own["centres"][n].view(np.int8))
        made[c] = Clip(body.skeleton, positions, rotations, frame_rate, clips.names[c])
        progress(n + 1, len(stored))
    for c, original in enumerate(originals):
        if original >= 0:
            made[c] = mirror_clip(made[original]).with_(name=clips.names[c])
    return [made[c] for c in range(len(originals))]


def _make_entry(clip: Clip, contacts: np.ndarray, clips: ClipTable, c: int) -> ClipEntry:
    """A looping clip gets its first pose again at the end, where the next round begins."""
    stands = contacts[clips.starts[c] : clips.stops[c]]
    if not clips.loops[c]:
        return ClipEntry(clip, stands)
    place, turn = clip.positions[:1].copy(), clip.rotations[:1].copy()
    place[0, 0] += quaternion.rotate(turn[0, 0], clips.loop_positions[c])
    turn[0, 0] = quaternion.multiply(turn[0, 0], clips.loop_rotations[c])
    closed = clip.with_(
        positions=np.concatenate([clip.positions, place]), rotations=np.concatenate([clip.rotations, turn])
    )
    return ClipEntry(closed, np.concatenate([stands, stands[:1]]), loop=True)
