"""Robots with hinge joints: model files, joint angles under limits, and the files that trainers read."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "RobotReference": "reference.robot_reference",
        "RobotRetargeting": "retargeting",
        "read_robot": "read",
        "try_robot": "trial",
        "write_trajectory": "output",
    },
)
