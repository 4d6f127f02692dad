"""Robots with hinge joints: model files, joint angles under limits, and the files that trainers read."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "RobotEnv": "simulation.environment",
        "RobotReference": "reference.robot_reference",
        "RobotRetargeting": "retargeting",
        "RobotVectorEnv": "simulation.environment",
        "TrackingSettings": "simulation.rewards",
        "read_robot": "read",
        "read_trajectory": "output",
        "retarget_database": "reference.robot_frames",
        "try_robot": "trial",
        "write_trajectory": "output",
    },
)
