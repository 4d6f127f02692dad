"""Excerpts: as much of a database as a recording needs to be shown, explained and gone on from, in a few megabytes."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.errors import KinematchError
from kinematch.studio.server.messages import Explain
from kinematch.studio.session.explaining import SEARCHED, explain
from kinematch.studio.session.history import Moment
from kinematch.studio.session.stage import Stage

SECONDS_BEFORE, SECONDS_AFTER = 0.3, 1.2  # s around a frame that was played
SHOWN = 1.0  # s from a frame that was compared, which a ghost shows
END = 0.4  # s at the end of a stretch that a search must have left
CANDIDATES = 8  # of each search that are kept
MOST_SEARCHES = 150  # whose candidates are kept, spread evenly
FINEST = {  # what poses are rounded to: 0.1 mm, and 1 mm/s
    "poses.positions": 2.0**-13,
    "poses.rotations": 2.0**-13,
    "poses.velocities": 2.0**-10,
    "poses.angular_velocities": 2.0**-9,
}
FAR_DEVIATIONS = 50.0  # standard deviations: features of what must not be chosen or stayed in
MAX_ARRAY_BYTES = 1 << 32  # bytes of an array that was squeezed


def thin_database(arrays: dict[str, np.ndarray], stage: Stage, moments: Sequence[Moment]) -> dict[str, np.ndarray]:
    """The arrays of a database with one row repeated in place of what the moments do not need."""
    poses = stage.database.poses
    if "poses.rotations" not in arrays or "features.values" not in arrays:
        return arrays  # packed: small as it is
    kept = _find_kept(stage, moments)
    if kept.all():
        return arrays
    first, out = int(np.argmax(kept)), dict(arrays)
    for name, array in arrays.items():
        if len(array.shape) and len(array) == poses.frame_count:
            out[name] = np.where(kept.reshape(-1, *[1] * (array.ndim - 1)), array, array[first])
    for name, step in FINEST.items():
        out[name] = np.round(out[name] / step) * step
    ends = _find_ends(kept, poses.clip_stops, round(END * poses.frame_rate))
    out["features.targets"] = arrays["features.targets"] & kept & ~ends
    out["features.values"] = arrays["features.values"].copy()
    out["features.values"][~kept] = arrays["features.values"][first]
    schema = stage.database.features.schema  # queries take the playing frame's other columns from here
    ahead = [schema.columns[feature.name] for feature in schema.features if feature.group != "pose"]
    for columns in ahead:
        out["features.values"][~kept | ends, columns] = FAR_DEVIATIONS
    return {name: array.astype(arrays[name].dtype, copy=False) for name, array in out.items()}


def _find_kept(stage: Stage, moments: Sequence[Moment]) -> np.ndarray:
    """Frames (F,) that were played or compared, with some time around them, within their clips."""
    poses, kept = stage.database.poses, np.zeros(stage.database.poses.frame_count, bool)
    before, after, shown = (round(seconds * poses.frame_rate) for seconds in (SECONDS_BEFORE, SECONDS_AFTER, SHOWN))

    def keep(frame: int, back: int, on: int) -> None:
        clip = int(poses.clip_of(frame))
        kept[max(frame - back, int(poses.clip_starts[clip])) : min(frame + on, int(poses.clip_stops[clip]))] = True

    played = np.unique(np.concatenate([moment.picture.arrays["frames"] for moment in moments]))
    for frame in played[played >= 0].tolist():
        keep(frame, before, after)
    searches = [one.step for one in moments if one.states and int(one.picture.arrays["bits"][0]) & SEARCHED]
    for step in searches[:: -(-len(searches) // MOST_SEARCHES) or 1]:
        found = explain(stage, Explain(step, count=CANDIDATES))
        for candidate in [*found.candidates, *([found.staying] if found.staying else [])]:
            keep(candidate.frame, 1, shown)
    return kept


def _find_ends(kept: np.ndarray, stops: np.ndarray, length: int) -> np.ndarray:
    """The last frames of each stretch that is kept, where its clip goes on."""
    ends = np.zeros(len(kept), bool)
    for last in np.flatnonzero(kept[:-1] & ~kept[1:]).tolist():
        if last + 1 not in stops:
            ends[max(last + 1 - length, 0) : last + 1] = True
    return ends & kept


def squeeze(arrays: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Each array compressed, and what it takes to get it back. Bytes of one place in a number stand together."""
    out, about = {}, {}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
        out[name] = np.frombuffer(zlib.compress(data.tobytes(), 6), np.uint8)
        about[name] = [array.dtype.str, list(array.shape)]
    return out, about


def unsqueeze(arrays: dict[str, np.ndarray], about: dict[str, Any]) -> dict[str, np.ndarray]:
    """The arrays as they were; sizes are checked before anything is unpacked."""
    out = {}
    for name, array in arrays.items():
        kind, shape = about[name]
        dtype, size = np.dtype(str(kind)), int(np.prod([int(n) for n in shape], dtype=np.int64))
        if dtype.kind not in "biuf" or min(shape, default=0) < 0 or size * dtype.itemsize > MAX_ARRAY_BYTES:
            raise KinematchError(f"its array {name} has shape {shape} of {dtype}")
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(array.tobytes(), size * dtype.itemsize + 1)
        if len(data) != size * dtype.itemsize:
            raise KinematchError(f"its array {name} has {len(data)} bytes")
        columns = np.frombuffer(data, np.uint8).reshape(dtype.itemsize, -1)
        out[name] = np.ascontiguousarray(columns.T).reshape(-1).view(dtype).reshape(shape)
    return out
