"""Stand loops: a stretch played to and fro has no seam, goes nowhere, and is what searches find in its place."""

import numpy as np
import pytest

from kinematch.database.build import build
from kinematch.database.stand_loops import play_to_and_fro
from kinematch.files import read_clip, write_clip
from kinematch.motion.kinematics import global_pose
from kinematch.synth import motions, perform

RECIPE = """output = "stand.kinematch"
[[source]]
files = ["stand.bvh"]
tags = ["all"]
[[source.range]]
tags = ["upright"]
[[source.range]]
from = 1.0
to = 1.9
tags = ["idle", "left"]
loop = true
[cleaning]
mirror = true
"""


@pytest.fixture(scope="module")
def stand():
    card = {motion.name: motion for motion in motions()}
    return perform(card["idle"], seed=3).clip.frames(120, 300)


@pytest.fixture(scope="module")
def database(stand, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stand")
    write_clip(folder / "stand.bvh", stand)
    (folder / "recipe.toml").write_text(RECIPE)
    return build(folder / "recipe.toml").database


@pytest.mark.parametrize("frames", [13, 60, 180])
def test_a_stretch_is_shown_whole_comes_back_and_turns_round_without_a_jerk(stand, frames):
    given = stand.frames(0, frames)
    contacts = np.arange(frames)[:, None] < frames / 2
    loop, planted = play_to_and_fro(given, contacts)
    p, q = (global_pose(clip)[0].astype(float) for clip in (loop, given))
    np.testing.assert_array_equal(p, p[::-1])  # backwards as forwards: it ends with its first pose
    np.testing.assert_allclose(p[0], q[0], atol=1e-5)
    np.testing.assert_allclose(p[len(p) // 2], q[-1], atol=1e-5)
    assert planted[0].all()
    assert not planted[len(p) // 2].any()
    round_ = np.concatenate([p[:-1], p[:-1], p[:3]])
    changes = np.abs(np.diff(round_, n=2, axis=0)).max()
    own, fastest = (np.abs(np.diff(q, n=n, axis=0)).max() for n in (2, 1))
    assert 0 < changes < 2 * own + 0.15 * fastest  # a plain turn would change a step by twice its size


def test_a_range_becomes_a_loop_that_is_jumped_to_in_its_place(database, stand):
    poses, idle = database.poses, database.poses.tags.of("idle")
    names = list(poses.clip_names)
    loops = [name for name, loop in zip(names, poses.clip_loops) if loop]
    assert loops == ["stand (loop at 1 s)", "stand (loop at 1 s) (mirrored)"]
    whole, loop = poses.clip_frames(0), poses.clip_frames(names.index(loops[0]))
    rate = poses.frame_rate
    assert np.flatnonzero(idle[whole]).tolist() == list(range(round(rate), round(1.9 * rate)))
    assert idle[loop].all()
    for tag in ("all", "upright", "left"):
        assert poses.tags.of(tag)[loop].all()
    assert poses.tags.of("right")[poses.clip_frames(names.index(loops[1]))].all()
    assert poses.no_entry[whole][round(rate) : round(1.9 * rate)].all()
    assert database.features.targets[loop].all()
    np.testing.assert_allclose(poses.loop_positions[names.index(loops[0])], 0.0, atol=1e-6)
    np.testing.assert_allclose(poses.positions[loop.start], poses.positions[whole.start + round(rate)], atol=1e-5)


def test_a_range_that_is_hardly_a_pose_is_no_loop(tmp_path, stand):
    write_clip(tmp_path / "stand.bvh", stand)
    (tmp_path / "recipe.toml").write_text(RECIPE.replace("to = 1.9", "to = 1.1"))
    poses = build(tmp_path / "recipe.toml").database.poses
    assert not poses.clip_loops.any()
    assert poses.tags.of("idle").any()
    assert read_clip(tmp_path / "stand.bvh").frame_count == stand.frame_count
