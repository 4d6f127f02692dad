"""Speeds of hinges of known robots, for model files that do not say: MJCF has no place for them."""

import numpy as np

from kinematch.robot.model import RobotModel

# A robot is known by hinges that it has; rad/s by words in their names, of which the first that fits counts. The G1's
# are those of its URDF and of mjlab; the H1's of its URDF.
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
)


def find_joint_speeds(model: RobotModel, otherwise: float) -> np.ndarray:
    """Highest speeds (D,) rad/s: those of the file, else of a robot that is known, else the one given."""
    known = np.full(model.hinge_count, otherwise)
    for _, hinges, speeds in KNOWN_ROBOTS:
        if set(hinges) <= set(model.hinge_names):
            known = np.array([next((s for word, s in speeds if word in name), otherwise) for name in model.hinge_names])
            break
    return np.where(np.isfinite(model.speeds), model.speeds, known)
