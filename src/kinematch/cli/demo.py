"""`kinematch demo`: the built-in motion, built into a database and shown in pictures, with no files needed."""

from pathlib import Path
from typing import Annotated

from kinematch.cli.build import build
from kinematch.cli.options import option
from kinematch.writing import write_beside

RECIPE = """\
# The built-in motion: procedural walking, running, turning, strafing and crouching.
output = "built-in.kinematch"

[[source]]
builtin = "locomotion"

[cleaning]
frame_rate = 60

[matching]
filter = "level0"  # upright, unless a command asks for a crouch
"""
# what the moving picture shows: clip and the second at which it begins
SCENES = {"walk_1.35": 4.0, "run_3.6": 4.5, "walk_turn_left_180": 3.2, "strafe_0.8": 6.6, "walk_level3": 4.0}


def demo(
    output: Annotated[Path, option("folder to write to", "-o")] = Path("kinematch-demo"),
) -> int:
    """Build the built-in database and show it: recipe, database, an animated picture and coverage maps."""
    from kinematch.cli.screen import Screen, progress_bar, write_picture
    from kinematch.database import storage
    from kinematch.database.coverage import measure_coverage
    from kinematch.database.coverage_picture import draw_coverage
    from kinematch.draw.montage import montage

    screen = Screen()
    output.mkdir(parents=True, exist_ok=True)
    recipe = output / "recipe.toml"
    write_beside(recipe, RECIPE.encode())
    build(recipe)
    database, coverage_path = output / "built-in.kinematch", output / "coverage.png"
    poses = storage.load(database).poses
    write_picture(coverage_path, draw_coverage(measure_coverage(poses), title=database.stem))
    scenes = [(poses.clip(poses.clip_names.index(name)), start) for name, start in SCENES.items()]
    with progress_bar("drawing") as show:
        show(0, None)
        moving = montage(scenes, output / "motion.gif", seconds=3.0)
    screen.say("\nlook at ", (str(moving), "bold"), " and ", (str(coverage_path), "bold"), "; next:")
    screen.say(f"  kinematch inspect {database}\n  kinematch doctor YOUR_FILES...")
    return 0
