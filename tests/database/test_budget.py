"""A budget keeps within its minutes, covers more than the first clips do, and keeps mirror images with their clips."""

import numpy as np
import pytest

from kinematch.database.build import build
from kinematch.database.coverage import find_cells
from kinematch.errors import KinematchError
from kinematch.files import write_clip
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("budget")
    for number in range(4):  # the same walk four times, then a bend and a faster walk
        write_clip(folder / f"a{number}.bvh", walk_along(np.array([[0, 0], [0, 4.0]]), 1.0, seed=number))
    write_clip(folder / "bend.bvh", walk_along(np.array([[0, 0], [0, 2], [2, 3.0]]), 1.0))
    write_clip(folder / "fast.bvh", walk_along(np.array([[0, 0], [0, 6.0]]), 1.9))
    return folder


def build_with(folder, minutes, more=""):
    line = f"minutes = {minutes}\n" if minutes else ""
    (folder / "r.toml").write_text(f'{line}[[source]]\nfiles = ["*.bvh"]\n{more}')
    return build(folder / "r.toml")


def count_cells(poses):
    row, column, sector, moving = find_cells(poses)
    return len(set(zip(row, column))) + len(set(zip(row[moving], sector[moving])))


def test_a_budget_takes_different_motion_before_more_of_the_same(folder):
    whole = build_with(folder, None).database.poses
    seconds = dict(zip(whole.clip_names, (whole.clip_stops - whole.clip_starts) / whole.frame_rate))
    budget = (seconds["bend"] + seconds["fast"] + max(seconds[f"a{n}"] for n in range(4)) + 0.2) / 60
    result = build_with(folder, budget)
    poses = result.database.poses
    assert poses.minutes <= budget
    assert {"bend", "fast"} <= set(poses.clip_names)
    assert count_cells(poses) > 0.9 * count_cells(whole)
    (report,) = [line for line in result.warnings if line.startswith("budget: ")]
    assert f"{poses.clip_count} of 6 clips" in report


def test_mirror_images_stay_with_their_clips_and_the_whole_fits_a_large_budget(folder):
    small = build_with(folder, 0.3, "[cleaning]\nmirror = true\n").database.poses
    assert small.minutes <= 0.3
    plain = [name for name in small.clip_names if "mirrored" not in name]
    assert sorted(f"{name} (mirrored)" for name in plain) == sorted(set(small.clip_names) - set(plain))
    assert build_with(folder, 1000).database.poses.clip_count == 6


def test_a_budget_too_small_for_any_clip_is_an_error_with_the_shortest(folder):
    with pytest.raises(KinematchError, match=r"minutes = 0\.001 holds no clip; the shortest has"):
        build_with(folder, 0.001)
