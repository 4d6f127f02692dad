"""VR avatars: a full body from a headset, two controllers and any other trackers."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "SETTINGS": "avatar",
        "TrackerController": "controller",
        "simulate_user": "simulate",
        "track_joints": "simulate",
    },
)
