"""The playground: boxes, a gap, a bar, a bench and stairs around the origin, to try actions on."""

from kinematch.scene.objects import BAR, BOX, GAP, SEAT, WALL, Scene, Thing


def make_playground() -> Scene:
    """Ahead of the origin a gap, to the left boxes and stairs, to the right a bar and a wall, behind a bench."""
    stairs = [
        Thing(BOX, (6.0 + 0.6 * k, 0.0, -6.0), (0.6, 0.2 * (k + 1), 2.4), name=f"stair {k + 1}") for k in range(4)
    ]
    return Scene(
        (
            Thing(GAP, (0.0, -1.5, 7.0), (6.0, 1.5, 1.2), name="gap"),
            Thing(BOX, (6.0, 0.0, 4.0), (2.4, 0.4, 3.0), name="platform"),
            Thing(BOX, (5.0, 0.0, -1.0), (0.3, 0.3, 2.4), name="hurdle"),
            Thing(BAR, (-5.0, 1.45, 2.0), (0.1, 0.1, 3.0), name="bar"),
            *(Thing(WALL, (-5.0, 0.0, z), (0.1, 1.55, 0.1), name="post") for z in (0.5, 3.5)),
            Thing(WALL, (-8.0, 0.0, 6.0), (3.0, 2.2, 0.3), name="wall"),
            Thing(SEAT, (0.0, 0.0, -4.0), (1.6, 0.45, 0.4), name="bench"),
            Thing(SEAT, (-3.0, 0.0, -4.0), (0.45, 0.45, 0.4), 0.6, name="stool"),
            *stairs,
        )
    )
