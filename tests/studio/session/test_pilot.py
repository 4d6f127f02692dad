"""What the pilot tells characters: walking is taken from walking, where tags tell it from running."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.database.built_in import open_built_in
from kinematch.database.tags import Tags
from kinematch.studio.server import messages
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.stick_gaits import find_gaits, leave_out_runs


@pytest.fixture(scope="module")
def card():
    return open_built_in()


def play(stage: Stage, seconds: float) -> np.ndarray:
    """Frames (T,) that play."""
    frames = []
    for _ in range(round(60 * seconds)):
        stage.advance()
        frames.append(int(stage.history.at(stage.step).picture.arrays["frames"][0]))
    return np.array(frames)


def test_a_brisk_walk_round_corners_keeps_the_arms_of_a_walk(card):
    stage = Stage(card, name="built-in")
    corners = [(0.0, 6.0), (6.0, 6.0), (6.0, 0.0), (0.0, 0.0)]
    stage.pilot.steer_by("path")
    stage.pilot.follow([messages.PathPoint(x, z, 1.8) for x, z in corners], True)
    frames = play(stage, 15)
    assert not card.poses.tags.of("run")[frames].any()


def test_a_run_that_becomes_a_walk_is_let_down_gently(card):
    stage = Stage(card, name="built-in")
    fastest = stage.pilot.gait_infos[2].name
    stage.pilot.steer(messages.StickMessage(1, 0.0, 1.0, gait=fastest))
    running = play(stage, 4)
    assert card.poses.tags.of("run")[running[-60:]].all()
    stage.pilot.steer(messages.StickMessage(2, 0.0, 1.0, gait="walk"))
    frames = play(stage, 4)
    assert card.poses.tags.of("run")[frames[:6]].any()  # slows down in the motion of a run
    assert not card.poses.tags.of("run")[frames[-120:]].any()


def test_tags_that_tell_no_walk_from_a_run_leave_the_filter_alone(card):
    assert leave_out_runs("level0", card) == "level0 & !run"
    assert leave_out_runs("", card) == "!run"
    assert leave_out_runs("walk | idle", card) == "(walk | idle) & !run"
    tags = card.poses.tags
    both = tags.frames.copy()
    both[:, tags.names.index("run")] = True
    everywhere = replace(card, poses=replace(card.poses, tags=Tags(tags.names, both)))
    assert leave_out_runs("level0", everywhere) == "level0"


def test_a_crowd_stands_around_the_one_who_is_steered(card):
    stage = Stage(card, name="built-in")
    stage.pilot.steer(messages.StickMessage(1, 0.0, 1.0, gait=stage.pilot.gait_infos[2].name))
    play(stage, 4)
    stage.set_crowd(20)
    first = stage.crowds["a"].root_positions[0]
    assert np.linalg.norm(first) > 8
    assert np.linalg.norm(stage.crowds["others"].root_positions - first, axis=-1).max() < 1.6 * np.sqrt(20) + 0.5


def test_what_the_default_filter_leaves_out_is_offered_as_styles(card):
    tags = card.poses.tags
    names = tuple(sorted({"brief", "sneak", "walk", "run"}))
    frames = np.zeros((len(tags.frames), len(names)), bool)
    frames[:, names.index("walk")] = tags.of("walk")
    frames[:, names.index("run")] = tags.of("run")
    frames[:, names.index("sneak")] = tags.of("level3")
    frames[np.flatnonzero(tags.of("level3"))[:30], names.index("brief")] = True  # half a second
    poses = replace(card.poses, tags=Tags(names, frames))
    gaits, told = find_gaits(replace(card, poses=poses, filter="!sneak & !brief"))
    styles = [info for info in told if info.filter != told[0].filter]
    assert [(info.name, info.filter) for info in styles] == [("sneak", "sneak")]
    assert 0.3 <= gaits["sneak"].forward < 2.0
    assert not [info for info in find_gaits(replace(card, poses=poses, filter=""))[1] if info.filter]
