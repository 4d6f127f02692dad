"""Picture of a step: everything a page draws of it, as arrays that are packed when they are sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinematch.character import Crowd
from kinematch.character.pose import Pose
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema
from kinematch.learned.sketch import SketchCrowd
from kinematch.motion.skeleton import Skeleton
from kinematch.robot.model import TO_FILE
from kinematch.stream.layout import POSE, POSES, ROBOT, TYPES, pack, unpack

XYZW = [1, 2, 3, 0]  # from w x y z
WXYZ = [3, 0, 1, 2]  # from x y z w


@dataclass(frozen=True, eq=False)
class View:
    """What is sent of each pose of a skeleton, found once."""

    rest: np.ndarray  # (J, 3) m, where joints are whose positions are not sent
    positioned: np.ndarray  # (P,) joints whose positions are sent
    horizons: np.ndarray  # (H,) s
    position_columns: np.ndarray  # (H, 2) feature columns of x and z, -1 for none
    direction_columns: np.ndarray  # (H, 2)


@dataclass(frozen=True, eq=False)
class Group:
    """Some characters that were stepped together."""

    crowd: Crowd
    pose: Pose


class ViewedPoses(NamedTuple):
    positions: np.ndarray  # (N, J, 3) m
    rotations: np.ndarray  # (N, J, 4)


@dataclass(frozen=True, eq=False)
class Picture:
    """All characters at one step; the layout POSE says what each number and array means."""

    header: Mapping[str, float]
    arrays: Mapping[str, np.ndarray]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())

    def pack(self) -> bytes:
        return pack(POSE, self.header, self.arrays)

    def local_poses(self, view: View) -> ViewedPoses:
        """The poses as they were stepped, to the bit."""
        count = len(self.arrays["frames"])
        positions = np.repeat(view.rest[None], count, axis=0)
        positions[:, view.positioned] = self.arrays["positions"]
        positions[:, 0] = self.arrays["roots"][:, :3]
        return ViewedPoses(positions, self.arrays["rotations"][:, :, WXYZ])


def read_picture(frame: bytes) -> Picture:
    """The picture that was packed; raises ValueError when it is none."""
    return Picture(*unpack(POSE, frame))


def make_view(skeleton: Skeleton, schema: FeatureSchema, rest: np.ndarray, moving: np.ndarray) -> View:
    """`moving` are the joints that move in their parent's space; the hips may be moved in any case, to lower them."""
    joints = {*moving.tolist(), skeleton.roles.get("hips", 1)}
    positioned = sorted(j for j in joints if 0 < j < skeleton.joint_count)
    paths = [f for f in schema.features if f.kind in ("trajectory_position", "trajectory_direction")]
    horizons = sorted({time for feature in paths for time in feature.times})
    return View(
        np.array(rest, np.float32),
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


def take_picture(
    view: View, groups: Sequence[Group], second: Group | None, *, step: int, dt: float, sequence: int, seconds: float
) -> Picture:
    """The groups of side a, the steered character first, and then side b if there is one."""
    everyone = [*groups, second] if second else list(groups)
    tracked = [groups[0], second] if second else [groups[0]]
    first = sum(group.crowd.count for group in groups)
    count = first + (second.crowd.count if second else 0)
    header = {
        "step": step, "time": step * dt, "characters": count, "second": first,
        "joints": everyone[0].pose.rotations.shape[1], "positioned": len(view.positioned),
        "horizons": len(view.horizons), "tracked": len(tracked), "sequence": sequence, "milliseconds": seconds * 1000,
    }  # fmt: skip
    parts = [_arrays(view, group) for group in everyone]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["wanted"] = np.stack([predict_wanted(view, group.crowd, dt) for group in tracked])
    arrays["matched"] = np.stack([_matched(view, group) for group in tracked])
    types = {array.name: TYPES[array.type] for array in POSE.arrays}
    return Picture(header, {name: np.ascontiguousarray(array, types[name]) for name, array in arrays.items()})


def _arrays(view: View, group: Group) -> dict[str, np.ndarray]:
    crowd, pose, body = group.crowd, group.pose, group.crowd.body
    bits = pose.searched.astype(np.uint32) | pose.jumped.astype(np.uint32) << 1
    bits |= _packed(pose.contacts) << 8 | _packed(pose.locked) << 16
    bits |= np.where(pose.searched, pose.reasons, 0).astype(np.uint32) << 24
    return {
        "frames": crowd.frames if isinstance(crowd, SketchCrowd) else pose.frames,  # -1 where poses are computed
        "fractions": crowd.fractions,
        "bits": bits,
        "costs": pose.costs,
        "roots": np.column_stack([crowd.root_positions, crowd.root_yaws]),
        "bodies": np.column_stack([body.positions, body.velocities, body.yaws, body.yaw_rates]),
        "positions": pose.positions[:, view.positioned],
        "rotations": pose.rotations[:, :, XYZW],
    }


def _packed(flags: np.ndarray) -> np.ndarray:
    """Flags (N, K) as bits of a number, the first eight of them."""
    flags = flags[:, :8]
    return (flags.astype(np.uint32) << np.arange(flags.shape[1], dtype=np.uint32)).sum(axis=1, dtype=np.uint32)


def predict_wanted(view: View, crowd: Crowd, dt: float) -> np.ndarray:
    """The trajectory that a search of the first character would ask for now: (H, 4) x, z and direction.

    By the same stage that makes queries: the controller's own trajectory, if it gives one, else springs.
    """
    first = crowd.characters[:1]
    # a controller's trajectory begins where the step began, the simulated body is where it ended
    ago = np.full(1, 0.0 if crowd.trajectory is None else -dt)
    positions, yaws = crowd.predict(view.horizons, first, ago)
    return np.column_stack([positions[0, :, 0], positions[0, :, 2], np.sin(yaws[0]), np.cos(yaws[0])])


def _matched(view: View, group: Group) -> np.ndarray:
    """Where the playing frame goes on to, from where the character is: (H, 4) likewise; NaN where it is unknown."""
    crowd = group.crowd
    source, first = crowd.sources[int(crowd.state.playing.sources[0])], crowd.characters[:1]
    values = np.append(source.describe_features(crowd.state, first)[0], np.nan)
    yaw = crowd.root_yaws[0]
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    places = crowd.rig.scale * values[view.position_columns] @ turn + crowd.root_positions[0, [0, 2]]
    return np.column_stack([places, values[view.direction_columns] @ turn])


def pack_stretch(view: View, poses: PoseDatabase, start: int, stop: int) -> bytes:
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


def pack_robots(step: int, dt: float, bases: np.ndarray, turns: np.ndarray, angles: np.ndarray) -> bytes:
    """A robot frame from places (R, 3), rotations (R, 4) and angles (R, D) in our axes; steps are dt seconds long."""
    rows = np.concatenate([bases[:, TO_FILE], turns[:, 1:][:, TO_FILE], turns[:, :1]], axis=1)
    header = {"step": step, "time": step * dt, "robots": len(angles), "hinges": angles.shape[1]}
    return pack(ROBOT, header, {"bases": rows, "angles": angles})
