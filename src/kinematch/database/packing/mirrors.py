"""Mirror images in packed databases: clips that a recipe mirrored are stored as a flag, and made of what they mirror.

The mirror image of a joint's rotation is its partner's, reflected, between two constant rotations (see motion.mirror).
"""

from typing import Any, NamedTuple

import numpy as np

from kinematch.database.packing.bodies import measure_distances, place_points
from kinematch.database.packing.layout import LANES, Pack, count_channels
from kinematch.database.poses import PoseDatabase
from kinematch.database.prepare import MIRRORED
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.math.angles import wrap_angle
from kinematch.math.rotation import to_matrix
from kinematch.motion.clean.mirror import find_counterpart_axes, mirror_pairs
from kinematch.motion.heading import yaw_of
from kinematch.motion.skeleton import Skeleton

ROUNDING = 2e-5  # m that a mirrored copy may be off its original's mirror image, as float32 has it
LEFT_OF_PLACE, RIGHT_OF_PLACE = (0, 1, 0, 0), (0, -1, 0, 0)  # channels of places are mirrored by `place_maps` instead


class Mirror(NamedTuple):
    partners: np.ndarray  # (J,) int32, the joint whose image each is
    left: np.ndarray  # (J, 4) float32
    right: np.ndarray  # (J, 4) float32
    place_maps: np.ndarray  # (M, 3, 4) float32, from a partner's place to that of each moving joint


def make_mirror(skeleton: Skeleton, moving: np.ndarray) -> Mirror:
    """As `motion.mirror` has it; what it treats differently in a clip is found by `find_originals`."""
    partners = mirror_pairs(skeleton)
    axes = find_counterpart_axes(skeleton, partners)
    left = quaternion.inverse(np.concatenate([[quaternion.IDENTITY], axes[skeleton.parents[1:]]]))
    own = skeleton.offsets.astype(np.float64)
    own[skeleton.chain(skeleton.roles.get("hips", 0))] = 0
    linear = to_matrix(left[moving]) * [-1, 1, 1]
    shift = own[moving] - np.einsum("mij,mj->mi", linear, own[partners[moving]])
    maps = np.concatenate([linear, shift[..., None]], axis=-1)
    return Mirror(partners, left.astype(np.float32), axes.astype(np.float32), maps.astype(np.float32))


def mirror_poses(
    mirror: Mirror, moving: np.ndarray, positions: np.ndarray, rotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mirror images of local poses, but for the root."""
    reflected = rotations[:, mirror.partners] * np.array([1, 1, -1, -1], np.float64)
    turned = quaternion.multiply(quaternion.multiply(mirror.left, reflected), mirror.right)
    places, maps = np.array(positions, np.float64), mirror.place_maps.astype(np.float64)
    partners = mirror.partners[moving]
    places[:, moving] = np.einsum("mij,fmj->fmi", maps[..., :3], places[:, partners]) + maps[..., 3]
    return places, turned


def pair_names(poses: PoseDatabase) -> np.ndarray:
    """The clip (C,) that each is a mirrored copy of by its name and length; -1 for those that are none."""
    numbers = {name: c for c, name in enumerate(poses.clip_names)}
    lengths = poses.clip_stops - poses.clip_starts
    out = np.full(poses.clip_count, -1, np.int32)
    for c, name in enumerate(poses.clip_names):
        first = numbers.get(name.removesuffix(MIRRORED), c)
        if first != c and not poses.clip_names[first].endswith(MIRRORED) and lengths[first] == lengths[c]:
            out[c] = first
    return out


def find_originals(poses: PoseDatabase, mirror: Mirror, moving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The clip (C,) that each is the mirror image of, or -1, and by how much (C,) in metres it is not."""
    out, apart = pair_names(poses), np.zeros(poses.clip_count)
    if not np.isin(mirror.partners[moving], moving).all():
        out[:] = -1  # a joint would move whose partner does not
    for c in np.flatnonzero(out >= 0).tolist():
        own, first = poses.clip_frames(c), poses.clip_frames(int(out[c]))
        image = mirror_poses(mirror, moving, poses.positions[first], poses.rotations[first])
        here = place_points(poses.skeleton, poses.positions[own], poses.rotations[own])
        apart[c] = measure_distances(here, place_points(poses.skeleton, *image)).max()
        moved = poses.positions[own, 0] - poses.positions[first, 0] * [-1, 1, 1]
        turned = wrap_angle(yaw_of(poses.rotations[own, 0]) + yaw_of(poses.rotations[first, 0]))
        if max(apart[c], np.abs(moved).max(), np.abs(turned).max()) > ROUNDING:
            out[c] = -1
    return out, apart


def lay_out(mirror: Mirror, moving: np.ndarray) -> dict[str, Any]:
    """What kernels read of it, as fields of a Pack."""
    joints = len(mirror.partners)
    channels = count_channels(joints, len(moving))
    turns = np.zeros((channels, 2, 4), np.float32)
    turns[:, 0], turns[:, 1] = LEFT_OF_PLACE, RIGHT_OF_PLACE
    order = np.tile(16 * np.arange(channels), (2, 1))
    inverse = np.argsort(mirror.partners)  # a channel is stored as its joint, and shown as that joint's image
    turns[:joints, 0], turns[:joints, 1] = mirror.left[inverse], mirror.right[inverse]
    order[1, :joints] = 16 * inverse
    slots = {int(joint): slot for slot, joint in enumerate(moving)}
    partners = [slots.get(int(mirror.partners[joint]), slot) for joint, slot in slots.items()]
    return {
        "turns": turns.reshape(-1, LANES, 8).swapaxes(1, 2).copy(), "channel_bytes": order.astype(np.int64),
        "partners": np.array(partners, np.int32), "place_maps": mirror.place_maps,
    }  # fmt: skip


def check_moving(moving: np.ndarray) -> None:
    """Raise where a joint is named twice."""
    if len(np.unique(moving)) != len(moving):
        raise KinematchError(f"moving joints {moving.tolist()}, expected different ones")


def check_mirror(mirror: Mirror) -> None:
    """Raise unless every joint is the mirror image of one, and the root its own."""
    if not np.array_equal(np.sort(mirror.partners), np.arange(len(mirror.partners))) or mirror.partners[0] != 0:
        raise KinematchError("joints are not the mirror images of one another")


def check_originals(originals: np.ndarray, lengths: np.ndarray) -> None:
    """Raise unless every mirror image (C,) is that of a clip which is stored, and as long."""
    images = np.flatnonzero(originals >= 0)
    first = originals[images]
    if (originals[first] >= 0).any():
        raise KinematchError("a clip is the mirror image of a mirror image")
    if (lengths[first] != lengths[images]).any():
        raise KinematchError("a mirror image has another length than its clip")


def place_images(pack: Pack, places: np.ndarray) -> np.ndarray:
    """Mirror images of the places (N, M, 3) of joints that move."""
    maps = pack.place_maps
    return np.einsum("mij,nmj->nmi", maps[..., :3], places[:, pack.partners]) + maps[..., 3]
