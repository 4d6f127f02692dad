"""Packed databases as arrays of a file, and back: nothing that a file says is trusted before it is checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinematch.compile.bit_fields import KIND_SHIFT, MOST_WIDTH, SHIFTS, SIZE, WIDTHS
from kinematch.database.packing.bits import make_heads, measure_segments
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
from kinematch.database.packing.mirrors import Mirror, check_mirror, check_originals, lay_out
from kinematch.database.packing.poses import ClipTable, Marks, PackedPoses, open_poses
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
    return arrays, {"pace_step": poses.pack.pace_step, "layout": LAYOUT}


def from_packed_arrays(
    arrays: Mapping[str, np.ndarray], about: Mapping[str, Any], skeleton: Skeleton, kept: Mapping[str, np.ndarray],
    columns: int,
) -> PackedPoses:  # fmt: skip
    """`kept` are the arrays by clip, and the contact joints, which are not packed."""
    contact_joints, tag_names = kept["contact_joints"], tuple(about["tags"])
    clips = ClipTable(
        kept["clip_starts"], kept["clip_stops"], kept["clip_loops"], kept["loop_positions"], kept["loop_rotations"],
        tuple(about["clips"]),
    )  # fmt: skip
    moving, rest = arrays["packed.moving"], arrays["packed.rest"]
    frames, joints = len(arrays["packed.features"]), skeleton.joint_count
    if not frames or (np.diff(clips.stops, prepend=0) < 1).any() or int(clips.stops[-1]) != frames:
        raise KinematchError("clips do not cover the frames")
    if (clips.starts != np.concatenate([[0], clips.stops[:-1]])).any():
        raise KinematchError("clips do not follow one another")
    if not ((moving > 0) & (moving < joints)).all() or len(np.unique(moving)) != len(moving):
        raise KinematchError(f"moving joints {moving.tolist()}, expected different ones from 1 to {joints - 1}")
    mirror = Mirror(*(arrays[f"mirror.{name}"] for name in Mirror._fields))
    check_mirror(mirror, moving, joints)
    originals = arrays["packed.originals"]
    check_originals(originals, np.diff(clips.stops, prepend=0))
    if (originals >= 0).any() and not np.isin(mirror.partners[moving], moving).all():
        raise KinematchError("a joint moves in mirror images, and its partner does not")
    cut = cut_clips(clips.starts, clips.stops, originals)
    pack = empty_pack()._replace(
        **{name: arrays[f"packed.{name}"] for name in STORED}, pace_step=float(about["packed"]["pace_step"]),
        clip_segments=cut.clip_segments, clip_roots=cut.clip_roots, sides=cut.sides,
        blocks=find_blocks(clips.stops, frames), weights=find_weights(), channels=count_channels(joints, len(moving)),
        **lay_out(mirror, moving),
    )  # fmt: skip
    marks = Marks(*(arrays[f"marks.{name}"] for name in MARKS))
    sizes = {
        "frames": frames, "roots": len(cut.stored), "segments": len(cut.lengths), "moving": len(moving),
        "contacts": len(contact_joints), "columns": columns, "flags": -(-(len(contact_joints) + 1) // 8),
        "marks": -(-(len(tag_names) + 2) // 8),
    }  # fmt: skip
    check_shapes(pack, marks, sizes)
    if rest.shape != (joints, 3) or rest.dtype != np.float32:
        raise KinematchError(f"rest is {rest.dtype} {rest.shape}, expected float32 {(joints, 3)}")
    check_segments(pack, cut.lengths)
    made = make_frames(
        pack, clips.starts, clips.stops, clips.loops, clips.loop_positions, clips.loop_rotations, moving, rest,
        mirror, float(about["frame_rate"]),
    )  # fmt: skip
    return open_poses(skeleton, float(about["frame_rate"]), made, marks, clips, contact_joints, tag_names)


def check_shapes(pack: Pack, marks: Marks, sizes: Mapping[str, int]) -> None:
    """Every array has the type and the shape that kernels read it by, and its numbers are finite."""
    f, s, m, k, d = (sizes[name] for name in ("frames", "segments", "moving", "contacts", "columns"))
    shapes = {
        "data": (pack.data.size,), "offsets": (s + 1,), "raw": (s,), "centres": (s, m, 3),
        "roots": (sizes["roots"], 3), "originals": pack.originals.shape,
        "root_bases": (s, 3), "root_steps": (s, 3), "flags": (f, sizes["flags"]), "contact_left": (f, k),
        "toe_heights": (f, k), "toe_bases": (k,), "toe_steps": (k,), "paces": (f,), "features": (f, d),
        "feature_bases": (d,), "feature_steps": (d,),
    }  # fmt: skip
    like = empty_pack()
    for name, shape in shapes.items():
        array, dtype = getattr(pack, name), getattr(like, name).dtype
        if array.shape != shape or array.dtype != dtype:
            raise KinematchError(f"{name} is {array.dtype} {array.shape}, expected {dtype} {shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise KinematchError(f"{name} is not finite")
    if not np.isfinite(pack.pace_step) or marks.bits.shape != (f, sizes["marks"]) or marks.bits.dtype != np.uint8:
        raise KinematchError("paces or marks do not fit")
    starts, factors = marks.factor_starts, marks.factors
    if not len(starts) or starts.shape != factors.shape or starts[0] != 0 or (np.diff(starts) < 1).any():
        raise KinematchError("cost factors do not fit")
    if starts.dtype != np.int32 or factors.dtype != np.float32:
        raise KinematchError("cost factors do not fit")


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
