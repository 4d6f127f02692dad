"""Folders with the same animation twice, with several rigs and kinds of motion, and with doubts that remain."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.database.build import build
from kinematch.doctor import Report, examine
from kinematch.doctor.equals import leave_out_equals
from kinematch.doctor.left_out import list_left_out, usable
from kinematch.doctor.mix import explain_mix, leave_out_strangers, list_groups
from kinematch.doctor.prescribe import prescribe
from kinematch.files import read_clip, write_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clean.edit import scale_to_leg_length
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose, local_pose
from kinematch.synth import walk_along

KNIGHT = ["Idle", "Lie_Down", "Running_A", "Unarmed_Melee_Attack_Kick", "Walking_A"]


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walk_along([(0.0, 0.0), (0.0, 4.0)])


@pytest.fixture(scope="module")
def knight(data) -> Report:
    path = data / "game-characters" / "KayKit-Knight.glb"
    return examine(path, choose=lambda names: [name for name in names if name in KNIGHT])


def write_walking_on_the_spot(path: Path, walk: Clip) -> None:
    """As exported in place: the hips keep their first position over the ground."""
    positions, rotations = (np.array(a) for a in global_pose(walk))
    hips = positions[:, 1].copy() * [1, 0, 1]
    positions[:, 1:] -= (hips - hips[:1])[:, None]
    positions, rotations = local_pose(walk.skeleton, positions, rotations)
    write_clip(path, walk.with_(positions=positions, rotations=rotations))


def test_equal_animations_are_taken_once_whatever_the_body_and_the_name(tmp_path, walk, capsys):
    write_clip(tmp_path / "a.bvh", walk)
    write_clip(tmp_path / "b.bvh", scale_to_leg_length(walk, 0.6))
    turned = np.array(walk.rotations)
    arm = walk.skeleton.joint("left_upper_arm")
    turned[:, arm] = quaternion.multiply(from_axis_angle(np.array([0.0, 0, 1]), np.radians(2)), turned[:, arm])
    write_clip(tmp_path / "c.bvh", walk.with_(rotations=turned))
    write_clip(tmp_path / "d.bvh", walk.frames(1, walk.frame_count))
    assert main(["init", str(tmp_path)]) == 0
    assert "3 of 4 files" in capsys.readouterr().out
    text = (tmp_path / "recipe.toml").read_text()
    assert "# left out: b.bvh: the same motion as a.bvh" in text
    used = {name for source in tomllib.loads(text)["source"] for name in source["files"]}
    assert used == {"a.bvh", "c.bvh", "d.bvh"}


def test_characters_of_one_game_give_each_animation_once(knight):
    fewer = tuple(one for one in knight.animations if one.name != "Idle")
    outlines = {name: outline for name, outline in knight.outlines.items() if name != "Idle"}
    first = replace(knight, path="first.glb", animations=fewer, outlines=outlines)
    reports = leave_out_equals([first, replace(knight, path="second.glb"), replace(knight, path="third.glb")])
    assert [one.name for one in reports[1].animations] == ["Idle"]
    assert [usable(report) for report in reports] == [True, True, False]
    lines = list_left_out(reports)
    assert any(line == "third.glb: all 5 animations are in first.glb, second.glb too" for line in lines)
    assert any("of second.glb: Lie_Down" in line and "the same as first.glb: Lie_Down" in line for line in lines)


def test_a_mix_of_rigs_and_kinds_is_told_and_what_does_not_belong_stays_out(data, knight, tmp_path):
    takes = [examine(data / "lafan1-clips" / "walk1_subject1_walk2.bvh"), examine(data / "cmu" / "02_01.bvh")]
    reports = [*takes, knight]
    told = explain_mix(list_groups(reports))
    assert [line.split(":")[0] for line in told] == ["takes, LAFAN1 rig", "takes, CMU rig",
                                                    "animations in place, MotionBuilder rig"]  # fmt: skip
    assert "does not belong with takes" in told[2]
    assert "does not belong" not in told[0] + told[1]
    text = prescribe(reports, tmp_path)
    assert all(line in text for line in told)
    recipe = tomllib.loads(text)
    assert "walk1_subject1_walk2" in recipe["skeleton"]
    assert "!animation" in recipe["matching"]["filter"]
    for source in recipe["source"]:
        assert ("animation" in source["tags"]) == ("KayKit" in source["files"][0])
    assert explain_mix(list_groups(takes[:1])) == []


def test_animals_and_people_do_not_share_a_recipe(data):
    dog = examine(data / "animals" / "D1_007_KAN01_001.bvh")
    person = examine(data / "cmu" / "02_01.bvh")
    reports = leave_out_strangers([dog, person])
    assert [usable(report) for report in reports] == [True, False]
    assert "a person, 31 joints, and most of the motion is of an animal" in list_left_out(reports)[0]
    assert leave_out_strangers([person, person]) == [person, person]


def test_build_warns_where_a_search_mixes_takes_and_animations_in_place(tmp_path, walk):
    write_clip(tmp_path / "take.bvh", walk)
    write_walking_on_the_spot(tmp_path / "spot.bvh", walk.frames(120, walk.frame_count - 60))
    sources = (
        '[[source]]\nfiles = ["take.bvh"]\n[[source]]\nfiles = ["spot.bvh"]\nin_place = true\ntags = ["animation"]\n'
    )
    for text, warned in (("", True), ('[matching]\nfilter = "!animation"\n', False)):
        (tmp_path / "recipe.toml").write_text(sources + text)
        warnings = build(tmp_path / "recipe.toml").warnings
        assert any("takes (take) and animations in place (spot)" in one for one in warnings) == warned


def test_init_says_what_build_warns_of(data, tmp_path, capsys):
    for name in ("walk1_subject1_walk2", "walk1_subject1_walk2_mirror"):
        (tmp_path / f"{name}.bvh").symlink_to(data / "lafan1-clips" / f"{name}.bvh")
    assert main(["init", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    warnings = build(tmp_path / "recipe.toml").warnings
    assert any("a mirrored rig?" in warning for warning in warnings)
    assert all(warning in said for warning in warnings)


def test_what_is_too_short_between_two_drops_is_dropped_with_them(tmp_path, arms_at):
    walk = walk_along([(0.0, 0.0), (0.0, 10.0)])
    held = arms_at(arms_at(walk, slice(180, 260), 0), slice(280, 360), 0)
    write_clip(tmp_path / "take.bvh", held)
    clip = read_clip(tmp_path / "take.bvh")
    assert main(["init", str(tmp_path)]) == 0
    drops = tomllib.loads((tmp_path / "recipe.toml").read_text())["source"][0]["drop"]
    edges = [0.0, *(time for drop in drops for time in drop), clip.duration]
    assert all(stop - start >= 0.5 for start, stop in zip(edges[::2], edges[1::2]))
    assert not build(tmp_path / "recipe.toml").warnings
