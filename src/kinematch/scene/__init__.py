"""What is around a character: the ground, the things on it, and the planner that acts on them."""

from kinematch.lazy import offer_names

__getattr__ = offer_names(
    __name__,
    {
        "Planner": "planner",
        "Scene": "objects",
        "Thing": "objects",
        "make_playground": "playground",
        "read_scene": "scene_file",
        "uneven_ground": "made_terrain",
        "write_scene": "scene_file",
    },
)
