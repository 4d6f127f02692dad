"""LeRobot datasets, version 3: a folder with one episode, whose states and actions are joint angles and the base."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.math import quaternion
from kinematch.robot.model import TO_FILE, TO_OURS, RobotModel
from kinematch.robot.motion import RobotMotion
from kinematch.writing import replacing_folder

VERSION = "v3.0"
BASE_NAMES = ("base_x", "base_y", "base_z", "base_qw", "base_qx", "base_qy", "base_qz")
PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
FIRST = PLACE.format(chunk_index=0, file_index=0)
COUNTERS = ("frame_index", "episode_index", "index", "task_index")


def write_lerobot(path: str | Path, motion: RobotMotion) -> None:
    """A folder that LeRobot opens: states are the base and the angles, actions the angles of the next frame."""
    import_pyarrow()
    import pyarrow as pa
    from pyarrow import parquet

    frames, names = motion.frame_count, list(motion.model.hinge_names)
    turns = quaternion.unroll(motion.base_rotations)
    base = np.concatenate([motion.base_positions[:, TO_FILE], turns[:, :1], turns[:, 1:][:, TO_FILE]], axis=1)
    following = np.minimum(np.arange(frames) + 1, frames - 1)
    columns: dict[str, np.ndarray] = {
        "observation.state": np.concatenate([base, motion.angles], axis=1).astype(np.float32),
        "action": motion.angles[following].astype(np.float32),
        "timestamp": (np.arange(frames) / motion.frame_rate).astype(np.float32),
        **{name: np.arange(frames) if name in ("frame_index", "index") else np.zeros(frames, int) for name in COUNTERS},
    }
    info = {
        "codebase_version": VERSION, "robot_type": motion.model.name, "total_episodes": 1, "total_frames": frames,
        "total_tasks": 1, "chunks_size": 1000, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200,
        "fps": round(motion.frame_rate, 6) if motion.frame_rate % 1 else int(motion.frame_rate),
        "splits": {"train": "0:1"}, "data_path": f"data/{PLACE}", "video_path": None,
        "features": {
            "observation.state": _describe("float32", len(BASE_NAMES) + len(names), [*BASE_NAMES, *names]),
            "action": _describe("float32", len(names), names),
            "timestamp": _describe("float32", 1, None),
            **{name: _describe("int64", 1, None) for name in COUNTERS},
        },
    }  # fmt: skip
    task = motion.name or "motion"
    episode = {
        "episode_index": [0], "tasks": [[task]], "length": [frames], "data/chunk_index": [0], "data/file_index": [0],
        "dataset_from_index": [0], "dataset_to_index": [frames], "meta/episodes/chunk_index": [0],
        "meta/episodes/file_index": [0],
    }  # fmt: skip
    tasks = pa.table({"task_index": np.zeros(1, np.int64), "__index_level_0__": [task]})
    with replacing_folder(path, lambda name: name in ("meta", "data")) as folder:
        for inside in (f"meta/episodes/{FIRST}", f"data/{FIRST}"):
            (folder / inside).parent.mkdir(parents=True)
        parquet.write_table(pa.table({name: _to_arrow(pa, v) for name, v in columns.items()}), folder / "data" / FIRST)
        parquet.write_table(pa.table(episode), folder / "meta" / "episodes" / FIRST)
        parquet.write_table(
            tasks.replace_schema_metadata({"pandas": json.dumps(_TASK_INDEX)}), folder / "meta/tasks.parquet"
        )
        (folder / "meta/info.json").write_text(json.dumps(info, indent=4))
        (folder / "meta/stats.json").write_text(json.dumps({k: _summarise(v) for k, v in columns.items()}, indent=4))


def read_lerobot(path: str | Path, model: RobotModel) -> RobotMotion:
    """The first episode of a folder that was written by `write_lerobot`, or has its names of states."""
    import_pyarrow()
    import pyarrow as pa
    from pyarrow import parquet

    folder = Path(path)
    try:
        info = json.loads((folder / "meta/info.json").read_text())
        features, rate, version = info["features"], float(info["fps"]), info["codebase_version"]
        names = features["observation.state"]["names"]
        table = parquet.read_table(folder / "data" / FIRST, columns=["observation.state", "episode_index"])
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise FileError(path, f"is not a LeRobot dataset: {str(error)[:200]}") from None
    if version != VERSION:
        raise FileError(path, f"is of version {version!r}, expected {VERSION!r}")
    wanted = [*BASE_NAMES, *model.hinge_names]
    if not isinstance(names, list) or sorted(map(str, names)) != sorted(wanted):
        raise FileError(path, f"names {len(names or ())} states, expected {', '.join(wanted[:9])} ...")
    first = table["episode_index"].to_numpy() == 0
    rows = np.array(table["observation.state"].to_pylist(), np.float64)[first]
    if rows.ndim != 2 or rows.shape[1] != len(wanted) or not np.isfinite(rows).all():
        raise FileError(path, f"states have shape {rows.shape}, expected finite numbers (frames, {len(wanted)})")
    rows = rows[:, [names.index(name) for name in wanted]]
    turns = np.concatenate([rows[:, 3:4], rows[:, 4:7][:, TO_OURS]], axis=1)
    return RobotMotion(
        model, rows[:, :3][:, TO_OURS], quaternion.normalize(turns), rows[:, 7:], rate, folder.stem
    )  # fmt: skip


def import_pyarrow() -> None:
    """Raise an error that says what to install, without pyarrow."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise KinematchError("LeRobot datasets need pyarrow: pip install 'kinematch[lerobot]'") from None


# how pandas writes a table with its index, by which LeRobot finds tasks
_TASK_INDEX = {
    "index_columns": ["__index_level_0__"],
    "column_indexes": [],
    "columns": [
        {"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64"},
        {"name": None, "field_name": "__index_level_0__", "pandas_type": "unicode", "numpy_type": "object"},
    ],
    "pandas_version": "2.0.0",
}


def _describe(dtype: str, width: int, names: list[str] | None) -> dict[str, Any]:
    return {"dtype": dtype, "shape": [width], "names": names}


def _to_arrow(pa: Any, values: np.ndarray) -> Any:
    if values.ndim == 1:
        return pa.array(values)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def _summarise(values: np.ndarray) -> dict[str, list[float]]:
    table = values.reshape(len(values), -1).astype(np.float64)
    figures = {"min": table.min(axis=0), "max": table.max(axis=0), "mean": table.mean(axis=0), "std": table.std(axis=0)}
    return {name: found.tolist() for name, found in figures.items()} | {"count": [len(values)]}
