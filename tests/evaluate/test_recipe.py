"""The example recipe builds the set M of the measurements from real clips."""

import shutil
from pathlib import Path

import pytest

from kinematch.database.build import build
from kinematch.evaluate.gaits import gaits

RECIPE = Path(__file__).parents[2] / "examples" / "lafan1_locomotion.toml"


@pytest.mark.slow
def test_the_example_recipe_builds_a_database_of_every_gait(data, tmp_path):
    shutil.copy(RECIPE, tmp_path)
    (tmp_path / "lafan1-clips").symlink_to(data / "lafan1-clips")
    database = build(tmp_path / RECIPE.name).database
    assert (database.poses.clip_count, database.poses.frame_count) == (14, 53830)
    found = gaits(database)
    assert list(found.forward) == ["walk", "jog", "sprint"]
    assert found.strafe > 0.5
