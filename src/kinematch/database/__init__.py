"""Pose and feature databases: built from a recipe, kept in one file."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "PoseDatabase": "poses",
        "QueryInput": "features",
        "joint_motion": "measures",
        "measure_root_paths": "measures",
    },
)
