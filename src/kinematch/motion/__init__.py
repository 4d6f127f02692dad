"""Skeletons, clips, and what can be done to them."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "contact_quality": "clean.contacts",
        "global_pose": "kinematics",
    },
)
