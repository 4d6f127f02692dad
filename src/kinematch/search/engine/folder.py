"""The folder of a database for engines: flat arrays, names, one JSON about all of them, and the pages to port."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from kinematch import __version__
from kinematch.database.storage import Database
from kinematch.errors import visible
from kinematch.files.engines import EngineName, rename_bones
from kinematch.search.engine.arrays import FlatArray, list_arrays
from kinematch.search.engine.axes import ENGINE_AXES, OURS, PLAIN, turn_array
from kinematch.search.engine.vectors import choose_filters, make_vectors
from kinematch.search.space import search_space
from kinematch.writing import check_folder, replacing_folder

FORMAT, VERSION = "kinematch engine database", 2
PAGES = ("README.md", "kinematch.h", "check.cpp", "Kinematch.cs", "Check.cs")
TEXTS = ("joints.txt", "clips.txt", "tags.txt", "filters.txt")
SIZES = (
    *("version", "frames", "joints", "columns", "clips", "contacts", "tags", "queries", "poses", "trajectory"),
    "tail",  # frames before the end of what a filter admits that are not jumped to
)


def export_engine(
    database: Database,
    folder: str | Path,
    *,
    engine: EngineName | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, int]:
    """Write a database for other programs; an earlier export of that name is replaced. Bytes by file.

    For an `engine`, poses are in its axes and units and bones have its names; features stay in ours.
    """
    check_place(folder)
    filters = choose_filters(database)
    arrays = list_arrays(database) | make_vectors(database, filters)
    axes = PLAIN if engine is None else ENGINE_AXES[engine]
    arrays = {name: turn_array(array, axes) for name, array in arrays.items()}
    poses = database.poses
    names = list(database.skeleton.names)
    if engine is not None:
        names = list(rename_bones(database.skeleton, engine))
    tail = search_space(database).tail
    sizes = np.array([VERSION, *_measure(database), *_measure_vectors(arrays), tail], np.int32)
    arrays["sizes"] = FlatArray(sizes, ("sizes",), "", ", ".join(SIZES))
    arrays["frame_rate"] = FlatArray(np.array([poses.frame_rate], np.float32), ("one",), "1/s", "frames a second")
    texts = dict(zip(TEXTS, (names, poses.clip_names, poses.tags.names, filters)))
    with replacing_folder(folder, is_ours) as beside:
        described, whole = {}, hashlib.sha256()
        for done, (name, array) in enumerate(arrays.items()):
            progress(done, len(arrays))
            stored = array.stored
            digest = hashlib.sha256(stored.data)
            whole.update(digest.digest())
            stored.tofile(beside / f"{name}.bin")
            described[name] = {
                "file": f"{name}.bin",
                "type": {"f": "float32", "i": "int32", "u": "uint8"}[stored.dtype.kind],
                "shape": list(stored.shape),
                "axes": list(array.axes),
                "unit": array.unit,
                "meaning": array.meaning,
                "sha256": digest.hexdigest(),
            }
        for name, lines in texts.items():
            (beside / name).write_text("".join(f"{visible(line)}\n" for line in lines), encoding="utf-8", newline="\n")
        about = describe_database(database) | {"conventions": axes.text, "joints": names, "engine": engine or ""}
        about |= {"hash": whole.hexdigest(), "arrays": described}
        (beside / "database.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        pages = files("kinematch.search.engine") / "reference"
        for name in PAGES:
            (beside / name).write_bytes((pages / name).read_bytes())
    return {path.name: path.stat().st_size for path in sorted(Path(folder).iterdir())}


def check_place(folder: str | Path) -> None:
    """Refuse a place that holds anything but an earlier export, before the work begins."""
    check_folder(folder, is_ours)


def is_ours(name: str) -> bool:
    """Whether an export writes a file of that name."""
    return name in (*PAGES, *TEXTS, "database.json") or name.endswith(".bin")


def describe_database(database: Database) -> dict[str, Any]:
    """What a program must know beside the arrays."""
    features = database.features
    return {
        "format": FORMAT,
        "version": VERSION,
        "kinematch": __version__,
        "feature_conventions": f"{OURS}; trajectories in the root's axes",
        "byte_order": "little-endian, the last axis fastest",
        "frame_rate": database.poses.frame_rate,
        "roles": {role: int(joint) for role, joint in database.skeleton.roles.items()},
        "clips": list(database.poses.clip_names),
        "tags": list(database.poses.tags.names),
        "filter": database.filter,
        "schema": [
            {**asdict(feature), "times": list(feature.times), "columns": [own.start, own.stop]}
            for feature, own in zip(features.schema.features, features.schema.columns.values())
        ],
        "normalisation": features.normalisation,
    }


def _measure(database: Database) -> tuple[int, ...]:
    poses = database.poses
    contacts, tags = len(poses.contact_joints), len(poses.tags.names)
    frames, joints = poses.frame_count, poses.skeleton.joint_count
    return frames, joints, database.features.width, poses.clip_count, contacts, tags


def _measure_vectors(arrays: dict[str, FlatArray]) -> tuple[int, ...]:
    queries, trajectory = arrays["query_trajectories"].values.shape
    return queries, len(arrays["pose_frames"].values), trajectory
