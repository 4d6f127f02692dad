"""The .npz layouts of trainers: mjlab and BeyondMimic, holosoma, and the keys of GMR; read and written."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kinematch.errors import FileError, unknown
from kinematch.files.npz import read_npz
from kinematch.math import difference, quaternion
from kinematch.robot.model import TO_FILE, TO_OURS, RobotModel
from kinematch.robot.motion import RobotMotion

BODY_ORDER = "depth first, as in the model file (MuJoCo); PhysX-based trainers order breadth first"
MAX_BODY_ERROR = 0.05  # m by which bodies may lie elsewhere than the model has them; one robot's models differ
XYZW, WXYZ = [1, 2, 3, 0], [3, 0, 1, 2]


def make_mjlab(motion: RobotMotion) -> dict[str, np.ndarray]:
    """The fields that mjlab's motion loader reads, and also names and the order of bodies."""
    bodies = _find_bodies(motion)
    return {
        "fps": np.array([motion.frame_rate]),
        "joint_pos": motion.angles,
        "joint_vel": difference.central(motion.angles, 1 / motion.frame_rate),
        **bodies,
        **_make_names(motion.model),
    }


def make_holosoma(motion: RobotMotion) -> dict[str, np.ndarray]:
    """As mjlab's, but joints begin with the base: x y z and w x y z, and its velocities in the world."""
    bodies = _find_bodies(motion)
    base, turns = motion.base_positions[:, TO_FILE], _to_file(motion.base_rotations)
    dt = 1 / motion.frame_rate
    speeds = [difference.central(base, dt), difference.angular_central(turns, dt)]
    return {
        "fps": np.array([motion.frame_rate]),
        "joint_pos": np.concatenate([base, turns, motion.angles], axis=1),
        "joint_vel": np.concatenate([*speeds, difference.central(motion.angles, dt)], axis=1),
        **bodies,
        **_make_names(motion.model),
    }


def make_gmr(motion: RobotMotion) -> dict[str, np.ndarray]:
    """The keys of GMR's pickles: quaternions x y z w, bodies in the base's space."""
    base, turns = motion.base_positions[:, TO_FILE], _to_file(motion.base_rotations)
    places = motion.model.place_bodies(*motion.place_links())[0][..., TO_FILE]
    back = np.repeat(quaternion.inverse(turns)[:, None], places.shape[1], axis=1)
    return {
        "fps": np.array(motion.frame_rate),
        "root_pos": base,
        "root_rot": turns[:, XYZW],
        "dof_pos": motion.angles,
        "local_body_pos": quaternion.rotate(back, places - base[:, None]),
        "link_body_list": np.array(motion.model.body_names),
        "joint_names": np.array(motion.model.hinge_names),
    }


def read_arrays(path: str | Path, model: RobotModel) -> RobotMotion:
    """A motion in any of these layouts, recognised by its arrays; names and orders must be those of the model.

    Joints in another order are sorted by their names. Bodies are compared with where the model has them.
    """
    arrays = read_npz(path, "joint angles (npz)")
    if "dof_pos" in arrays:
        base, turns = _take(path, arrays, "root_pos", 3), _take(path, arrays, "root_rot", 4)[:, WXYZ]
        angles = _sort_joints(path, arrays, _take(path, arrays, "dof_pos", model.hinge_count), model)
    elif "joint_pos" in arrays and arrays["joint_pos"].ndim == 2 and "body_pos_w" in arrays:
        wide = arrays["joint_pos"].shape[1] == 7 + model.hinge_count
        joints = _take(path, arrays, "joint_pos", model.hinge_count + (7 if wide else 0))
        angles = _sort_joints(path, arrays, joints[:, 7:] if wide else joints, model)
        if wide:
            base, turns = joints[:, :3], joints[:, 3:7]
        else:
            k = _find_body(path, arrays, model.body_names[0])
            base, turns = (_take(path, arrays, name, None)[:, k] for name in ("body_pos_w", "body_quat_w"))
    else:
        found = ", ".join(sorted(arrays)[:8]) or "nothing"
        raise FileError(path, f"holds {found}; expected joint_pos and body_pos_w, or root_pos, root_rot and dof_pos")
    if not len(base) == len(turns) == len(angles):
        raise FileError(path, f"has {len(base)}, {len(turns)} and {len(angles)} frames of one motion")
    lengths = np.linalg.norm(turns, axis=1, keepdims=True)
    if (np.abs(lengths - 1) > 1e-2).any():
        raise FileError(path, f"rotations of the base have lengths from {lengths.min():.2f}, expected 1")
    motion = RobotMotion(
        model, base[:, TO_OURS], _to_ours(turns / lengths), angles, read_rate(path, arrays), Path(path).stem
    )  # fmt: skip
    _check_bodies(path, arrays, motion)
    return motion


def read_rate(path: str | Path, arrays: Mapping[str, np.ndarray]) -> float:
    """The frames a second that a file says."""
    rate = arrays.get("fps", np.zeros(0))
    if rate.size != 1 or rate.dtype.kind not in "fiu" or not 0 < float(rate.ravel()[0]) <= 10_000:
        raise FileError(path, "does not say its frame rate in 'fps'")
    return float(rate.ravel()[0])


def _find_bodies(motion: RobotMotion) -> dict[str, np.ndarray]:
    """Bodies in the world, w first, and their velocities."""
    places, turns = motion.model.place_bodies(*motion.place_links())
    dt, turns = 1 / motion.frame_rate, quaternion.unroll(turns)
    return {
        "body_pos_w": places[..., TO_FILE],
        "body_quat_w": _to_file(turns),
        "body_lin_vel_w": difference.central(places, dt)[..., TO_FILE],
        "body_ang_vel_w": difference.angular_central(turns, dt)[..., TO_FILE],
    }


def _make_names(model: RobotModel) -> dict[str, np.ndarray]:
    names = {"joint_names": model.hinge_names, "body_names": model.body_names}
    return {name: np.array(values) for name, values in names.items()} | {"body_order": np.array(BODY_ORDER)}


def _take(path: str | Path, arrays: Mapping[str, np.ndarray], name: str, width: int | None) -> np.ndarray:
    """Finite numbers (F, width), or of any shape."""
    if name not in arrays:
        raise FileError(path, f"has no array {name!r}")
    values = arrays[name]
    if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
        raise FileError(path, f"array {name!r} holds values that are not finite numbers")
    if not len(values.shape) or (width is not None and values.shape[1:] != (width,)):
        raise FileError(path, f"array {name!r} has shape {values.shape}, expected (frames, {width})")
    if width is None and (values.ndim != 3 or values.shape[2] != (4 if "quat" in name else 3)):
        raise FileError(path, f"array {name!r} has shape {values.shape}, expected (frames, bodies, 3 or 4)")
    return values.astype(np.float64)


def _sort_joints(
    path: str | Path, arrays: Mapping[str, np.ndarray], angles: np.ndarray, model: RobotModel
) -> np.ndarray:
    """Columns in the model's order, by the names in the file, if it has any."""
    names = [str(name) for name in arrays["joint_names"].ravel()] if "joint_names" in arrays else None
    if names is None or names == list(model.hinge_names):
        return angles
    for name in names:
        if name not in model.hinge_names:
            raise FileError(path, unknown("hinge", name, model.hinge_names))
    if len(set(names)) != model.hinge_count or len(names) != model.hinge_count:
        raise FileError(path, f"names {len(set(names))} hinges, expected the model's {model.hinge_count}")
    return angles[:, [names.index(name) for name in model.hinge_names]]


def _find_body(path: str | Path, arrays: Mapping[str, np.ndarray], name: str) -> int:
    """The row of a body; the first where the file has no names."""
    if "body_names" not in arrays:
        return 0
    names = [str(one) for one in arrays["body_names"].ravel()]
    if name not in names or names.index(name) >= arrays["body_pos_w"].shape[1]:
        raise FileError(path, unknown("body", name, names))
    return names.index(name)


def _check_bodies(path: str | Path, arrays: Mapping[str, np.ndarray], motion: RobotMotion) -> None:
    """Bodies of the file must lie where the model puts them; orders of bodies or joints that were mixed do not."""
    if "body_pos_w" not in arrays:
        return
    model, told = motion.model, _take(path, arrays, "body_pos_w", None)
    if len(told) != motion.frame_count:
        raise FileError(path, f"has {len(told)} frames of bodies, and {motion.frame_count} of joints")
    chosen = np.unique(np.linspace(0, motion.frame_count - 1, 8).astype(int))
    links = model.place_links(motion.base_positions[chosen], motion.base_rotations[chosen], motion.angles[chosen])
    places = model.place_bodies(*links)[0][..., TO_FILE]
    if "body_names" not in arrays:
        if told.shape[1] != len(model.body_names):
            raise FileError(path, f"has {told.shape[1]} bodies and no names of them, expected {len(model.body_names)}")
        pairs = [(k, k) for k in range(told.shape[1])]
    else:
        names = [str(name) for name in arrays["body_names"].ravel()][: told.shape[1]]
        pairs = [(k, names.index(name)) for k, name in enumerate(model.body_names) if name in names]
    for ours, theirs in pairs:
        away = float(np.linalg.norm(places[:, ours] - told[chosen, theirs], axis=-1).max())
        if away > MAX_BODY_ERROR:
            raise FileError(
                path, f"body {model.body_names[ours]!r} is {100 * away:.0f} cm from where the model has it: its bodies "
                "or joints stand in another order, or the model is another one",
            )  # fmt: skip


def _to_file(turns: np.ndarray) -> np.ndarray:
    return np.concatenate([turns[..., :1], turns[..., 1:][..., TO_FILE]], axis=-1)


def _to_ours(turns: np.ndarray) -> np.ndarray:
    return np.concatenate([turns[..., :1], turns[..., 1:][..., TO_OURS]], axis=-1)
