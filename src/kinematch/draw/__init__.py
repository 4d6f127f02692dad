"""Pictures without a screen: figures, contact sheets, animations, traces and charts."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "ViewCamera": "camera",
        "contact_sheet": "sheet",
        "moving_pictures": "animation",
        "top_down": "trace",
        "write_movie": "movie",
    },
)
