"""Joint-angle trajectories for robots and trainers: CSV of the LAFAN1 retargeting layout, NPZ for mjlab and friends."""

import io
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.math import difference, quaternion
from kinematch.robot.model import TO_FILE
from kinematch.robot.motion import RobotMotion
from kinematch.writing import write_beside

RATES = {".csv": 30.0, ".npz": 50.0}  # frames per second that readers of these files expect
BODY_ORDER = "depth first, as in the model file (MuJoCo); PhysX-based trainers order breadth first"


def write_trajectory(path: str | Path, motion: RobotMotion) -> None:
    """Write a motion as the suffix says; the world has Z up, as robots have."""
    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        write_beside(path, _make_csv(motion))
    elif suffix == ".npz":
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **_make_arrays(motion))
        write_beside(path, content.getvalue())
    else:
        raise FileError(path, f"cannot write {suffix!r} for a robot; choose from: {' '.join(RATES)}")


def read_csv(path: str | Path, motion: RobotMotion) -> RobotMotion:
    """The trajectory of a CSV on the model, and at the rate, of another motion."""
    try:
        table = np.loadtxt(path, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise FileError(path, f"is not a table of numbers: {error}") from None
    columns = 7 + motion.model.hinge_count
    if table.shape[1] != columns:
        raise FileError(path, f"has {table.shape[1]} columns, expected {columns}")
    turns = np.concatenate([table[:, 6:7], table[:, 3:6][:, np.argsort(TO_FILE)]], axis=1)
    base = table[:, :3][:, np.argsort(TO_FILE)]
    return RobotMotion(motion.model, base, turns, table[:, 7:], motion.frame_rate, motion.name)


def _make_csv(motion: RobotMotion) -> bytes:
    """No header; x y z, then the quaternion x y z w, then angles in the model's order."""
    turns = quaternion.unroll(motion.base_rotations)
    rows = np.concatenate(
        [motion.base_positions[:, TO_FILE], turns[:, 1:][:, TO_FILE], turns[:, :1], motion.angles], axis=1
    )
    content = io.BytesIO()
    np.savetxt(content, rows, fmt="%.6f", delimiter=",")
    return content.getvalue()


def _make_arrays(motion: RobotMotion) -> dict[str, np.ndarray]:
    """The fields that mjlab's motion loader reads, and also names and the order of bodies."""
    places, turns = motion.model.place_bodies(*motion.place_links())
    dt = 1 / motion.frame_rate
    turns = quaternion.unroll(turns)
    arrays = {
        "fps": np.array([motion.frame_rate]),
        "joint_pos": motion.angles,
        "joint_vel": difference.central(motion.angles, dt),
        "body_pos_w": places[..., TO_FILE],
        "body_quat_w": np.concatenate([turns[..., :1], turns[..., 1:][..., TO_FILE]], axis=-1),  # w first
        "body_lin_vel_w": difference.central(places, dt)[..., TO_FILE],
        "body_ang_vel_w": difference.angular_central(turns, dt)[..., TO_FILE],
    }
    numbers = {name: values.astype(np.float32) for name, values in arrays.items()}
    names = {"joint_names": motion.model.hinge_names, "body_names": motion.model.body_names}
    return numbers | {name: np.array(values) for name, values in names.items()} | {"body_order": np.array(BODY_ORDER)}
