"""What is around a character: boxes, gaps, bars, seats and walls, and the planner that acts on them."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "Planner": "planner",
        "Scene": "objects",
        "Thing": "objects",
        "make_playground": "playground",
        "read_scene": "scene_file",
        "write_scene": "scene_file",
    },
)
