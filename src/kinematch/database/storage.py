"""Databases as files: one self-describing safetensors file, verified as it is read."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.container import DATABASE_WORDS, Words, read_arrays, write_arrays
from kinematch.database.feature_database import FeatureDatabase, Weights
from kinematch.database.features import Feature
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
SUFFIX = ".kinematch"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Database:
    """Everything a character needs: poses to show and features to find them by.

    `km.build` makes one from a recipe, `km.load` opens one from a file, `km.dance_card` is the built-in one.
    """

    poses: PoseDatabase
    features: FeatureDatabase
    about: dict[str, Any] = field(default_factory=dict)  # recipe, sources, warnings: plain JSON values
    filter: str = ""  # tags that frames must satisfy when a command names none, such as `walk & !crouch`

    def __post_init__(self):
        check_filter(self.filter, self.poses.tags.names)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all its poses; joint 0 is the ground root."""
        return self.poses.skeleton


_POSES = [f.name for f in fields(PoseDatabase) if f.type is np.ndarray or f.type == "np.ndarray"]
_CLIPS = ["contact_joints", "clip_starts", "clip_stops", "clip_loops", "loop_positions", "loop_rotations"]
_FEATURES = ["values", "offset", "scale", "targets"]
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
    arrays |= {f"skeleton.{name}": getattr(skeleton, name) for name in _SKELETON}
    if skeleton.tpose is not None:
        arrays["skeleton.tpose"] = skeleton.tpose
    about = {
        "skeleton": {"names": skeleton.names, "roles": dict(skeleton.roles)},
        "frame_rate": poses.frame_rate,
        "clips": poses.clip_names,
        "tags": poses.tags.names,
        "schema": [asdict(feature) for feature in features.schema.features],
        "normalisation": features.normalisation,
        "tail": features.tail,
        "weights": {
            "features": dict(features.weights.features),
            "responsiveness": features.weights.responsiveness,
            "quality": features.weights.quality,
        },
        "filter": database.filter,
        "more": database.about,
        **packed,
    }
    return arrays, about


def load(
    path: str | Path, *, verify: bool = True, mapped: bool = False, progress: Progress = lambda done, total: None
) -> Database:
    """Open a .kinematch file, packed or not, and compare the contents of every array with their checksum.

    Its arrays are read into memory of their own. `mapped` has them share the file's pages instead, which several
    processes can do; then nobody may write to the file while it is in use. Without `verify`, opening a mapped file
    reads nothing, and a damaged one plays as it is. `progress(done, total)` tells of a transport file, which is
    unpacked and measured anew.
    """
    arrays, about = read_arrays(Path(path), format=FORMAT, version=VERSION, verify=verify, mapped=mapped)
    return from_arrays(path, arrays, about, progress=progress)


def from_arrays(
    path: str | Path, arrays: dict[str, np.ndarray], about: dict[str, Any], words: Words = DATABASE_WORDS,
    progress: Progress = lambda done, total: None,
) -> Database:  # fmt: skip
    """The inverse of to_arrays, for what was read from a file."""
    try:
        if "packed" in about and about["packed"].get("layout") != LAYOUT:
            raise FileError(path, "was packed by an earlier version; pack the database it was made of again")
        return _database(arrays, about, progress)
    except FileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, KinematchError) as error:
        raise FileError(path, f"is damaged: {error}; {words.remedy}", kind="damaged") from error


def _database(arrays: dict[str, np.ndarray], about: dict[str, Any], progress: Progress) -> Database:
    def part(group: str, names: list[str]) -> dict[str, np.ndarray]:
        return {name: arrays[f"{group}.{name}"] for name in names}

    skeleton = Skeleton(
        names=tuple(about["skeleton"]["names"]),
        roles=about["skeleton"]["roles"],
        tpose=arrays.get("skeleton.tpose"),
        **part("skeleton", _SKELETON),
    )
    schema = FeatureSchema(tuple(Feature(**{**one, "times": tuple(one["times"])}) for one in about["schema"]))
    poses: PoseDatabase
    if "transport" in about:
        kept, normaliser = part("poses", _CLIPS), part("features", ["offset", "scale"])
        clips = ClipTable(
            kept["clip_starts"], kept["clip_stops"], kept["clip_loops"], kept["loop_positions"],
            kept["loop_rotations"], tuple(about["clips"]),
        )  # fmt: skip
        poses, targets = decode_poses(
            arrays, skeleton, float(about["frame_rate"]), clips, contact_joints=kept["contact_joints"],
            tag_names=tuple(about["tags"]), progress=progress,
        )  # fmt: skip
        physical = schema.build(poses)
        values = {**normaliser, "values": (physical - normaliser["offset"]) / normaliser["scale"], "targets": targets}
    elif "packed" in about:
        poses = from_packed_arrays(arrays, about, skeleton, part("poses", _CLIPS), schema.width)
        values = {
            **part("features", ["offset", "scale"]), "values": open_features(poses.pack),
            "targets": open_targets(poses.marks),
        }  # fmt: skip
    else:
        poses = PoseDatabase(
            skeleton=skeleton,
            frame_rate=float(about["frame_rate"]),
            clip_names=tuple(about["clips"]),
            tags=Tags(tuple(about["tags"]), arrays["poses.tags"]),
            **part("poses", _POSES),
        )
        values = part("features", _FEATURES)
    features = FeatureDatabase(
        schema=schema,
        clip_starts=poses.clip_starts,
        clip_stops=poses.clip_stops,
        weights=Weights(**about["weights"]),
        normalisation=about["normalisation"],
        tail=float(about["tail"]),
        **values,
    )
    # files written before there was a filter have none
    return Database(poses, features, dict(about["more"]), about.get("filter", ""))
