"""Rows of trouble that raw folders bring: each is told, with its cure, by the file that the test writes."""

import math
import tomllib

import numpy as np
import pytest

from kinematch.character.settings import Settings
from kinematch.cli.main import main
from kinematch.database.build import build
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.evaluate.tune import breaks_a_target
from kinematch.files import read_clip, write_clip
from kinematch.files.bvh_stated import read_statement, state_space
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clean.edit import scale_to_leg_length
from kinematch.motion.clip import Clip
from kinematch.motion.roles import find_roles
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walk_along([(0.0, 0.0), (0.0, 4.0)])


def tipped(clip: Clip, frames: slice, axis: tuple[float, float, float] = (0.0, 0, 1)) -> Clip:
    """The clip with the body laid down over these frames, 0.15 m above the floor."""
    turn = from_axis_angle(np.array(axis), np.pi / 2)
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    rotations[frames, 0] = quaternion.multiply(turn, rotations[frames, 0])
    positions[frames, 0, 1] = 0.15
    return clip.with_(positions=positions, rotations=rotations)


def write_plain(path, clip: Clip) -> None:
    """As another program writes it: nothing stated."""
    write_clip(path, clip)
    path.write_bytes(b"HIERARCHY\n" + path.read_bytes().split(b"\n", 1)[1])


def whats(report) -> str:
    return "\n".join(problem.what for problem in report.problems)


def test_who_stands_at_first_and_lies_for_long_is_up_as_it_stood(tmp_path, walk, data):
    write_plain(tmp_path / "ground.bvh", tipped(walk, slice(30, None)))
    assert examine(tmp_path / "ground.bvh").up == "Y"
    take = read_clip(data / "lafan1-clips" / "walk1_subject1_walk2.bvh")  # its rest pose says nothing
    write_plain(tmp_path / "take.bvh", tipped(take, slice(20, None)))
    report = examine(tmp_path / "take.bvh")
    assert report.up == "Y"
    assert "lies along" in report.up_reason


def test_who_lies_all_the_time_is_up_as_the_siblings_are(tmp_path, data):
    take = read_clip(data / "lafan1-clips" / "walk1_subject1_walk2.bvh")
    write_plain(tmp_path / "walk.bvh", take)
    write_plain(tmp_path / "lying.bvh", tipped(take, slice(None)))
    assert examine(tmp_path / "lying.bvh").up != "Y"
    assert main(["init", str(tmp_path)]) == 0
    text = (tmp_path / "recipe.toml").read_text()
    assert 'up = "Y"' in text
    assert "as in 1 other file of this rig" in text
    build(tmp_path / "recipe.toml")  # what init promises builds


def test_bones_of_one_length_that_point_elsewhere_are_not_told_as_lengths(walk):
    rig = walk.skeleton
    turned = rig.offsets.copy()
    turned[2] = turned[2][[1, 0, 2]]
    difference = rig.difference(skeleton(rig.names, rig.parents, turned))
    assert "points along" in difference
    assert " m long" not in difference


def test_a_sloppy_t_pose_at_the_start_is_the_reference(data):
    report = examine(data / "lafan1-takes" / "walk4_subject1.bvh")
    assert "holds a T-pose" in report.tpose
    assert "no T-pose in the file" not in whats(report)


@pytest.mark.parametrize("leg", [0.03, 0.2, 0.85, 9.0])
def test_what_we_write_we_read_back_at_its_size(tmp_path, walk, leg):
    clip = scale_to_leg_length(walk, leg)
    write_clip(tmp_path / "own.bvh", clip)
    again = read_clip(tmp_path / "own.bvh")
    assert again.source.unit_reason == "stated by the file"
    assert np.abs(again.positions - clip.positions).max() < 1e-6 * max(1, leg)
    assert (tmp_path / "own.bvh").read_text().split("\n")[0].strip() == "HIERARCHY"


def test_other_blanks_state_nothing():
    assert read_statement(b"HIERARCHY" + state_space(0.01, "Z").encode() + b"\r\nROOT") == (0.01, "Z")
    for blanks in (b"", b" ", b" " * 80, b"\t" * 200, state_space(0.01, "Z").encode()[:-9]):
        assert read_statement(b"HIERARCHY" + blanks + b"\nROOT") is None


@pytest.mark.parametrize("size", [0.01, 10.0])
def test_a_glb_of_the_wrong_size_is_told_with_its_unit(tmp_path, walk, size):
    write_clip(tmp_path / "odd.glb", scale_to_leg_length(walk, 0.85 * size))
    report = examine(tmp_path / "odd.glb")
    problem = next(p for p in report.problems if "tall with 1 m per unit" in p.what)
    assert tomllib.loads(problem.fix)["unit"] == pytest.approx(1 / size)
    assert 0.7 < report.hips_height < 1.2
    assert "unit = " in prescribe([report], tmp_path)


def test_a_glb_that_lies_on_its_face_is_told(tmp_path, walk):
    write_clip(tmp_path / "face.glb", tipped(walk, slice(None), (1.0, 0, 0)))
    assert "lies or bends over in 100%" in whats(examine(tmp_path / "face.glb"))
    write_clip(tmp_path / "good.glb", walk)
    assert "lies" not in whats(examine(tmp_path / "good.glb"))


def test_hips_knees_feet_and_numbered_toes_are_a_leg():
    names = ["root", "spine", "neck", "head"]
    parents = [-1, 0, 1, 2]
    for side in "lr":
        for chain, above in ((("hip", "knee", "foot"), 0), (("shoulder", "elbow", "wrist"), 1)):
            for part in chain:
                parents.append(above)
                above = len(names)
                names.append(f"{side}{part}")
            if chain[0] == "hip":
                names.append(f"toe1-1.{side}")
                parents.append(above)
    found = find_roles(skeleton(names, parents, np.random.default_rng(0).normal(size=(len(names), 3))))
    assert names[found.roles["left_foot"]] == "lfoot"
    assert names[found.roles["left_toes"]] == "toe1-1.l"
    assert not found.missing


def test_frame_rates_that_are_odd_are_told(tmp_path, walk):
    write_clip(tmp_path / "walk.bvh", walk)
    text = (tmp_path / "walk.bvh").read_text()
    head, _, tail = text.partition("Frame Time: ")
    for time, word in (("1.0", "too few"), ("0.03", "taken for 30")):
        (tmp_path / "odd.bvh").write_text(f"{head}Frame Time: {time}\n{tail.split(chr(10), 1)[1]}")
        assert word in whats(examine(tmp_path / "odd.bvh"))


def test_arms_overhead_from_misdeclared_channels_are_told(data):
    for name in ("walk1_subject1_walk2_mirror", "fightAndSports1_subject4_backward_mirror"):
        assert "arms point up" in whats(examine(data / "lafan1-clips" / f"{name}.bvh"))
    assert "arms point up" not in whats(examine(data / "lafan1-clips" / "walk1_subject1_walk2.bvh"))


def test_a_folder_of_blender_files_says_what_to_do(tmp_path, capsys):
    (tmp_path / "walk.blend").write_bytes(b"BLENDER")
    assert main(["init", str(tmp_path)]) != 0
    captured = capsys.readouterr()
    assert "File > Export" in captured.err + captured.out


def test_tuning_never_trades_a_target():
    good = {"skate_mean": 0.01, "position_mean": 0.1, "looping": 0.0}
    source = {"skate_mean": 0.01}
    assert breaks_a_target(good | {"looping": 14.0, "position_mean": 0.05}, good, source, Settings())
    assert not breaks_a_target(good | {"position_mean": 0.14}, good, source, Settings())
    missed = good | {"position_mean": 0.3}
    assert not breaks_a_target(missed | {"position_mean": 0.25}, missed, source, Settings())
    assert breaks_a_target(missed | {"position_mean": 0.35}, missed, source, Settings())
    assert breaks_a_target(good | {"position_mean": math.nan}, good, source, Settings())
    # a clamp so tight that it wins no target of position may still lose a millimetre
    tight = Settings(clamp_distance=0.05)
    assert not breaks_a_target(good | {"position_mean": 0.101}, good, source, tight)
    assert breaks_a_target(good | {"position_mean": 0.16}, good, source, tight)
