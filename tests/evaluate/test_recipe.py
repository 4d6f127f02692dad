"""The example recipe builds the set M of the measurements from real clips."""

import shutil
from pathlib import Path

import pytest

from kinematch.database.build import build
from kinematch.database.idle import find_idle_frames
from kinematch.database.table import make_table
from kinematch.evaluate.gaits import find_gaits
from kinematch.motion.kinematics import forward

RECIPE = Path(__file__).parents[2] / "examples" / "lafan1_locomotion.toml"


@pytest.mark.slow
def test_the_example_recipe_builds_a_database_of_every_gait(data, tmp_path):
    shutil.copy(RECIPE, tmp_path)
    (tmp_path / "lafan1-clips").symlink_to(data / "lafan1-clips")
    database = build(tmp_path / RECIPE.name).database
    poses = database.poses
    assert (poses.clip_count, poses.frame_count) == (26, 52490)
    head = forward(poses.skeleton, poses.positions, poses.rotations)[0][:, poses.skeleton.joint("head"), 1]
    assert head[make_table(database).paces < 0.15].min() > 1.25  # nobody stands bent over
    assert (head[find_idle_frames(database)] > 1.5).all()
    assert len(find_idle_frames(database)) > 4 * poses.frame_rate
    found = find_gaits(database)
    assert list(found.forward) == ["walk", "jog", "sprint"]
    assert found.strafe > 0.5
