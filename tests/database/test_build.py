"""Building: files to a database, reuse, refusal, interruption, animals."""

import os
import re

import numpy as np
import pytest

from kinematch.database import clean_files, storage
from kinematch.database.build import build
from kinematch.database.clean_files import find_cleaned
from kinematch.errors import FileError, KinematchError
from kinematch.files import write_clip
from kinematch.math import rotation
from kinematch.motion.clean.edit import scale
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    left = walk_along(np.array([[0, 0], [0, 2], [2, 3]]), 1.3, name="left")
    straight = walk_along(np.array([[0, 0], [0, 3.0]]), 1.0, name="straight")
    return {"left": left, "straight": straight}


@pytest.fixture
def folder(tmp_path, clips):
    (tmp_path / "mocap").mkdir()
    for name, clip in clips.items():
        write_clip(tmp_path / "mocap" / f"{name}.bvh", clip)
    return tmp_path


def recipe(folder, more="", *, source="", files='["mocap/*.bvh"]'):
    path = folder / "walks.toml"
    path.write_text(f"[[source]]\nfiles = {files}\n{source}\n{more}\n")
    return path


@pytest.fixture(autouse=True)
def empty_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def no_reading(monkeypatch):
    """Makes any reading of motion fail, so that only reuse can succeed."""

    def fail(*arguments, **more):
        raise AssertionError("motion was read again")

    def forbid():
        monkeypatch.setattr(clean_files, "prepare", fail)

    return forbid


def test_a_folder_becomes_a_database_beside_its_recipe(folder, clips):
    result = build(recipe(folder))
    assert result.path == folder / "walks.kinematch"
    assert result.reused == "nothing"
    poses = result.database.poses
    assert poses.clip_names == ("left", "straight")
    assert poses.frame_rate == 60
    assert poses.skeleton.names[0] == "Root"
    assert [poses.skeleton.names[j] for j in poses.contact_joints] == ["LeftToe", "RightToe"]
    assert poses.frame_count == sum(clip.frame_count for clip in clips.values())
    assert result.database.features.width == 27
    assert 0.3 < poses.contacts.mean() < 0.95
    assert storage.load(result.path, verify=True).about["recipe"] == (folder / "walks.toml").read_text()


def test_mirrored_copies_follow_their_clips_with_feet_and_tags_exchanged(folder):
    mirrored = "[cleaning]\nmirror = true"
    tags = 'tags = ["walk"]\n[[source.range]]\nfiles = "left*"\nfrom = 1\nto = 2\ntags = ["left"]'
    poses = build(recipe(folder, mirrored, source=tags)).database.poses
    assert poses.clip_names == ("left", "left (mirrored)", "straight", "straight (mirrored)")
    a, b = slice(0, poses.clip_stops[0]), slice(poses.clip_starts[1], poses.clip_stops[1])
    np.testing.assert_array_equal(poses.contacts[a], poses.contacts[b][:, ::-1])
    np.testing.assert_allclose(poses.positions[a, 0] * [-1, 1, 1], poses.positions[b, 0], atol=1e-5)
    assert poses.tags.names == ("left", "right", "walk")
    assert np.flatnonzero(poses.tags.of("left")).tolist() == list(range(60, 120))
    assert np.flatnonzero(poses.tags.of("right")).tolist() == list(range(b.start + 60, b.start + 120))
    assert poses.tags.of("walk").all()


def test_a_second_build_reads_nothing_and_gives_the_same(folder, no_reading):
    first = build(recipe(folder))
    before = first.path.read_bytes(), os.stat(first.path).st_mtime_ns
    no_reading()
    second = build(recipe(folder))
    assert second.reused == "everything"
    assert (second.path.read_bytes(), os.stat(second.path).st_mtime_ns) == before
    assert second.warnings == first.warnings


@pytest.mark.parametrize(
    "more",
    ["[matching]\nresponsiveness = 2", "[matching]\ntail = 0.5", '[[feature]]\nkind = "height"\njoint = "hips"'],
)
def test_other_features_and_weights_clean_nothing_again(folder, no_reading, more):
    first = build(recipe(folder)).database
    poses = np.array(first.poses.positions)
    no_reading()
    second = build(recipe(folder, more))
    assert second.reused == "clips"
    np.testing.assert_array_equal(second.database.poses.positions, poses)


def test_a_weight_alone_changes_no_value(folder):
    first = np.array(build(recipe(folder)).database.features.values)
    second = build(recipe(folder, "[matching]\nquality = 4")).database.features
    np.testing.assert_array_equal(first, second.values)
    assert set(second.column_weights().tolist()) == {4.0, 1.0}


@pytest.mark.parametrize(("change", "cleaned"), [("file", 1), ("fix", 2), ("cleaning", 2), ("tags", 0)])
def test_only_files_whose_clips_may_change_are_cleaned_again(folder, clips, change, cleaned):
    assert build(recipe(folder)).cleaned == 2
    path = recipe(folder)
    if change == "file":
        write_clip(folder / "mocap" / "left.bvh", clips["left"].frames(0, 200))
    elif change == "fix":
        path = recipe(folder, source="trim = [0.5, 2.0]")
    elif change == "cleaning":
        path = recipe(folder, "[cleaning]\nframe_rate = 30")
    else:
        path = recipe(folder, source='tags = ["walk"]')
    result = build(path)
    assert result.cleaned == cleaned
    assert result.database.poses.tags.names == (("walk",) if change == "tags" else ())


def test_a_renamed_but_equal_file_builds_to_its_new_name(folder):
    build(recipe(folder))
    (folder / "mocap" / "left.bvh").rename(folder / "mocap" / "bend.bvh")
    assert build(recipe(folder)).database.poses.clip_names == ("bend", "straight")


def test_cuts_are_told_in_seconds_of_the_file_and_marks_follow_them(folder):
    source = """
trim = [0.5, 3.0]
drop = [[1.0, 1.5]]
split = [2.0]
[[source.range]]
from = 1.75
to = 2.25
no_entry = true"""
    poses = build(recipe(folder, source=source, files='["mocap/left.bvh"]')).database.poses
    assert poses.clip_names == ("left #1", "left #2", "left #3")
    assert (poses.clip_stops - poses.clip_starts).tolist() == [30, 30, 60]
    # 1.75 s is 15 frames into the second piece, 2.25 s is 15 frames into the third
    assert np.flatnonzero(poses.no_entry).tolist() == list(range(45, 75))


def test_an_empty_glob_is_an_error_with_its_line(folder):
    with pytest.raises(
        FileError, match=r"walks\.toml:2: source\[0\]\.files: 'mocpa/\*\.bvh' matches no file; there is no"
    ):
        build(recipe(folder, files='["mocpa/*.bvh"]'))
    with pytest.raises(FileError, match=r"'mocap/\*\.glb' matches no file in .*mocap"):
        build(recipe(folder, files='["mocap/*.glb"]'))


def test_a_file_of_two_sources_is_an_error_and_exclude_settles_it(folder):
    more = '[[source]]\nfiles = ["mocap/left.bvh"]\ntags = ["bend"]'
    with pytest.raises(FileError, match=r"left\.bvh is in source\[0\] already"):
        build(recipe(folder, more))
    poses = build(recipe(folder, more, source='exclude = ["left*"]')).database.poses
    assert poses.clip_names == ("straight", "left")


def test_files_of_one_name_in_two_folders_get_longer_names(folder, clips):
    (folder / "more").mkdir()
    write_clip(folder / "more" / "left.bvh", clips["left"])
    poses = build(recipe(folder, files='["*/left.bvh"]')).database.poses
    assert poses.clip_names == ("mocap/left", "more/left")


def test_another_skeleton_is_refused_with_file_and_difference(folder, clips):
    write_clip(folder / "mocap" / "tall.bvh", scale(clips["straight"], 1.1))
    named = '["mocap/left.bvh", "mocap/straight.bvh", "mocap/tall.bvh"]'
    with pytest.raises(FileError, match=r"tall\.bvh: its skeleton differs .*left\.bvh: bone .*retarget = true"):
        build(recipe(folder, files=named))


def test_of_files_found_by_a_pattern_those_on_rarer_skeletons_are_left_out_with_the_difference(folder, clips):
    write_clip(folder / "mocap" / "a.bvh", scale(clips["straight"], 1.1))
    result = build(recipe(folder))
    assert result.database.poses.clip_names == ("left", "straight")
    (warning,) = result.warnings
    assert re.search(r"left out: .*a\.bvh: its skeleton differs .*left\.bvh: bone .*retarget = true", warning)


def test_a_broken_file_is_named_and_the_earlier_database_stays(folder):
    named = recipe(folder, files='["mocap/left.bvh", "mocap/straight.bvh"]')
    first = build(named)
    before = first.path.read_bytes()
    (folder / "mocap" / "left.bvh").write_text("HIERARCHY\nROOT\n")
    with pytest.raises(FileError, match=r"left\.bvh"):
        build(named)
    assert first.path.read_bytes() == before


def test_bad_files_among_those_that_a_pattern_finds_are_left_out_a_line_each(folder):
    (folder / "mocap" / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    (folder / "mocap" / "text.bvh").write_text("hello")
    with open(folder / "mocap" / "big.bvh", "wb") as file:
        file.truncate(1 << 40)
    result = build(recipe(folder))
    assert result.database.poses.clip_names == ("left", "straight")
    assert [re.search(r"(\w+)\.bvh", line)[1] for line in result.warnings] == ["big", "broken", "text"]
    assert all(line.startswith("left out: ") for line in result.warnings)
    again = build(recipe(folder))
    assert (again.reused, again.warnings) == ("everything", result.warnings)


def test_an_interrupted_build_goes_on_where_it_stopped(folder):
    def interrupt(stage, done, total):
        if (stage, done) == ("clips", 1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(recipe(folder), progress=interrupt)
    assert build(recipe(folder)).cleaned <= 1


def test_kept_clips_that_were_damaged_are_made_again(folder, tmp_path_factory):
    first = build(recipe(folder)).database
    for kept in find_cleaned().folder.glob("*.cleaned"):
        kept.write_bytes(kept.read_bytes()[:-100])
    (folder / "walks.kinematch").unlink()
    again = build(recipe(folder))
    assert again.cleaned == 2
    np.testing.assert_array_equal(again.database.poses.rotations, first.poses.rotations)


def test_an_interrupt_in_any_stage_leaves_the_earlier_database_and_no_litter(folder):
    first = build(recipe(folder))
    before = first.path.read_bytes()
    names = sorted(os.listdir(folder))
    for stage in ("clips", "poses", "features", "write"):

        def interrupt(name, done, total, stage=stage):
            if name == stage:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            build(recipe(folder, "[cleaning]\nframe_rate = 30"), progress=interrupt)
        assert first.path.read_bytes() == before
        assert sorted(os.listdir(folder)) == names


def test_progress_counts_every_file(folder):
    seen = []
    build(recipe(folder), progress=lambda *step: seen.append(step))
    assert [step for step in seen if step[0] == "clips"] == [("clips", 0, 2), ("clips", 1, 2), ("clips", 2, 2)]


def test_a_file_that_is_no_database_is_never_overwritten(folder):
    precious = folder / "mocap" / "left.bvh"
    before = precious.read_bytes()
    with pytest.raises(FileError, match="so that it is not overwritten"):
        build(
            recipe(folder, files='["mocap/straight.bvh"]').with_name("walks.toml"), **_output(folder, "mocap/left.bvh")
        )
    assert precious.read_bytes() == before


def _output(folder, name):
    path = folder / "walks.toml"
    path.write_text(f'output = "{name}"\n' + path.read_text())
    return {}


def test_a_damaged_earlier_database_is_built_anew(folder):
    path = build(recipe(folder)).path
    path.write_bytes(path.read_bytes()[:5000])
    assert build(recipe(folder)).reused == "clips"
    storage.load(path, verify=True)


def test_damage_within_the_contents_is_built_anew_too(folder):
    path = build(recipe(folder)).path
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert build(recipe(folder)).reused == "clips"
    storage.load(path, verify=True)


def test_an_output_that_cannot_be_written_is_told_before_the_work(folder, no_reading):
    no_reading()
    (folder / "file").write_text("no folder")
    os.mkfifo(folder / "pipe")
    for name, why in (("mocap", "is a folder"), ("file/x", "Not a directory"), ("pipe", "no regular file")):
        path = recipe(folder)
        _output(folder, name)
        with pytest.raises(FileError, match=f"{name}: cannot be written: .*{why}"):
            build(path)


@pytest.mark.parametrize("key", ["tpose", "skeleton"])
def test_a_pipe_named_in_a_recipe_is_refused_rather_than_waited_for(folder, key):
    os.mkfifo(folder / "pipe")
    path = folder / "walks.toml"
    line = 'KEY = "pipe"\n'.replace("KEY", key)
    source = '[[source]]\nfiles = ["mocap/*.bvh"]\n'
    path.write_text(source + line if key == "tpose" else line + source)
    with pytest.raises(FileError, match="is not a regular file"):
        build(path)


def test_mistakes_of_no_file_in_particular_name_the_recipe(folder):
    for source, more in (
        ("retarget = true", ""),
        ("", "[matching]\ntail = 100"),
        ("", '[[feature]]\nkind = "height"\njoint = "x"'),
    ):
        with pytest.raises(FileError, match=r"walks\.toml: "):
            build(recipe(folder, more, source=source))


def test_a_range_said_of_no_file_is_refused_and_one_without_frames_is_told(folder):
    source = '[[source.range]]\nto = 1\n[[source.range]]\nfiles = "lfet*"\ntags = ["x"]'
    expected = r"walks\.toml:6: source\[0\]\.range\[1\]\.files: 'lfet\*' matches none of the source's files"
    with pytest.raises(FileError, match=expected):
        build(recipe(folder, source=source))
    source = '[[source.range]]\nto = 1\n[[source.range]]\nfiles = "left*"\nfrom = 1000\ntags = ["x"]'
    assert build(recipe(folder, source=source)).warnings == ("source[0].range[1] marks no frame",)


def test_what_is_no_motion_file_is_refused_before_it_is_read_to_its_end(folder):
    with open(folder / "mocap" / "big.bvh", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FileError, match=r"big\.bvh: is 1099\.5 GB long"):
        build(recipe(folder, files='["mocap/big.bvh"]'))


def test_a_folder_with_a_name_too_long_is_no_folder(folder):
    with pytest.raises(FileError, match="matches no file; there is no folder"):
        build(recipe(folder, files=f'["{"x" * 300}/*.bvh"]'))


def test_built_in_motion_is_a_source(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\ntags = ["calm"]\n')
    poses = build(path).database.poses
    assert poses.clip_names == ("idle",)
    assert "calm" in poses.tags.names
    path.write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idel"]\n')
    with pytest.raises(KinematchError, match=r"source\[0\]\.clips: no clip 'idel'; did you mean 'idle'"):
        build(path)
    path.write_text('[[source]]\nbuiltin = "locomotion"\nclips = ["idl*"]\n')
    assert build(path).database.poses.clip_names[0] == "idle"


def test_an_unknown_joint_of_a_feature_is_named(folder):
    with pytest.raises(KinematchError, match=r"feature 'LeftFot_position': .* did you mean 'LeftFoot'"):
        build(recipe(folder, '[[feature]]\nkind = "position"\njoint = "LeftFot"'))


def dog() -> Clip:
    names = ["Body", "FrontL", "FrontR", "BackL", "BackR", "Skull"]
    offsets = np.array(
        [[0, 0.5, 0], [0.1, -0.5, 0.3], [-0.1, -0.5, 0.3], [0.1, -0.5, -0.3], [-0.1, -0.5, -0.3], [0, 0.2, 0.5]]
    )
    rig = skeleton(names, [-1, 0, 0, 0, 0, 0], offsets, ends=[(j, (0, -0.01, 0.02)) for j in range(1, 6)])
    t = np.arange(181) / 60
    p = np.tile(offsets, (181, 1, 1))
    p[:, 0, 2] = 0.8 * t
    for joint, phase in ((1, 0), (2, np.pi), (3, np.pi), (4, 0)):
        lift = np.maximum(0, np.sin(6 * t + phase))
        p[:, joint, 1] += 0.1 * lift
        p[:, joint, 2] += 0.13 * np.where(lift > 0, -np.cos(6 * t + phase), 1 - 2 * ((6 * t + phase) % np.pi) / np.pi)
    r = np.zeros((181, 6, 4))
    r[..., 0] = 1
    r[:, 5] = rotation.from_axis_angle([0.0, 1.0, 0.0], 0.3 * np.sin(3 * t))
    return Clip(rig, p, r, 60.0, "dog")


DOG = """
unit = "cm"
up = "Y"
root = "hips"
root_joint = "Body"
contact_joints = ["FrontL", "FrontR", "BackL", "BackR"]
mirror_pairs = [["FrontL", "FrontR"], ["BackL", "BackR"]]
[cleaning]
mirror = true
[[feature]]
kind = "position"
joint = "FrontL"
[[feature]]
kind = "velocity"
joint = "Body"
[[feature]]
kind = "direction"
joint = "Skull"
[[feature]]
kind = "trajectory_position"
times = [0.5, 1.0]
"""


def test_an_animal_builds_when_the_recipe_names_its_parts(tmp_path):
    write_clip(tmp_path / "dog.bvh", dog())
    path = tmp_path / "dog.toml"
    path.write_text('[[source]]\nfiles = ["dog.bvh"]\n' + DOG)
    database = build(path).database
    assert database.poses.clip_names == ("dog", "dog (mirrored)")
    assert database.poses.contacts.shape[1] == 4
    velocity = database.features.physical()[:, database.features.schema.columns["Body_velocity"]]
    np.testing.assert_allclose(np.median(velocity, axis=0), [0, 0, 0.8], atol=0.02)
    heights = database.poses.positions[:, 1, 1]
    assert 0.45 < heights.mean() < 0.6


def test_looping_clips_are_stored_once_around(folder, clips, tmp_path):
    source = "loop = true\ntrim = [0.0, 2.0]"
    result = build(recipe(folder, source=source, files='["mocap/straight.bvh"]'))
    assert result.database.poses.clip_loops.tolist() == [True]
    assert any("loop = true" in warning for warning in result.warnings)


@pytest.mark.slow
def test_real_clips_build_and_cover_what_they_should(data, tmp_path):
    path = tmp_path / "s.toml"
    names = ["walk1_subject1_walk", "run2_subject4_run2", "fightAndSports1_subject1_sidesteps"]
    files = ", ".join(f'"{data / "lafan1-clips" / name}.bvh"' for name in names)
    path.write_text(f"[[source]]\nfiles = [{files}]\n[cleaning]\nmirror = true\n")
    poses = build(path).database.poses
    assert poses.clip_count == 6
    speeds = np.linalg.norm(poses.velocities[:, 0], axis=-1)
    assert np.quantile(speeds, 0.99) > 3
    hips = poses.positions[:, poses.skeleton.joint("hips"), 1]
    assert 0.8 < np.median(hips) < 1.0


def test_another_rig_is_carried_over_where_the_recipe_says_so(folder, clips):
    (folder / "tall").mkdir()
    write_clip(folder / "tall" / "tall.bvh", scale(clips["straight"], 1.25))
    more = '[[source]]\nfiles = ["tall/tall.bvh"]\nretarget = true'
    poses = build(recipe(folder, more)).database.poses
    straight, tall = poses.clip_names.index("straight"), poses.clip_names.index("tall")
    a, b = (slice(poses.clip_starts[k], poses.clip_stops[k]) for k in (straight, tall))
    # the taller one's own motion, brought back to the size it was made from
    np.testing.assert_allclose(poses.positions[b, 0], poses.positions[a, 0], atol=5e-3)
    assert np.abs(poses.positions[b, 1, 1] - poses.positions[a, 1, 1]).max() < 5e-3


def begin_at_origin(path, out, frames):
    """A capture that begins with its rest pose at the origin, hips on the ground, and jumps away from it."""
    head, motion = path.read_text().split("MOTION", 1)
    count, rate, *lines = motion.strip().splitlines()
    rest = " ".join("0" * len(lines[0].split()))
    count = f"Frames: {int(count.split()[1]) + frames}"
    out.write_text("\n".join([f"{head}MOTION", count, rate, *[rest] * frames, *lines]))


def test_what_is_dropped_of_a_file_does_not_tell_the_floor_of_the_rest_when_it_is_retargeted(tmp_path, data):
    begin_at_origin(data / "cmu-more" / "07_02.bvh", tmp_path / "rest.bvh", 40)
    recipe = tmp_path / "recipe.toml"
    text = f'[[source]]\nfiles = ["{data}/cmu-more/02_02.bvh"]\n'
    for path, end in ((data / "cmu-more" / "07_02.bvh", 1 / 30), (tmp_path / "rest.bvh", 41 / 30)):
        text += f'[[source]]\nfiles = ["{path}"]\nretarget = true\ndrop = [[0.0, {end:.3f}]]\n'
    recipe.write_text(text)
    poses = build(recipe).database.poses
    plain, cut = (slice(*one) for one in zip(poses.clip_starts[-2:], poses.clip_stops[-2:]))
    np.testing.assert_allclose(poses.positions[cut], poses.positions[plain], atol=0.01)


@pytest.mark.parametrize("source", ["", "retarget = true"])
def test_a_clip_that_jumps_is_left_out_by_name_and_with_its_reason(folder, clips, source):
    (folder / "odd").mkdir()
    far = clips["straight"]
    positions = np.array(far.positions)
    positions[: far.frame_count // 2, 0] += [0, 0, 4.0]
    write_clip(folder / "odd" / "jumps.bvh", far.with_(positions=positions))
    result = build(recipe(folder, f'[[source]]\nfiles = ["odd/*.bvh"]\n{source}'))
    assert result.database.poses.clip_names == ("left", "straight")
    assert any("left out: jumps: its body jumps 4.0 m" in warning for warning in result.warnings)
    with pytest.raises(FileError, match=r"no clip is fit .*left out: jumps"):
        build(recipe(folder, files='["odd/*.bvh"]'))


def test_a_stretch_beside_others_in_which_nothing_moves_is_left_out(folder, clips):
    still = clips["straight"].frames(0, 1)
    frames = np.zeros(90, int)
    held = [np.concatenate([getattr(still, name)[frames], getattr(clips["straight"], name)]) for name in
            ("positions", "rotations")]  # fmt: skip
    write_clip(folder / "held.bvh", clips["straight"].with_(positions=held[0], rotations=held[1]))
    seconds = 90 / clips["straight"].frame_rate
    result = build(recipe(folder, files='["held.bvh"]', source=f"split = [{seconds}]"))
    assert result.database.poses.clip_names == ("held #2",)
    assert any("left out: held #1: nothing moves in it" in warning for warning in result.warnings)


def test_retargeting_everything_needs_a_skeleton_to_retarget_to(folder, clips):
    with pytest.raises(KinematchError, match="the target is unknown"):
        build(recipe(folder, source="retarget = true"))
    path = recipe(folder, source="retarget = true")
    path.write_text('skeleton = "mocap/left.bvh"\n' + path.read_text())
    assert build(path).database.poses.clip_count == 2


def test_the_skeleton_a_recipe_names_is_the_measure_of_all(folder, clips):
    write_clip(folder / "tall.bvh", scale(clips["straight"], 1.25))
    path = recipe(folder)
    path.write_text('skeleton = "tall.bvh"\n' + path.read_text())
    with pytest.raises(FileError, match=r"left\.bvh: its skeleton differs from that of tall\.bvh"):
        build(path)


def test_doubts_about_roles_are_warnings_told_once(folder, clips):
    clip = clips["straight"]
    from dataclasses import replace

    names = tuple(f"b{k}" for k in range(clip.skeleton.joint_count))
    for name in ("x", "y"):
        write_clip(folder / "mocap" / f"{name}.bvh", clip.with_(skeleton=replace(clip.skeleton, names=names)))
    result = build(recipe(folder, files='["mocap/x.bvh", "mocap/y.bvh"]'))
    told = [warning for warning in result.warnings if "not from names" in warning]
    assert len(told) == 1
    assert told[0].startswith("x, y: roles: ")


def test_a_default_filter_is_kept_in_the_file_and_changes_no_pose(folder, no_reading):
    tagged = 'tags = ["walk"]'
    assert build(recipe(folder, source=tagged)).database.filter == ""
    no_reading()
    result = build(recipe(folder, '[matching]\nfilter = "walk & walk | walk"', source=tagged))
    assert result.reused == "clips"
    assert result.database.filter == "walk & walk | walk"
    assert storage.load(result.path).filter == "walk & walk | walk"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("wlak", "no tag 'wlak'; did you mean 'walk'?"),
        ("walk &", "expected a tag, found the end"),
        ("!walk", "admits no frame that a search may jump to"),
    ],
)
def test_a_default_filter_that_cannot_work_is_refused_with_its_line(folder, expression, message):
    path = recipe(folder, f'[matching]\nfilter = "{expression}"', source='tags = ["walk"]')
    line = path.read_text().splitlines().index(f'filter = "{expression}"') + 1
    with pytest.raises(FileError, match=r"matching\.filter: ") as raised:
        build(path)
    assert message in str(raised.value)
    assert raised.value.line == line
    assert not list(folder.glob("*.kinematch"))
