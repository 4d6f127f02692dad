"""Camera: landmarks of a body in a picture, aligned with trackers and fused with what these say."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "SimulatedCamera": "simulate",
        "CameraFusion": "fusion",
        "simulate_camera": "simulate",
    },
)
