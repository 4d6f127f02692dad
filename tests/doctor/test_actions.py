"""Actions that `init` proposes: found around events, in a recipe that builds, and not entered by locomotion."""

from dataclasses import replace
from pathlib import Path

import pytest

from kinematch.database.build import build
from kinematch.database.recipe import parse_recipe
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.doctor.report import Problem
from kinematch.files import write_clip
from kinematch.synth import motions, perform
from kinematch.synth.actions import list_actions, perform_action

NAMES = {"jump_1.2": "jump", "step_up_0.4": "step_up", "step_down_0.4": "step_down", "duck": "duck", "sit": "sit"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Built-in actions and a walk as files that say nothing of what is in them."""
    folder = tmp_path_factory.mktemp("takes")
    for number, motion in enumerate(list_actions()):
        if motion.name in NAMES:
            write_clip(folder / f"{motion.name}.bvh", perform_action(number).with_(actions=()))
    walk = next(one for one in motions() if one.name == "walk_1.10")
    write_clip(folder / "walk.bvh", perform(walk).clip)
    return folder


@pytest.fixture(scope="module")
def recipe(folder: Path) -> str:
    text = prescribe([examine(path) for path in sorted(folder.glob("*.bvh"))], folder)
    (folder / "recipe.toml").write_text(text)
    return text


def test_init_proposes_the_actions_of_takes(folder: Path, recipe: str):
    found = {one.files: one for source in parse_recipe(recipe, folder).source for one in source.action}
    assert {name.removesuffix(".bvh"): one.name for name, one in found.items()} == NAMES
    own = {motion.name: perform_action(k).actions[0] for k, motion in enumerate(list_actions()) if motion.name in NAMES}
    for name, action in own.items():
        proposed = found[f"{name}.bvh"].to_action()
        assert proposed.target == action.target
        assert proposed.find_target().time == pytest.approx(action.find_target().time, abs=0.25)


def test_a_file_with_steps_has_the_ground_of_its_stances(folder: Path, recipe: str):
    sources = parse_recipe(recipe, folder).source
    raised = {name for source in sources if source.ground == "stances" for name in source.files}
    assert raised == {"step_up_0.4.bvh", "step_down_0.4.bvh"}


def test_a_step_in_what_is_dropped_raises_no_ground(folder: Path):
    report = examine(folder / "step_up_0.4.bvh")
    start, stop = report.actions[0].entry[0], report.actions[0].exit
    flips = Problem("warning", "'LeftFoot' flips", f"drop = [[{start:.2f}, {stop:.2f}]]")
    assert "stances" in prescribe([report], folder)
    assert "stances" not in prescribe([replace(report, problems=(*report.problems, flips))], folder)


def test_what_init_writes_builds_and_no_search_enters_an_action_without_a_request(folder: Path, recipe: str):
    result = build(folder / "recipe.toml")
    poses, targets = result.database.poses, result.database.features.targets
    assert set(poses.actions.names) == set(NAMES.values())
    assert not any("lies in no clip" in warning for warning in result.warnings)
    for name in poses.actions.names:
        assert not targets[poses.tags.of(name)].any()
    walk = poses.clip_frames(poses.clip_names.index("walk"))
    assert targets[walk].any()
