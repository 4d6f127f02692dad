"""Layers: what changes poses after the animation, such as a clip of waving arms or a hand that reaches."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "AimLayer": "aim_layer",
        "LookLayer": "look_layer",
    },
)
