"""Joint-angle trajectories for robots and trainers: the layout is that of the file's ending."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.math import quaternion
from kinematch.robot.lerobot import read_lerobot, write_lerobot
from kinematch.robot.model import TO_FILE, TO_OURS, RobotModel
from kinematch.robot.motion import RobotMotion
from kinematch.robot.npz_layouts import make_gmr, make_holosoma, make_mjlab, read_arrays
from kinematch.writing import write_beside

RATES = {".csv": 30.0, ".npz": 50.0, ".lerobot": 50.0}  # frames per second that readers of these files expect
NPZ_LAYOUTS: dict[str, Callable[[RobotMotion], dict[str, np.ndarray]]] = {
    "": make_mjlab, ".holosoma": make_holosoma, ".gmr": make_gmr
}  # fmt: skip


def write_trajectory(path: str | Path, motion: RobotMotion) -> None:
    """Write a motion as the ending says; the world has Z up, as robots have.

    .csv, .npz (mjlab), .holosoma.npz, .gmr.npz, or a folder .lerobot.
    """
    suffix, before = Path(path).suffix.lower(), Path(Path(path).stem).suffix.lower()
    if suffix == ".csv":
        write_beside(path, _make_csv(motion))
    elif suffix == ".npz":
        arrays = NPZ_LAYOUTS.get(before, make_mjlab)(motion)
        numbers = {
            name: values.astype(np.float32) if values.dtype.kind == "f" else values for name, values in arrays.items()
        }
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **numbers)
        write_beside(path, content.getvalue())
    elif suffix == ".lerobot":
        write_lerobot(path, motion)
    else:
        raise FileError(path, f"cannot write {suffix!r} for a robot; choose from: {' '.join(RATES)}")


def read_trajectory(path: str | Path, model: RobotModel, *, frame_rate: float | None = None) -> RobotMotion:
    """The motion of a file on a model, whose names and order must agree; a CSV says no rate: 30 if not given."""
    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        return _read_csv(path, model, frame_rate or RATES[suffix])
    if suffix == ".npz":
        return read_arrays(path, model)
    if suffix == ".lerobot":
        return read_lerobot(path, model)
    raise FileError(path, f"cannot read {suffix!r} for a robot; choose from: {' '.join(RATES)}")


def _read_csv(path: str | Path, model: RobotModel, frame_rate: float) -> RobotMotion:
    try:
        table = np.loadtxt(path, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise FileError(path, f"is not a table of numbers: {error}") from None
    columns = 7 + model.hinge_count
    if table.shape[1] != columns:
        raise FileError(path, f"has {table.shape[1]} columns, expected {columns}")
    if not np.isfinite(table).all():
        raise FileError(path, "holds values that are not finite")
    turns = np.concatenate([table[:, 6:7], table[:, 3:6][:, TO_OURS]], axis=1)
    return RobotMotion(model, table[:, :3][:, TO_OURS], turns, table[:, 7:], frame_rate, Path(path).stem)


def _make_csv(motion: RobotMotion) -> bytes:
    """No header; x y z, then the quaternion x y z w, then angles in the model's order."""
    turns = quaternion.unroll(motion.base_rotations)
    rows = np.concatenate(
        [motion.base_positions[:, TO_FILE], turns[:, 1:][:, TO_FILE], turns[:, :1], motion.angles], axis=1
    )
    content = io.BytesIO()
    np.savetxt(content, rows, fmt="%.6f", delimiter=",")
    return content.getvalue()
