"""Torques of hinges: those of the model's actuators and joints, else of robots that are known."""

from typing import Any

import numpy as np

# by hinges that a robot has; N m by words in their names, of which the first that fits counts. From the G1's URDF.
KNOWN_TORQUES: tuple[tuple[tuple[str, ...], tuple[tuple[str, float], ...]], ...] = (
    (
        ("left_hip_pitch_joint", "left_wrist_yaw_joint", "waist_yaw_joint"),
        (
            *(("hip_roll", 139.0), ("knee", 139.0), ("hip", 88.0), ("waist_yaw", 88.0), ("waist", 50.0)),
            *(("ankle", 50.0), ("wrist_pitch", 5.0), ("wrist_yaw", 5.0), ("", 25.0)),
        ),
    ),
)


def find_joint_torques(model: Any, hinge_names: tuple[str, ...], joints: np.ndarray) -> np.ndarray:
    """Largest torques (D,) N m of hinges, which are joints (D,) of a MuJoCo model; infinite where nothing says."""
    import mujoco

    most = np.full(len(hinge_names), np.inf)
    for k, joint in enumerate(joints):
        if model.jnt_actfrclimited[joint]:
            most[k] = np.abs(model.jnt_actfrcrange[joint]).max()
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        for k in np.flatnonzero(joints == model.actuator_trnid[a, 0]).tolist():
            gear = abs(model.actuator_gear[a, 0])
            if model.actuator_forcelimited[a]:
                most[k] = min(most[k], gear * np.abs(model.actuator_forcerange[a]).max())
            elif model.actuator_ctrllimited[a] and model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
                gain = abs(model.actuator_gainprm[a, 0])
                most[k] = min(most[k], gear * gain * np.abs(model.actuator_ctrlrange[a]).max())
    for hinges, torques in KNOWN_TORQUES:
        if set(hinges) <= set(hinge_names):
            known = np.array([next((t for word, t in torques if word in name), np.inf) for name in hinge_names])
            most = np.where(np.isfinite(most), most, known)
    return np.where(most > 0, most, np.inf)
