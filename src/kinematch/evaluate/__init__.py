"""Does it move well? Courses, measures, baselines, sweeps, reports and tuning."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "make_cast": "vr.users",
        "make_clips": "vr.built_in",
    },
)
