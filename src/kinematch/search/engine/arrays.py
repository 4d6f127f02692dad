"""The flat arrays of an exported database: what each holds, its type, and what its axes mean."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.storage import Database
from kinematch.search.space import search_space


@dataclass(frozen=True, eq=False)
class FlatArray:
    """One file of values, little-endian, the last axis fastest."""

    values: np.ndarray
    axes: tuple[str, ...]  # one word an axis: frames, joints, columns ... or components such as 'wxyz'
    unit: str
    meaning: str

    @property
    def stored(self) -> np.ndarray:
        """As it is written: float32, int32, or uint8 for flags."""
        values = np.asarray(self.values)
        kind = {"f": "<f4", "i": "<i4", "b": "u1"}[values.dtype.kind]
        return np.ascontiguousarray(values, kind)


def list_arrays(database: Database) -> dict[str, FlatArray]:
    """All that a character needs, by the name of its file."""
    poses, features, rig = database.poses, database.features, database.skeleton
    space = search_space(database)
    frames, joints, columns, clips = ("frames",), ("joints",), ("columns",), ("clips",)
    each = (*frames, *joints)
    tpose = rig.rotations if rig.tpose is None else rig.tpose
    return {
        "parents": FlatArray(rig.parents, joints, "", "parent of each joint, -1 for the ground root, which is joint 0"),
        "offsets": FlatArray(rig.offsets, (*joints, "xyz"), "m", "rest position in the parent's space"),
        "rest_rotations": FlatArray(rig.rotations, (*joints, "wxyz"), "", "rest rotation in the parent's space"),
        "tpose": FlatArray(tpose, (*joints, "wxyz"), "", "T-pose in the parent's space; the rest pose where unknown"),
        "positions": FlatArray(poses.positions, (*each, "xyz"), "m", "in the parent's space; joint 0 in its clip's"),
        "rotations": FlatArray(poses.rotations, (*each, "wxyz"), "", "in the parent's space; joint 0 in its clip's"),
        "velocities": FlatArray(poses.velocities, (*each, "xyz"), "m/s", "of positions"),
        "angular_velocities": FlatArray(
            poses.angular_velocities, (*each, "xyz"), "rad/s", "of rotations, in the parent's space"
        ),
        "contacts": FlatArray(poses.contacts, (*frames, "contacts"), "", "1 where a contact joint stands"),
        "contact_joints": FlatArray(poses.contact_joints, ("contacts",), "", "joint of each contact"),
        "clip_starts": FlatArray(poses.clip_starts, clips, "", "first frame of each clip"),
        "clip_stops": FlatArray(poses.clip_stops, clips, "", "one past the last frame of each clip"),
        "clip_loops": FlatArray(poses.clip_loops, clips, "", "1 where the first frame follows the last"),
        "loop_positions": FlatArray(
            poses.loop_positions, (*clips, "xyz"), "m", "root displacement of one round, in the axes of its first frame"
        ),
        "loop_rotations": FlatArray(poses.loop_rotations, (*clips, "wxyz"), "", "root turn of one round"),
        "tags": FlatArray(poses.tags.frames, (*frames, "tags"), "", "1 where a frame has a tag; names in tags.txt"),
        "no_exit": FlatArray(poses.no_exit, frames, "", "1 where playback may not jump away"),
        "features": FlatArray(space.values, (*frames, *columns), "normalised", "what is searched, without weights"),
        "feature_offset": FlatArray(features.offset, columns, "physical", "normalised = (physical - offset) / scale"),
        "feature_scale": FlatArray(features.scale, columns, "physical", "see feature_offset"),
        "feature_weights": FlatArray(space.weights, columns, "", "factors of squared differences"),
        "trajectory_columns": FlatArray(
            flag_trajectory(database), columns, "", "1: a command tells it; 0: copied from the frame that plays"
        ),
        "targets": FlatArray(space.targets, frames, "", "1 where a search may jump to"),
        "ends": FlatArray(space.ends, frames, "", "1 at the last frame of a clip that does not loop"),
        "cost_factor": FlatArray(space.cost_factor, frames, "", "multiplies the cost of jumping to a frame"),
    }


def flag_trajectory(database: Database) -> np.ndarray:
    """(D,) whether a column belongs to a trajectory feature, which comes from the command."""
    blocks = [np.full(one.width, one.group == "trajectory") for one in database.features.schema.features]
    return np.concatenate(blocks)
