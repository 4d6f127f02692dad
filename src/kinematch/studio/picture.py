"""Picture of a step: everything a page draws of it, packed into one binary frame."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.character import Crowd
from kinematch.character.pose import Pose
from kinematch.control.body import predict_bodies
from kinematch.control.command import Command
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database
from kinematch.studio.layout import POSE, POSES, pack

XYZW = [1, 2, 3, 0]  # from w x y z


@dataclass(frozen=True, eq=False)
class View:
    """What is told of each pose of a database, found once."""

    positioned: np.ndarray  # (P,) joints whose positions are sent
    horizons: np.ndarray  # (H,) s
    position_columns: np.ndarray  # (H, 2) feature columns of x and z, -1 for none
    direction_columns: np.ndarray  # (H, 2)


@dataclass(frozen=True, eq=False)
class Group:
    """Some characters that were stepped together."""

    crowd: Crowd
    command: Command
    shown: Pose


def view_of(database: Database, moving: np.ndarray) -> View:
    """`moving` are the joints that move in their parent's space; the hips may be moved in any case, to lower them."""
    poses, schema = database.poses, database.features.schema
    joints = {*moving.tolist(), poses.skeleton.roles.get("hips", 1)}
    positioned = sorted(j for j in joints if 0 < j < poses.skeleton.joint_count)
    paths = [f for f in schema.features if f.kind in ("trajectory_position", "trajectory_direction")]
    horizons = sorted({time for feature in paths for time in feature.times})
    return View(
        np.array(positioned, np.int32),
        np.array(horizons, np.float64),
        _columns(schema, "trajectory_position", horizons),
        _columns(schema, "trajectory_direction", horizons),
    )


def _columns(schema: FeatureSchema, kind: str, horizons: Sequence[float]) -> np.ndarray:
    found = np.full((len(horizons), 2), -1, np.int32)
    for feature in schema.features:
        if feature.kind == kind:
            start = schema.columns[feature.name].start
            for k, time in enumerate(feature.times):
                first = start + k * feature.dimensions
                found[horizons.index(time)] = (first, first + feature.dimensions - 1)
    return found


def frame_of(
    view: View, groups: Sequence[Group], second: Group | None, *, step: int, time: float, sequence: int, seconds: float
) -> bytes:
    """The frame of one step: the groups of side a, the steered character first, and then side b if there is one."""
    everyone = [*groups, second] if second else list(groups)
    tracked = [groups[0], second] if second else [groups[0]]
    first = sum(group.crowd.count for group in groups)
    count = first + (second.crowd.count if second else 0)
    header = {
        "step": step, "time": time, "characters": count, "second": first,
        "joints": everyone[0].shown.rotations.shape[1], "positioned": len(view.positioned),
        "horizons": len(view.horizons), "tracked": len(tracked), "sequence": sequence, "milliseconds": seconds * 1000,
    }  # fmt: skip
    parts = [_arrays(view, group) for group in everyone]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["wanted"] = np.stack([_wanted(view, group) for group in tracked])
    arrays["matched"] = np.stack([_matched(view, group) for group in tracked])
    return pack(POSE, header, arrays)


def _arrays(view: View, group: Group) -> dict[str, np.ndarray]:
    crowd, shown, body = group.crowd, group.shown, group.crowd.body
    bits = shown.searched.astype(np.uint32) | shown.jumped.astype(np.uint32) << 1
    bits |= _packed(shown.contacts) << 8 | _packed(shown.locked) << 16
    bits |= np.where(shown.searched, shown.reasons, 0).astype(np.uint32) << 24
    return {
        "frames": crowd.frames,
        "fractions": crowd.fractions,
        "bits": bits,
        "costs": shown.costs,
        "roots": np.column_stack([crowd.root_positions, crowd.root_yaws]),
        "bodies": np.column_stack([body.positions, body.velocities, body.yaws, body.yaw_rates]),
        "positions": shown.positions[:, view.positioned],
        "rotations": shown.rotations[:, :, XYZW],
    }


def _packed(flags: np.ndarray) -> np.ndarray:
    """Flags (N, K) as bits of a number, the first eight of them."""
    flags = flags[:, :8]
    return (flags.astype(np.uint32) << np.arange(flags.shape[1], dtype=np.uint32)).sum(axis=1, dtype=np.uint32)


def _wanted(view: View, group: Group) -> np.ndarray:
    """Where the simulated body of the first character will be: (H, 4) x, z and direction."""
    crowd, command = group.crowd, group.command
    future = predict_bodies(crowd.body, command, view.horizons, crowd.settings.halflives)
    yaws, places = future.yaws[0], future.positions[0]
    return np.column_stack([places[:, 0], places[:, 2], np.sin(yaws), np.cos(yaws)])


def _matched(view: View, group: Group) -> np.ndarray:
    """Where the playing frame goes on to, from where the character is: (H, 4) likewise; NaN where nobody knows."""
    crowd = group.crowd
    values = np.append(crowd.database.features.physical(crowd.frames[:1])[0], np.nan)
    yaw = crowd.root_yaws[0]
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    places = values[view.position_columns] @ turn + crowd.root_positions[0, [0, 2]]
    return np.column_stack([places, values[view.direction_columns] @ turn])


def stretch_of(view: View, poses: PoseDatabase, start: int, stop: int) -> bytes:
    """Frames [start, stop) of a database as one binary frame."""
    own = slice(start, stop)
    rotations = poses.rotations[own]
    root = rotations[:, 0]
    yaws = 2 * np.arctan2(root[:, 2], root[:, 0])  # roots turn about +Y alone
    header = {
        "start": start, "count": stop - start, "joints": poses.skeleton.joint_count,
        "positioned": len(view.positioned), "contacts": poses.contacts.shape[1], "rate": poses.frame_rate,
    }  # fmt: skip
    arrays = {
        "roots": np.column_stack([poses.positions[own, 0], yaws]),
        "bits": _packed(poses.contacts[own]) << 8,
        "positions": poses.positions[own][:, view.positioned],
        "rotations": rotations[:, :, XYZW],
    }
    return pack(POSES, header, arrays)
