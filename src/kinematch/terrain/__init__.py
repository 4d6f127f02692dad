"""Heights and slopes of the ground."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "uneven_ground": "made",
    },
)
