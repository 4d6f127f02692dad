"""Pack: a packed database as kernels read it; what lies where in its bytes.

Clips are cut into segments of 32 frames. A segment has a channel for each joint's rotation, the root's being empty,
and one for the place of each joint that moves in its parent's space. A channel's three numbers are what is left of a
rotation (x, y, z of the quaternion) or place beyond the segment's centre. Eight channels make a group. A group is
stored at knots, one every 1, 2, 4 or 8 frames; frames between knots lie on the cubic through the four knots around
them.

A segment's bytes: a head for each group, then the knots of each group, one after the other, each beginning at a byte.
A head describes the knots as rows of bit fields (see field_kernels), behind two bytes that tell where they begin.
Then it has eight bytes, one for each channel, of each of: the ranges of x, y and z, as tiny floats; w, x, y and z of
the centre, signed. A segment that cannot be packed within the bound holds four float32 for each frame and channel
instead.

A clip that is the mirror image of another takes the segments and roots of that one.
"""

from typing import Any, NamedTuple

import numpy as np

from kinematch.database.packing.field_kernels import DESCRIPTION

LENGTH = 32  # frames of a segment
STRIDES = (1, 2, 4, 8)  # frames between knots, by the kind of a group
TAPS = 4  # knots that a frame between them depends on
LANES = 8  # channels of a group
RANGES = DESCRIPTION  # bytes from a head to its ranges
CENTRES = RANGES + 3 * LANES
HEAD = CENTRES + 4 * LANES  # bytes of all
FARTHEST_KNOTS = 65535  # bytes from a segment to the knots of a group
UNIT = 8  # bytes that offsets of segments count
CENTRE = 127.0  # of a centre's signed bytes, which make a unit quaternion
BLOCK = 32  # frames that share an entry of `blocks`


class Pack(NamedTuple):
    """All empty, with no channels, for a database that is not packed."""

    data: np.ndarray  # (B,) uint8, the segments
    offsets: np.ndarray  # (S + 1,) int32, where each segment begins, in units of 8 bytes
    raw: np.ndarray  # (S,) bool, segments of plain numbers
    centres: np.ndarray  # (S, M, 3) float32 m, of the places
    roots: np.ndarray  # (R, 3) uint16: x, z and yaw of the root beyond its segment's base
    root_bases: np.ndarray  # (S, 3) float32 m, m and rad
    root_steps: np.ndarray  # (S, 3) float32 m, m and rad
    originals: np.ndarray  # (C,) int32, the clip that each is the mirror image of, or -1
    clip_segments: np.ndarray  # (C,) int32, the first segment of each clip
    clip_roots: np.ndarray  # (C,) int32, the first of its roots
    sides: np.ndarray  # (C,) float64, -1 for mirror images, else 1
    blocks: np.ndarray  # (F / 32,) int32, the clip of every 32nd frame
    flags: np.ndarray  # (F, G) uint8, bits: a contact each, then no_exit
    contact_left: np.ndarray  # (F, K) uint8 frames that each contact goes on, at most 255
    toe_heights: np.ndarray  # (F, K) uint16
    toe_bases: np.ndarray  # (K,) float32 m
    toe_steps: np.ndarray  # (K,) float32 m
    paces: np.ndarray  # (F,) uint16
    features: np.ndarray  # (F, D) uint16
    feature_bases: np.ndarray  # (D,) float32
    feature_steps: np.ndarray  # (D,) float32
    slots: np.ndarray  # (M,) int32, which place each remembered joint has; -1 for those that never move
    rests: np.ndarray  # (M, 3) float32 m, where joints are that never move
    weights: np.ndarray  # (25, 4) float32 of four knots, by eighths of the way from the first to the last
    turns: np.ndarray  # (C / 8, 8, 8) float32: what mirror images multiply by, from the left w, x, y, z, then the right
    channel_bytes: np.ndarray  # (2, C) int64 from the first channel to each, as it is and in mirror images
    partners: np.ndarray  # (M,) int32, the place whose mirror image each is
    place_maps: np.ndarray  # (M, 3, 4) float32, from that place in m to its mirror image
    pace_step: float  # m/s
    channels: int


def empty_pack() -> Pack:
    single, whole, byte, short = (np.zeros(0, kind) for kind in (np.float32, np.int32, np.uint8, np.uint16))
    return Pack(
        data=byte, offsets=whole, raw=np.zeros(0, bool), centres=single.reshape(0, 0, 3), roots=short.reshape(0, 3),
        root_bases=single.reshape(0, 3), root_steps=single.reshape(0, 3), originals=whole, clip_segments=whole,
        clip_roots=whole, sides=np.zeros(0), blocks=whole, flags=byte.reshape(0, 0), contact_left=byte.reshape(0, 0),
        toe_heights=short.reshape(0, 0), toe_bases=single, toe_steps=single, paces=short,
        features=short.reshape(0, 0), feature_bases=single, feature_steps=single, slots=whole,
        rests=single.reshape(0, 3), weights=single.reshape(0, TAPS), turns=single.reshape(0, LANES, LANES),
        channel_bytes=np.zeros((0, 0), np.int64), partners=whole, place_maps=single.reshape(0, 3, 4),
        pace_step=0.0, channels=0,
    )  # fmt: skip


STORED = (
    "data", "offsets", "raw", "centres", "roots", "root_bases", "root_steps", "originals", "flags", "contact_left",
    "toe_heights", "toe_bases", "toe_steps", "paces", "features", "feature_bases", "feature_steps",
)  # fmt: skip


def count_channels(joints: int, moving: int) -> int:
    return -(-(joints + moving) // LANES) * LANES


def count_knots(lengths: Any, stride: int) -> Any:
    """Knots of segments by their frame counts: the last knot is at or behind the last frame."""
    return (lengths - 1 + stride - 1) // stride + 1


def find_weights() -> np.ndarray:
    """(25, 4) of the cubic through knots at 0, 1, 2 and 3, at 0, 1/8, ... 3 (Lagrange)."""
    places = np.arange(8 * (TAPS - 1) + 1) / 8
    weights = np.ones((len(places), TAPS))
    for i in range(TAPS):
        for k in range(TAPS):
            if k != i:
                weights[:, i] *= (places - k) / (i - k)
    return weights.astype(np.float32)


class Cut(NamedTuple):
    """Clips cut into segments: mirror images have none of their own."""

    clip_segments: np.ndarray  # (C,) int32, the first of each clip
    clip_roots: np.ndarray  # (C,) int32, the first row of its roots
    sides: np.ndarray  # (C,) -1 for mirror images, else 1
    begins: np.ndarray  # (S,) int32, the first frame of each segment
    lengths: np.ndarray  # (S,) int32
    stored: np.ndarray  # (R,) int64, frames of clips that are stored


def cut_clips(starts: np.ndarray, stops: np.ndarray, originals: np.ndarray | None = None) -> Cut:
    clips = np.arange(len(starts))
    own = clips if originals is None else np.where(originals < 0, clips, originals)
    lengths = np.where(own == clips, stops - starts, 0)
    counts = -(-lengths // LENGTH)
    firsts = np.cumsum(counts) - counts
    clip = np.repeat(clips, counts)
    begins = starts[clip] + (np.arange(counts.sum()) - firsts[clip]) * LENGTH
    rows = np.cumsum(lengths) - lengths
    frames = np.repeat(starts - rows, lengths) + np.arange(lengths.sum())
    return Cut(
        firsts[own].astype(np.int32), rows[own].astype(np.int32), np.where(own == clips, 1.0, -1.0),
        begins.astype(np.int32), np.minimum(stops[clip] - begins, LENGTH).astype(np.int32), frames.astype(np.int64),
    )  # fmt: skip


def find_blocks(stops: np.ndarray, frame_count: int) -> np.ndarray:
    return np.searchsorted(stops, np.arange(0, frame_count, BLOCK), side="right").astype(np.int32)
