"""Packed databases as arrays of a file, and back: nothing that a file says is trusted before it is checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinematch.database.file_checks import Sizes, check_arrays
from kinematch.database.file_table import PACKED
from kinematch.database.packing.bits import make_heads, measure_segments
from kinematch.database.packing.field_kernels import KIND_SHIFT, MOST_WIDTH, SHIFTS, SIZE, WIDTHS
from kinematch.database.packing.frames import make_frames
from kinematch.database.packing.layout import (
    HEAD,
    LANES,
    RANGES,
    STORED,
    STRIDES,
    TAPS,
    UNIT,
    Pack,
    count_channels,
    count_knots,
    cut_clips,
    empty_pack,
    find_blocks,
    find_weights,
)
from kinematch.database.packing.mirrors import Mirror, check_mirror, check_moving, check_originals, lay_out
from kinematch.database.packing.poses import ClipTable, Marks, PackedPoses, open_poses
from kinematch.database.packing.small import check_runs
from kinematch.database.poses import check_clips
from kinematch.errors import KinematchError
from kinematch.motion.skeleton import Skeleton

MARKS = ("bits", "factor_starts", "factors")
LAYOUT = 2  # of segments; files that do not name it have the first


def to_packed_arrays(poses: PackedPoses) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What a packed database adds to a file: arrays, and plain values."""
    arrays = {f"packed.{name}": getattr(poses.pack, name) for name in STORED}
    arrays |= {f"marks.{name}": getattr(poses.marks, name) for name in MARKS}
    arrays |= {f"mirror.{name}": array for name, array in poses.frames.mirror._asdict().items()}
    arrays |= {"packed.moving": poses.frames.moving, "packed.rest": poses.frames.rest}
    if poses.frames.heights is not None:
        arrays["packed.root_heights"] = poses.frames.heights
    return arrays, {"pace_step": poses.pack.pace_step, "layout": LAYOUT}


def from_packed_arrays(
    arrays: Mapping[str, np.ndarray], values: Mapping[str, Any], skeleton: Skeleton, frame_rate: float,
    clips: ClipTable, sizes: Sizes, *, contact_joints: np.ndarray, tag_names: tuple[str, ...], verify: bool = True,
) -> PackedPoses:  # fmt: skip
    """The inverse of to_packed_arrays; `clips` and `contact_joints` are not packed."""
    sizes |= {"flag_bytes": -(-(sizes["K"] + 1) // 8), "mark_bytes": -(-(sizes["T"] + 2) // 8)}
    check_arrays(arrays, PACKED, sizes, contents=verify)
    frames, joints = sizes["F"], sizes["J"]
    moving, rest, originals = (arrays[f"packed.{name}"] for name in ("moving", "rest", "originals"))
    check_clips(clips.starts, clips.stops, frames)
    check_moving(moving)
    mirror = Mirror(*(arrays[f"mirror.{name}"] for name in Mirror._fields))
    check_mirror(mirror)
    check_originals(originals, np.diff(clips.stops, prepend=0))
    if (originals >= 0).any() and not np.isin(mirror.partners[moving], moving).all():
        raise KinematchError("a joint moves in mirror images, and its partner does not")
    cut = cut_clips(clips.starts, clips.stops, originals)
    if (sizes["S"], sizes["P"]) != (len(cut.lengths), len(cut.stored)):
        found, expected = f"{sizes['S']} segments and {sizes['P']} roots", f"{len(cut.lengths)} and {len(cut.stored)}"
        raise KinematchError(f"{found}, expected {expected}")
    pack = empty_pack()._replace(
        **{name: arrays[f"packed.{name}"] for name in STORED}, pace_step=float(values["pace_step"]),
        clip_segments=cut.clip_segments, clip_roots=cut.clip_roots, sides=cut.sides,
        blocks=find_blocks(clips.stops, frames), weights=find_weights(), channels=count_channels(joints, len(moving)),
        **lay_out(mirror, moving),
    )  # fmt: skip
    marks = Marks(*(arrays[f"marks.{name}"] for name in MARKS))
    check_runs(marks.factor_starts)
    check_segments(pack, cut.lengths)
    made = make_frames(
        pack, clips.starts, clips.stops, clips.loops, clips.loop_positions, clips.loop_rotations, moving, rest,
        mirror, frame_rate, arrays.get("packed.root_heights"),
    )  # fmt: skip
    return open_poses(skeleton, frame_rate, made, marks, clips, contact_joints, tag_names)


def check_segments(pack: Pack, lengths: np.ndarray) -> None:
    """Every segment lies within the data, and is as long as its heads say."""
    offsets = pack.offsets.astype(np.int64) * UNIT
    if offsets[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] != pack.data.size:
        raise KinematchError("segments do not fill the data")
    sizes, groups = np.diff(offsets), pack.channels // LANES
    if (sizes[pack.raw] != 16 * pack.channels * lengths[pack.raw]).any():
        raise KinematchError("a segment of plain numbers has another length than its frames")
    packed = np.flatnonzero(~pack.raw)
    if (sizes[packed] < HEAD * groups).any():
        raise KinematchError("a segment is shorter than its heads")
    for start in range(0, len(packed), 1024):
        own = packed[start : start + 1024]
        heads = pack.data[offsets[own, None] + np.arange(HEAD * groups)].reshape(len(own), groups, HEAD)
        kinds, widths = (heads[..., SIZE] >> KIND_SHIFT).astype(int), heads[..., WIDTHS:SHIFTS].astype(int)
        numbers = heads[..., RANGES:].reshape(len(own), groups, 7, LANES)
        if (widths > MOST_WIDTH).any() or (numbers[:, :, 3:] == 0).all(axis=2).any():
            raise KinematchError("a segment's heads make no sense")
        knots = np.stack([count_knots(lengths[own], stride) for stride in STRIDES], axis=-1)
        if ((kinds > 0) & (np.take_along_axis(knots, kinds, axis=1) < TAPS)).any():
            raise KinematchError("a segment is too short for its strides")
        widths = widths.reshape(len(own), groups, 3, LANES).swapaxes(2, 3).reshape(len(own), -1, 3)
        if (-(-measure_segments(kinds, widths, lengths[own]) // UNIT) * UNIT != sizes[own]).any():
            raise KinematchError("a segment has another length than its heads say")
        channels = numbers.swapaxes(2, 3).reshape(len(own), -1, 7)
        codes, centres = channels[..., :3], channels[..., 3:].view(np.int8)
        if not np.array_equal(make_heads(kinds, widths, codes, centres, lengths[own]), heads):
            raise KinematchError("a segment's heads contradict themselves")
