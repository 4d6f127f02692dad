"""The doctor: every real rig comes out right, and every illness made on purpose is found with its cure."""

import tomllib
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from kinematch.database.build import build
from kinematch.database.prepare import cut
from kinematch.database.recipe import Source
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.doctor.report import Problem, by_severity
from kinematch.files import read_clip, write_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.clean.root import add_root, body_forward
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walk_along([(0.0, 0.0), (0.0, 6.0)])


def examined(tmp_path, clip: Clip, name: str = "walk.bvh", **overrides):
    write_clip(tmp_path / name, clip)
    return examine(tmp_path / name, **overrides)


def found(report, word: str) -> Problem:
    matching = [problem for problem in report.problems if word in problem.what]
    assert matching, f"no problem mentions {word!r}: {[p.what for p in report.problems]}"
    return matching[0]


def test_a_good_file_is_found_good(tmp_path, walk):
    report = examined(tmp_path, walk)
    assert report.buildable
    assert not [problem for problem in report.problems if problem.severity != "note"]
    assert (report.unit, report.up, report.frames, report.joints) == (
        0.01,
        "Y",
        walk.frame_count,
        walk.skeleton.joint_count,
    )
    assert not report.missing_roles
    assert report.contacts is not None
    assert report.contacts.skate < 0.1
    assert 0.7 < report.hips_height < 1.2


def test_every_field_goes_to_json(tmp_path, walk):
    import json

    report = examined(tmp_path, walk)
    values = json.loads(json.dumps(report.to_json()))
    assert values["buildable"] is True
    assert values["roles"]["left_foot"] == "LeftFoot"


def several(monkeypatch, tmp_path, *clips: Clip):
    """The report on a file that holds several animations."""
    (tmp_path / "pack.glb").touch()
    monkeypatch.setattr(import_module("kinematch.doctor.examine"), "read_clips", lambda path, **more: list(clips))
    return examine(tmp_path / "pack.glb")


def test_what_mends_one_animation_is_not_done_to_the_others(tmp_path, walk, monkeypatch):
    torn = walk.positions.copy()
    torn[200:, 0] += 5.0
    good, bad = walk.with_(name="Walk"), walk.with_(name="Torn", positions=torn)
    recipe = prescribe([several(monkeypatch, tmp_path, good, bad)], tmp_path)
    sources = {clip: source for source in tomllib.loads(recipe)["source"] for clip in source["clips"]}
    assert not sources["Walk"].get("split")
    assert sources["Torn"]["split"]
    recipe = prescribe([several(monkeypatch, tmp_path, bad, bad.with_(name="Too"))], tmp_path)
    assert tomllib.loads(recipe)["source"][0]["split"]


def test_an_animation_that_cannot_be_built_is_left_out_and_the_others_stay(tmp_path, walk, monkeypatch):
    still = walk.frames(0, 1).with_(name="Pose [T]")
    report = several(monkeypatch, tmp_path, walk.with_(name="Walk [1]"), still)
    assert report.buildable
    assert tomllib.loads(prescribe([report], tmp_path))["source"][0]["clips"] == ["Walk [[]1]"]
    assert not several(monkeypatch, tmp_path, still, still.with_(name="Too")).buildable


def test_a_t_pose_held_at_the_start_is_dropped(tmp_path, walk):
    rig = walk.skeleton
    arms = [rig.joint(f"{side}_{part}") for side in ("left", "right") for part in ("upper_arm", "lower_arm", "hand")]
    rotations = walk.rotations.copy()
    rotations[:90, arms] = rig.tpose[arms]
    held = quaternion.slerp(rotations[90], rig.tpose, np.linspace(1, 0, 60)[:, None])  # lowered within a second
    rotations[90:150, arms] = held[:, arms]
    report = examined(tmp_path, walk.with_(rotations=rotations))
    problem = found(report, "calibration T-pose at 0.0-")
    assert 1.5 < tomllib.loads(problem.fix)["drop"][0][1] < 2.5
    assert [pose.kind for pose in report.calibration_poses] == ["T"]
    recipe = prescribe([report], tmp_path)
    assert tomllib.loads(recipe)["source"][0]["drop"] == tomllib.loads(problem.fix)["drop"]
    assert "holds a pose for calibration" in recipe


def test_a_pose_at_each_end_and_a_flip_are_dropped_by_one_line(tmp_path, walk):
    rig = walk.skeleton
    rotations, positions = walk.rotations.copy(), walk.positions.copy()
    for frames in (slice(0, 90), slice(walk.frame_count - 90, walk.frame_count)):
        rotations[frames, 1:], positions[frames] = rig.tpose[1:], positions[frames.start]
    arm = rig.joint("left_upper_arm")
    turn = from_axis_angle(np.array([0.0, 0, 1]), np.pi * 0.9)
    rotations[300, arm] = quaternion.multiply(rotations[300, arm], turn)
    recipe = prescribe([examined(tmp_path, walk.with_(rotations=rotations, positions=positions))], tmp_path)
    first, flip, *_, last = tomllib.loads(recipe)["source"][0]["drop"]
    assert first[0] == 0
    assert flip[0] < 300 / walk.frame_rate < flip[1]
    assert last[1] == pytest.approx(walk.frame_count / walk.frame_rate, abs=0.01)
    assert "   # drop" not in recipe


def test_a_file_that_only_shows_a_t_pose_is_no_motion(tmp_path, walk):
    still = np.repeat(walk.skeleton.tpose[None], 120, axis=0)
    wobble = from_axis_angle(np.array([0.0, 1, 0]), np.linspace(0, 0.05, 120))
    still[:, walk.skeleton.joint("head")] = quaternion.multiply(still[:, walk.skeleton.joint("head")], wobble)
    pose = walk.frames(0, 120).with_(rotations=still, positions=np.repeat(walk.positions[:1], 120, axis=0))
    report = examined(tmp_path, pose, "pose.bvh")
    assert not report.buildable
    assert "nothing else" in found(report, "T-pose").what
    recipe = prescribe([report, examined(tmp_path, walk)], tmp_path)
    (source,) = tomllib.loads(recipe)["source"]
    assert (source["files"], source["tpose"]) == (["walk.bvh"], "pose.bvh")


def stand_and_walk(walk: Clip) -> Clip:
    """Three seconds of standing in front of a walk; it sways by 3 mm, since a frozen body would be an N-pose."""
    stand = np.repeat(np.arange(walk.frame_count), [180] + [1] * (walk.frame_count - 1))
    positions = walk.positions[stand]
    positions[:180, 0, 0] += 0.003 * np.sin(np.arange(180) * np.pi / 60)
    return walk.with_(rotations=walk.rotations[stand], positions=positions)


def test_an_idle_is_told_and_tagged(tmp_path, walk):
    report = examined(tmp_path, stand_and_walk(walk), "odd [1].bvh")
    (idle,) = report.idles
    assert idle.start < 0.2 < 2.5 < idle.stop
    assert found(report, "upright and still").severity == "note"
    assert list(report.to_json()["idles"]) == [{"start": idle.start, "stop": idle.stop, "clip": ""}]
    (tmp_path / "recipe.toml").write_text(prescribe([report], tmp_path))
    poses = build(tmp_path / "recipe.toml").database.poses
    in_loops = poses.clip_loops[poses.clip_of(np.arange(poses.frame_count))]
    tagged = (poses.tags.of("idle") & ~in_loops).sum() / poses.frame_rate
    assert tagged == pytest.approx(2 * (idle.stop - idle.start), abs=0.1)  # and the mirrored copy
    assert poses.clip_loops.sum() == 2  # the stand, played to and fro
    assert poses.tags.of("idle")[in_loops].all()


def test_idles_of_files_with_one_name_are_kept_apart(tmp_path, walk):
    reports = []
    for folder, clip in (("a", stand_and_walk(walk)), ("b", walk.frames(120, walk.frame_count))):
        (tmp_path / folder).mkdir()
        reports.append(examined(tmp_path / folder, clip))
    sources = tomllib.loads(prescribe(reports, tmp_path))["source"]
    assert {tuple(source["files"]): len(source.get("range", [])) for source in sources} == {
        ("a/walk.bvh",): 1,
        ("b/walk.bvh",): len(reports[1].idles),
    }


def test_a_broken_file_is_a_report_with_its_line(tmp_path):
    path = tmp_path / "broken.bvh"
    path.write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 zero\n")
    report = examine(path)
    assert not report.buildable
    assert "line 4" in report.problems[0].what
    assert "exclude" in report.problems[0].fix


@pytest.mark.parametrize("rate", [59.94, 60.0, 90.0, 100.0, 120.0, 240.0])
def test_a_t_pose_in_front_is_cut_off_and_nothing_else(tmp_path, walk, rate):
    rotations, positions = np.array(walk.rotations), np.array(walk.positions)
    rotations[0], positions[0] = walk.skeleton.tpose, walk.skeleton.offsets
    clip = walk.with_(rotations=rotations, positions=positions, frame_rate=rate)
    problem = found(examined(tmp_path, clip), "begins in a T-pose")
    ((left, begins),) = cut(clip, Source(files=["clip.bvh"], **tomllib.loads(problem.fix)))
    assert (left.frame_count, begins) == (clip.frame_count - 1, pytest.approx(1 / rate))


def test_jumps_are_found_where_they_are(tmp_path, walk):
    positions = np.array(walk.positions)
    positions[100:, 0, 0] += 2.0
    report = examined(tmp_path, walk.with_(positions=positions))
    assert report.jumps == (100,)
    assert found(report, "jump").fix == f"split = [{100 / walk.frame_rate:.3f}]"


def test_flips_are_found_where_they_are(tmp_path, walk):
    rotations = np.array(walk.rotations)
    arm = walk.skeleton.joint("left_upper_arm")
    turn = from_axis_angle(np.array([0.0, 0, 1]), np.pi * 0.9)
    rotations[80, arm] = quaternion.multiply(rotations[80, arm], turn)
    report = examined(tmp_path, walk.with_(rotations=rotations))
    assert report.flips == (80, 81)
    assert "drop" in found(report, "flips").fix


def test_a_walk_on_the_spot_is_recognised(tmp_path, walk):
    positions = np.array(walk.positions)
    positions[:, 0, [0, 2]] = 0
    assert found(examined(tmp_path, walk.with_(positions=positions)), "on the spot").fix == "in_place = true"


def test_stiff_limbs_and_still_clips_are_named(tmp_path, walk):
    rotations = np.array(walk.rotations)
    rotations[:, walk.skeleton.joint("left_lower_leg")] = [1, 0, 0, 0]
    report = examined(tmp_path, walk.with_(rotations=rotations))
    assert "LeftLeg" in found(report, "never bend").what
    still = walk.with_(positions=np.repeat(walk.positions[:1], 60, 0), rotations=np.repeat(walk.rotations[:1], 60, 0))
    assert found(examined(tmp_path, still), "nothing moves")


@pytest.mark.parametrize(("frames", "word"), [(1, "not a motion"), (12, "below")])
def test_too_short_is_an_error(tmp_path, walk, frames, word):
    report = examined(tmp_path, walk.frames(0, frames))
    assert not report.buildable
    assert found(report, word).severity == "error"


def test_a_giant_is_reported_with_a_cure(tmp_path, walk):
    report = examined(tmp_path, walk, unit=0.02)
    assert "scale_to_leg_length" in found(report, "legs are").fix


def test_bones_without_length_are_told(tmp_path, walk):
    rig = replace(walk.skeleton, offsets=walk.skeleton.offsets * 0)
    report = examined(tmp_path, walk.with_(skeleton=rig), unit="cm")
    assert found(report, "legs have no length").severity == "warning"


def test_an_animal_gets_the_lines_it_needs(tmp_path):
    names = ["body", "front_left", "front_right", "back_left", "back_right"]
    feet = [[0.1, -0.4, 0.3], [-0.1, -0.4, 0.3], [0.1, -0.4, -0.3], [-0.1, -0.4, -0.3]]
    dog = skeleton(names, [-1, 0, 0, 0, 0], np.array([[0, 0.5, 0], *feet]))
    positions = np.repeat(dog.offsets[None], 60, 0)
    positions[:, 0, 2] = np.arange(60) * 0.01
    clip = Clip(dog, positions, quaternion.identity((60, 5)), 60.0)
    problem = found(examined(tmp_path, clip), "not a humanoid")
    assert 'root_joint = "body"' in problem.fix
    assert '["front_left", "front_right"]' in problem.fix


def test_the_worst_comes_first():
    ordered = by_severity([Problem("note", "a"), Problem("error", "b"), Problem("warning", "c"), Problem("error", "d")])
    assert [problem.what for problem in ordered] == ["b", "d", "c", "a"]


PEOPLE = ["cmu", "bandai-namco", "xsens", "amass-z-up", "lafan1-takes", "lafan1-simulation-bone"]
RIGS = ["Geno_bind", "Geno_stance", "cmu3dsmax_131_01", "poser_pirouette", "pybvh_bvh_test1", "pybvh_bvh_test2"]


def people(data):
    files = [path for folder in PEOPLE for path in sorted((data / folder).glob("*.bvh"))]
    files += [data / "rigs" / f"{name}.bvh" for name in RIGS]
    return files + sorted((data / "lafan1-clips").glob("*.bvh"))[::6]


def test_every_real_person_is_y_up_in_metres_and_of_human_height(data):
    for path in people(data):
        report = examine(path)
        assert not report.missing_roles, path
        assert report.hips_height is not None, path
        assert 0.7 < report.hips_height < 1.2, f"{path}: {report.hips_height}"
        poses = [p for p in report.problems if p.severity == "error"]
        assert not poses or "a pose" in poses[0].what, f"{path}: {poses}"


def test_the_root_of_every_real_person_faces_where_the_body_faces(data):
    for path in people(data)[::3]:
        clip = read_clip(path)
        if clip.frame_count < 30:
            continue
        rooted = add_root(clip)
        faced = quaternion.rotate(rooted.rotations[:, 0].astype(float), [0.0, 0, 1])
        agreement = np.sum(faced * body_forward(clip), axis=-1)
        assert np.median(agreement) > np.cos(np.radians(25)), f"{path}: {np.degrees(np.arccos(np.median(agreement)))}"


def test_every_character_keeps_its_size_and_faces_z_in_its_t_pose(data):
    from kinematch.motion.kinematics import tpose

    heights = {"CesiumMan.glb": 1.5, "mesh2motion-human-male.glb": 1.8, "vrm1-debug_robot.vrm": 1.75}
    for path in sorted((data / "characters").iterdir()):
        report, rig = examine(path), read_clip(path).skeleton
        assert report.unit == 1.0, path
        assert not report.missing_roles, path
        positions, _ = tpose(rig)
        left = positions[rig.roles["left_hand"]] - positions[rig.roles["right_hand"]]
        assert left[0] > 0.9 * np.linalg.norm(left), path
        toes = [
            positions[rig.roles[f"{side}_toes"]] - positions[rig.roles[f"{side}_foot"]]
            for side in ("left", "right")
            if f"{side}_toes" in rig.roles
        ]
        assert all(toe[2] > 0 for toe in toes), path
        if path.name in heights:
            assert abs(positions[:, 1].max() - heights[path.name]) < 0.35, f"{path}: {positions[:, 1].max()}"
