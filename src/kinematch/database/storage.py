"""Databases as files: one self-describing safetensors file, verified as it is read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.copies import Unchanging
from kinematch.database.actions import Actions
from kinematch.database.array_file import open_arrays
from kinematch.database.container import DATABASE_WORDS, Words, read_arrays, write_arrays
from kinematch.database.feature_database import FeatureDatabase, FeaturePlan, Weights
from kinematch.database.file_checks import Sizes, check_arrays
from kinematch.database.file_origin import FileOrigin, reopen, set_origin
from kinematch.database.file_table import ACTIONS, CLIPS, DATABASE_VALUES, PLAIN, read_values
from kinematch.database.filters import check_filter
from kinematch.database.packing.poses import ClipTable, PackedPoses, open_features, open_targets
from kinematch.database.packing.storage import LAYOUT, from_packed_arrays, to_packed_arrays
from kinematch.database.poses import PoseDatabase
from kinematch.database.schema import FeatureSchema
from kinematch.database.tags import Tags
from kinematch.database.transport.decode import decode_poses
from kinematch.errors import FileError, KinematchError
from kinematch.motion.skeleton import Skeleton

FORMAT = "kinematch database"
VERSION = 4
PLAIN_VERSION, TRANSPORT_VERSION, PACKED_VERSION = 1, 3, 4  # earlier versions of the package open the lower ones too
PLAIN_FORM: dict[str, Any] = {"format": FORMAT, "version": PLAIN_VERSION}
SUFFIX = ".kinematch"
FREE_FRAMES, MOST_ADDED = 1000, 100  # past the ends of clips that features may look at, and per frame
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Database(Unchanging):
    """Everything a character needs: poses to show and features to find them by.

    `km.build` makes one from a recipe, `km.load` opens one from a file, or the built-in one by its name.
    """

    poses: PoseDatabase
    features: FeatureDatabase
    about: dict[str, Any] = field(default_factory=dict)  # recipe, sources, warnings: plain JSON values
    filter: str = ""  # tags that frames must satisfy when a command names none, such as `walk & !crouch`
    file: FileOrigin | None = field(default=None, init=False, repr=False)  # None unless it was opened from one

    def __post_init__(self) -> None:
        check_filter(self.filter, self.poses.tags.names)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file is not None and self.file.is_unchanged():
            return reopen, (load, self.file)
        arrays, about = to_arrays(self)
        return _open_pickled, (arrays, json.dumps(about))

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all its poses; joint 0 is the ground root."""
        return self.poses.skeleton


_POSES = [f.name for f in fields(PoseDatabase) if f.type is np.ndarray or f.type == "np.ndarray"]
_CLIPS = ["contact_joints", "clip_starts", "clip_stops", "clip_loops", "loop_positions", "loop_rotations"]
_FEATURES = ["values", "offset", "scale", "targets"]
_ACTIONS = ["stretches", "targets", "events", "points"]
# what stays on disk; marks of frames are small
FRAME_ARRAYS = ["features.values", "poses.contacts"] + [
    f"poses.{name}" for name in ("positions", "rotations", "velocities", "angular_velocities")
]
_SKELETON = ["parents", "offsets", "rotations", "end_parents", "end_offsets", "file_order"]


def save(path: str | Path, database: Database, transport: Mapping[str, np.ndarray] | None = None) -> None:
    """Write a database; a file of that name is replaced when the new one is complete."""
    arrays, about = to_arrays(database, transport)
    version = PACKED_VERSION if "packed" in about else TRANSPORT_VERSION if "transport" in about else PLAIN_VERSION
    write_arrays(Path(path), arrays, format=FORMAT, version=version, about=about)


def _list_kept(database: Database) -> dict[str, np.ndarray]:
    """Arrays that small forms of a database keep as they are."""
    kept = {f"poses.{name}": getattr(database.poses, name) for name in _CLIPS}
    return kept | {f"features.{name}": getattr(database.features, name) for name in ("offset", "scale")}


def to_arrays(
    database: Database, transport: Mapping[str, np.ndarray] | None = None
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All arrays of a database by name, and everything else in plain JSON values.

    `transport`: the arrays that encode_database made of it take the place of its poses and features.
    """
    poses, features, skeleton = database.poses, database.features, database.poses.skeleton
    packed: dict[str, Any] = {}
    if isinstance(poses, PackedPoses):
        arrays, values = to_packed_arrays(poses)
        arrays |= _list_kept(database)
        packed = {"packed": values}
    elif transport is not None:
        arrays = {**transport, **_list_kept(database)}
        packed = {"transport": {}}
    else:
        arrays = {f"features.{name}": getattr(features, name) for name in _FEATURES}
        arrays |= {f"poses.{name}": getattr(poses, name) for name in _POSES}
        arrays["poses.tags"] = poses.tags.frames
    acts: dict[str, Any] = {}
    if poses.actions.names and transport is None:
        arrays |= {f"actions.{name}": getattr(poses.actions, name) for name in _ACTIONS}
        acts = {"actions": poses.actions.names}
    arrays |= _list_skeleton(skeleton)
    plan = FeaturePlan(features.schema, features.normalisation, features.weights, features.tail)
    return arrays, {**describe(poses, plan, database.about, database.filter), **packed, **acts}


def _list_skeleton(skeleton: Skeleton) -> dict[str, np.ndarray]:
    own = {f"skeleton.{name}": getattr(skeleton, name) for name in (*_SKELETON, "tpose")}
    return {name: array for name, array in own.items() if array is not None}


def list_small_arrays(poses: PoseDatabase, targets: np.ndarray, width: int) -> dict[str, np.ndarray]:
    """The arrays of a plain file but those of FRAME_ARRAYS; the normaliser is empty yet."""
    small = {f"poses.{name}": getattr(poses, name) for name in _POSES if f"poses.{name}" not in FRAME_ARRAYS}
    small |= {"poses.tags": poses.tags.frames, "features.targets": targets}
    small |= {"features.offset": np.zeros(width, np.float32), "features.scale": np.ones(width, np.float32)}
    if poses.actions.names:
        small |= {f"actions.{name}": getattr(poses.actions, name) for name in _ACTIONS}
    return small | _list_skeleton(poses.skeleton)


def describe(poses: PoseDatabase, plan: FeaturePlan, more: dict[str, Any], filter: str) -> dict[str, Any]:
    """What a file says of a database besides its arrays, in plain JSON values."""
    return {
        "skeleton": {"names": poses.skeleton.names, "roles": dict(poses.skeleton.roles)},
        "frame_rate": poses.frame_rate,
        "clips": poses.clip_names,
        "tags": poses.tags.names,
        "schema": [asdict(feature) for feature in plan.schema.features],
        "normalisation": plan.normalisation,
        "tail": plan.tail,
        "weights": {
            "features": dict(plan.weights.features),
            "responsiveness": plan.weights.responsiveness,
            "quality": plan.weights.quality,
        },
        "filter": filter,
        "more": more,
    }


def load(
    path: str | Path, *, verify: bool = True, mapped: bool = False, progress: Progress = lambda done, total: None
) -> Database:
    """Open a .kinematch file, packed or not; every array must fit its checksum and the table of what files hold.

    Its arrays are read into memory of their own. `mapped` has them share the file's pages instead, which several
    processes can do; then the file must not be written to while it is in use. Without `verify`, opening a mapped file
    reads no frames, and damaged ones play as they are. `progress(done, total)` tells of a transport file, which is
    unpacked and measured again.
    """
    arrays, about = read_arrays(Path(path), format=FORMAT, version=VERSION, verify=verify, mapped=mapped)
    database = from_arrays(path, arrays, about, verify=verify, progress=progress)
    return set_origin(database, path, about["checksum"], verify=verify, mapped=mapped)


def read_about(path: str | Path) -> dict[str, Any]:
    """What a file says of itself."""
    return open_arrays(Path(path), format=FORMAT, version=VERSION).about


def open_on_disk(path: str | Path, *, verify: bool = True) -> Database:
    """A plain .kinematch file as a database whose frames stay on disk: rows are read where its arrays are indexed.

    For looking through a large one; characters need it in memory. `verify` compares all contents with their checksums.
    """
    file = open_arrays(Path(path), format=FORMAT, version=VERSION)
    if verify:
        file.check()
    arrays: dict[str, Any] = {
        name: file.stand_in(name) if name in FRAME_ARRAYS else file.read(name) for name in file.names()
    }
    return from_arrays(path, arrays, file.about, verify=False)


def from_arrays(
    path: str | Path, arrays: dict[str, np.ndarray], about: dict[str, Any], words: Words = DATABASE_WORDS, *,
    verify: bool = True, progress: Progress = lambda done, total: None,
) -> Database:  # fmt: skip
    """The inverse of to_arrays, for what was read from a file."""
    try:
        skeleton, schema, sizes = read_values(about, DATABASE_VALUES, arrays)
        if "packed" in about and about["packed"].get("layout") != LAYOUT:
            raise FileError(path, "was packed by an earlier version; pack the database it was made of again")
        return _database(arrays, about, skeleton, schema, sizes, verify=verify, progress=progress)
    except FileError:
        raise
    except KinematchError as error:
        raise FileError(path, f"is damaged: {error}; {words.remedy}", kind="damaged") from error


def _open_pickled(arrays: dict[str, np.ndarray], about: str) -> Database:
    """From what a file of the database would hold."""
    for array in arrays.values():
        array.flags.writeable = False
    return from_arrays("a pickled database", arrays, json.loads(about))


def _database(
    arrays: dict[str, np.ndarray], about: dict[str, Any], skeleton: Skeleton, schema: FeatureSchema, sizes: Sizes, *,
    verify: bool, progress: Progress,
) -> Database:  # fmt: skip
    def part(group: str, names: list[str]) -> dict[str, Any]:
        return {name: arrays[f"{group}.{name}"] for name in names}

    rate, tags, sizes["C"] = float(about["frame_rate"]), tuple(about["tags"]), len(about["clips"])
    check_arrays(arrays, CLIPS, sizes)
    kept, values = part("poses", _CLIPS), part("features", ["offset", "scale"])
    clips = ClipTable(
        kept["clip_starts"], kept["clip_stops"], kept["clip_loops"], kept["loop_positions"],
        kept["loop_rotations"], tuple(about["clips"]),
    )  # fmt: skip
    poses: PoseDatabase
    if "transport" in about:
        added = len(clips.names) * rate * (schema.past + max(schema.times, default=0.0))
        if added > FREE_FRAMES + MOST_ADDED * int(clips.stops[-1]):
            raise KinematchError(f"features look {added:g} frames past its clips, which have {clips.stops[-1]}")
        poses, values["targets"] = decode_poses(
            arrays, skeleton, rate, clips, sizes, contact_joints=kept["contact_joints"], tag_names=tags,
            progress=progress,
        )  # fmt: skip
        values["values"] = (schema.build(poses) - values["offset"]) / values["scale"]
    elif "packed" in about:
        poses = from_packed_arrays(
            arrays, about["packed"], skeleton, rate, clips, sizes, contact_joints=kept["contact_joints"],
            tag_names=tags, verify=verify,
        )  # fmt: skip
        values |= {"values": open_features(poses.pack), "targets": open_targets(poses.marks)}
    else:
        check_arrays(arrays, PLAIN, sizes, contents=verify)
        tagged = Tags(tags, arrays["poses.tags"])
        poses = PoseDatabase(
            skeleton=skeleton, frame_rate=rate, clip_names=clips.names, tags=tagged, **part("poses", _POSES)
        )
        values = part("features", _FEATURES)
    if "actions" in about:
        check_arrays(arrays, ACTIONS, sizes)
        poses = replace(poses, actions=Actions(tuple(about["actions"]), **part("actions", _ACTIONS)))
    features = FeatureDatabase(
        schema=schema,
        clip_starts=poses.clip_starts,
        clip_stops=poses.clip_stops,
        weights=Weights(**about["weights"]),
        normalisation=about["normalisation"],
        tail=float(about["tail"]),
        **values,
    )
    return Database(poses, features, dict(about["more"]), about.get("filter", ""))
