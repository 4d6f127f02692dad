"""Speeds of hinges of known robots, for model files that do not say: MJCF has no place for them."""

import numpy as np

from kinematch.robot.model import RobotModel

# A robot is known by hinges that it has; rad/s by words in their names, of which the first that fits counts. The G1's
# are those of its URDF and of mjlab; the H1's and the T1's of their URDFs; the Berkeley Humanoid's of its makers'
# training code; the OP3's those of its servos, XM430-W350, without load at 12 V.
KNOWN_ROBOTS: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, float], ...]], ...] = (
    (
        "Unitree G1",
        ("left_hip_pitch_joint", "left_wrist_yaw_joint", "waist_yaw_joint"),
        (
            *(("hip_roll", 20.0), ("knee", 20.0), ("hip", 32.0), ("waist_yaw", 32.0)),
            *(("wrist_pitch", 22.0), ("wrist_yaw", 22.0), ("", 37.0)),
        ),
    ),
    (
        "Unitree H1",
        ("left_hip_yaw", "left_ankle", "torso", "left_shoulder_pitch", "left_elbow"),
        (
            *(("hip", 23.0), ("knee", 14.0), ("ankle", 9.0), ("torso", 23.0), ("shoulder_yaw", 20.0)),
            *(("shoulder", 9.0), ("elbow", 20.0)),
        ),
    ),
    (
        "Booster T1",
        ("Left_Hip_Pitch", "Left_Knee_Pitch", "Left_Elbow_Yaw", "Waist", "AAHead_yaw"),
        (
            *(("Hip_Pitch", 12.5), ("Hip", 10.9), ("Knee", 11.7), ("Ankle_Pitch", 18.8), ("Ankle", 12.4)),
            *(("Waist", 10.88), ("ead", 12.56), ("", 18.84)),
        ),
    ),
    (
        "Berkeley Humanoid",
        ("LL_HR", "LL_HAA", "LL_HFE", "LL_KFE", "LL_FFE", "LL_FAA"),
        (("HFE", 20.0), ("KFE", 14.0), ("FAA", 42.0), ("", 23.0)),
    ),
    ("Robotis OP3", ("l_hip_yaw", "l_knee", "l_ank_pitch", "l_sho_pitch", "l_el", "head_tilt"), (("", 4.8),)),
)


def find_joint_speeds(model: RobotModel, otherwise: float) -> np.ndarray:
    """Highest speeds (D,) rad/s: those of the file, else of a robot that is known, else the one given."""
    known = np.full(model.hinge_count, otherwise)
    for _, hinges, speeds in KNOWN_ROBOTS:
        if set(hinges) <= set(model.hinge_names):
            known = np.array([next((s for word, s in speeds if word in name), otherwise) for name in model.hinge_names])
            break
    return np.where(np.isfinite(model.speeds), model.speeds, known)
