"""AMASS recordings (.npz of SMPL poses): joint angles on a neutral skeleton, read and written without a body model."""

import io
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from kinematch.errors import FileError, listed
from kinematch.files.npz import ARCHIVE_ERRORS, read_array
from kinematch.files.reading import opened
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import MIN_FRAME_RATE, Clip, Origin
from kinematch.motion.humanoid import reduce_to_humanoid
from kinematch.motion.kinematics import global_pose, local_rotations, tpose
from kinematch.motion.role_names import PHALANGES, SIDES
from kinematch.motion.skeleton import LARGEST_LENGTH, Skeleton, skeleton
from kinematch.motion.tpose import with_reference_tpose
from kinematch.writing import write_beside

# Name, parent, role, offset in the T-pose (m): a person of 1.7 m, drawn up here; real bones depend on the body model.
_MIDDLE = (
    ("pelvis", "", "hips", (0.0, 0.93, 0.0)),
    ("spine1", "pelvis", "spine", (0.0, 0.11, -0.02)),
    ("spine2", "spine1", "chest", (0.0, 0.13, 0.0)),
    ("spine3", "spine2", "upper_chest", (0.0, 0.06, 0.0)),
    ("neck", "spine3", "neck", (0.0, 0.21, -0.03)),
    ("head", "neck", "head", (0.0, 0.09, 0.04)),
)
_SIDE = (
    ("hip", "pelvis", "upper_leg", (0.07, -0.08, 0.0)),
    ("knee", "hip", "lower_leg", (0.03, -0.38, 0.0)),
    ("ankle", "knee", "foot", (0.0, -0.40, -0.03)),
    ("foot", "ankle", "toes", (0.02, -0.05, 0.12)),
    ("collar", "spine3", "shoulder", (0.07, 0.12, -0.02)),
    ("shoulder", "collar", "upper_arm", (0.11, 0.03, 0.0)),
    ("elbow", "shoulder", "lower_arm", (0.26, 0.0, 0.0)),
    ("wrist", "elbow", "hand", (0.25, 0.0, 0.0)),
)
_FINGER_ROOTS = {
    "index": (0.1, 0.0, 0.03), "middle": (0.105, 0.0, 0.005), "little": (0.085, -0.01, -0.04),
    "ring": (0.095, 0.0, -0.02), "thumb": (0.035, -0.01, 0.035),
}  # fmt: skip
_PHALANX = (0.03, 0.0, 0.0)
_SMPL_NAMES = {"little": "pinky"}
_BODY = (
    *("pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle"),
    *("spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head", "left_shoulder"),
    *("right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist"),
)
_HANDS = tuple(
    f"{side}_{_SMPL_NAMES.get(finger, finger)}{number}"
    for side in SIDES
    for finger in _FINGER_ROOTS
    for number in (1, 2, 3)
)
_FACE = ("jaw", "left_eye", "right_eye")
# columns of `poses` -> which joint each three of them turn; None is passed over
LAYOUTS: dict[int, tuple[str | None, ...]] = {
    66: _BODY,
    72: (*_BODY, None, None),
    156: (*_BODY, *_HANDS),  # SMPL-H, as AMASS has it
    165: (*_BODY, *(None for _ in _FACE), *_HANDS),  # SMPL-X
}
TO_Y_UP = rotation.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2)  # AMASS has Z up
RATE_KEYS = ("mocap_framerate", "mocap_frame_rate")
BODY_MODEL_NOTE = (
    "bone lengths are those of a neutral skeleton, since the body model is not read: positions are approximate"
)


@lru_cache(maxsize=1)
def neutral_skeleton() -> Skeleton:
    """SMPL-H's 52 joints with lengths of our own. Its rest pose is the model's, with legs slightly apart."""
    joints = {name: (parent, role, offset) for name, parent, role, offset in _MIDDLE}
    own = {name for name, *_ in _SIDE}
    for side, sign in zip(SIDES, (1.0, -1.0)):
        for name, parent, role, (x, y, z) in _SIDE:
            above = f"{side}_{parent}" if parent in own else parent
            joints[f"{side}_{name}"] = (above, f"{side}_{role}", (sign * x, y, z))
        for finger, (x, y, z) in _FINGER_ROOTS.items():
            above, start = f"{side}_wrist", f"{side}_{_SMPL_NAMES.get(finger, finger)}"
            for number, (part, (a, b, c)) in enumerate(zip(PHALANGES, ((x, y, z), _PHALANX, _PHALANX)), 1):
                joints[f"{start}{number}"] = (above, f"{side}_{finger}_{part}", (sign * a, b, c))
                above = f"{start}{number}"
    names = (*_BODY, *_HANDS)
    parents = [names.index(joints[name][0]) if joints[name][0] else -1 for name in names]
    offsets = np.array([joints[name][2] for name in names])
    toes, top, tips = (0.0, -0.02, 0.07), (0.0, 0.19, 0.0), (0.025, 0.0, 0.0)
    ends = [(names.index("head"), top)]
    for side, sign in zip(SIDES, (1.0, -1.0)):
        ends.append((names.index(f"{side}_foot"), toes))
        ends += [
            (k, (sign * tips[0], *tips[1:]))
            for k, name in enumerate(names)
            if name.startswith(side) and name[-1] == "3"
        ]
    rig = skeleton(names, parents, offsets, ends=ends, roles={joints[name][1]: k for k, name in enumerate(names)})
    return with_reference_tpose(Clip(rig, rig.offsets[None], rig.rotations[None], 30.0)).skeleton


def read_amass(path: str | Path) -> Clip:
    """The motion of a recording. Angles are exact; bones are our own, and the pelvis is put where `trans` says.

    `trans` places the origin of the body model, from which the pelvis is off by a constant that depends on the body:
    about 20 cm along the ground and a few in height. `put_on_floor` takes out the latter.
    """
    arrays = _read_arrays(path)
    poses, trans = arrays["poses"], arrays["trans"]
    if poses.ndim != 2 or poses.shape[1] not in LAYOUTS or not len(poses):
        raise FileError(path, f"poses has shape {poses.shape}, expected (frames, {' or '.join(map(str, LAYOUTS))})")
    if trans.shape != (len(poses), 3):
        raise FileError(path, f"trans has shape {trans.shape}, expected ({len(poses)}, 3)")
    rate = arrays["rate"]
    if rate.size != 1 or not rate.reshape(-1)[0] >= MIN_FRAME_RATE:
        raise FileError(path, f"mocap_framerate is {rate.reshape(-1)[:3]}, expected one number of frames per second")
    for name, values in (("poses", poses), ("trans", trans)):
        if not (np.abs(values) < LARGEST_LENGTH).all():  # NaN fails too
            frame = int(np.argmax(~(np.abs(values) < LARGEST_LENGTH).all(axis=1)))
            raise FileError(path, f"{name} is not finite at frame {frame}")
    rig = neutral_skeleton()
    turns = rotation.from_rotation_vector(poses.astype(np.float64).reshape(len(poses), -1, 3))
    rotations = quaternion.identity((len(poses), rig.joint_count))
    for column, joint in enumerate(LAYOUTS[poses.shape[1]]):
        if joint is not None:
            rotations[:, rig.names.index(joint)] = turns[:, column]
    rotations[:, 0] = quaternion.multiply(TO_Y_UP, rotations[:, 0])
    positions = np.repeat(rig.offsets[None].astype(np.float64), len(poses), axis=0)
    positions[:, 0] = quaternion.rotate(TO_Y_UP, trans.astype(np.float64))
    source = Origin(
        str(path), "amass", up="Z", up_reason="Z-up by definition", facing="Z", facing_reason="in the model's T-pose",
        notes=(BODY_MODEL_NOTE,),
    )  # fmt: skip
    return Clip(
        rig, positions, quaternion.unroll(rotations), float(rate.reshape(-1)[0]), Path(path).stem, source=source
    )


def write_amass(path: str | Path, clip: Clip) -> None:
    """Write a humanoid's motion as SMPL-H poses (F, 156), Z-up, with neutral betas; its proportions are lost."""
    rig, bare = neutral_skeleton(), reduce_to_humanoid(clip)
    known = bare.skeleton.roles
    turned = global_pose(bare)[1].astype(np.float64)
    # joints that the clip lacks follow their parent; all are counted from the T-pose, the model's from its rest pose
    source = [0] * rig.joint_count
    for role, joint in rig.roles.items():  # parents first
        source[joint] = known.get(role, source[max(rig.parents[joint], 0)])
    rotations = quaternion.multiply(turned[:, source], tpose(rig)[1].astype(np.float64))
    rotations = local_rotations(rig, rotations)
    rotations[:, 0] = quaternion.multiply(quaternion.inverse(TO_Y_UP), rotations[:, 0])
    vectors = rotation.to_rotation_vector(rotations)
    places = quaternion.rotate(quaternion.inverse(TO_Y_UP), bare.positions[:, 0].astype(np.float64))
    content = io.BytesIO()
    np.savez_compressed(
        content, poses=vectors.reshape(clip.frame_count, -1), trans=places, betas=np.zeros(16),
        gender=np.array("neutral"), mocap_framerate=np.array(clip.frame_rate),
    )  # fmt: skip
    write_beside(path, content.getvalue())


def _read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays that are needed; nothing is unpickled, and nothing is larger than it may be."""
    with opened(path, "an AMASS recording") as (file, _):
        try:
            with zipfile.ZipFile(file) as archive:
                present = {name.removesuffix(".npy"): name for name in archive.namelist()}
                rate = next((name for name in RATE_KEYS if name in present), RATE_KEYS[0])
                missing = [name for name in ("poses", "trans", rate) if name not in present]
                if missing:
                    found = f"found {listed(sorted(present), 8)}" if present else "it is empty"
                    raise FileError(path, f"is not an AMASS recording: no array {missing[0]!r}, {found}")
                wanted = {"poses": "poses", "trans": "trans", "rate": rate}
                return {name: read_array(path, archive, present[inside]) for name, inside in wanted.items()}
        except ARCHIVE_ERRORS as error:
            raise FileError(path, f"is a damaged archive: {error}", kind="damaged") from None
