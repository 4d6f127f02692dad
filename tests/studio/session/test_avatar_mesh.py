"""A user's own character: the server retargets to it live, its feet stand, and whatever is no character is refused."""

import json

import numpy as np
import pytest
from safetensors.numpy import load

from kinematch.errors import FileError
from kinematch.files import read_clips
from kinematch.files.gltf_container import open_document
from kinematch.motion.kinematics import forward, global_pose, tpose
from kinematch.stream.layout import LINEUP, POSE, unpack
from kinematch.studio.server.messages import StickMessage
from kinematch.studio.session.avatar_mesh import fit_skeleton, read_character
from kinematch.studio.session.exporting import export, make_played_clip
from kinematch.studio.session.mesh_clips import dress_clip
from kinematch.studio.session.recording import open_recording, save_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import describe_character
from kinematch.studio.workshop.preview import database_preview

FILES = ("RobotExpressive.glb", "CesiumMan.glb", "100Avatars_003_Jimmy.vrm", "mesh2motion-human-male.glb")


@pytest.fixture(scope="module")
def robot(data):
    return read_character(data / "characters" / FILES[0], FILES[0])


def walk(stage: Stage, steps: int) -> list:
    stage.pilot.steer(StickMessage(1, 0.0, 1.0))
    return [stage.advance() for _ in range(steps)]


@pytest.mark.parametrize("file", FILES[1:])
def test_the_feet_of_a_worn_character_stand_still_while_they_are_locked(database, data, file):
    stage = Stage(database, name="small", worn=read_character(data / "characters" / file, file))
    slides, heights = [], []
    before = None
    for k in range(240):
        stage.pilot.steer(StickMessage(k, 0.0, 1.0))
        stage.advance()
        picture, rig = stage.history.at(stage.step).picture, stage.crowds["a"].rig
        places = forward(stage.skeleton, *picture.local_poses(stage.view))[0][0, rig.legs[:, 3]]
        locked = (picture.arrays["bits"][0] >> 16 & 1 << np.arange(len(places))) > 0
        if before is not None:
            slides += np.linalg.norm(places - before[0], axis=-1)[locked & before[1]].tolist()
            heights += (places[:, 1] - rig.toe_rests)[locked].tolist()
        before = places, locked
    assert stage.crowds["a"].root_positions[0, 2] > 2.5 * rig.scale
    assert len(slides) > 60
    assert np.median(slides) < 5e-4  # m a step; what a toe lacks when it is locked fades within a moment
    assert np.median(np.abs(heights)) < 0.005


def test_it_is_as_tall_as_the_figure_and_its_joints_name_their_nodes(database, robot):
    skeleton, scale = fit_skeleton(robot, database.poses.skeleton)
    stage = Stage(database, name="small", worn=robot)
    tall = [np.ptp(tpose(one)[0][1:, 1]) for one in (skeleton, database.poses.skeleton)]
    assert tall[0] == pytest.approx(tall[1], rel=1e-4)
    told = describe_character(stage)
    assert told.scale == scale != 1
    assert told.skeleton.names == list(skeleton.names)
    assert told.nodes[0] == -1  # the ground root is ours
    assert sorted(told.nodes[1:]) == sorted(set(told.nodes[1:]))
    assert len(told.nodes) == skeleton.joint_count


def test_who_changes_the_character_plays_on_in_the_same_place(database, robot):
    stage, plain = Stage(database, name="small"), Stage(database, name="small")
    for one in (stage, plain):
        one.set_crowd(3)
        one.compare(True)
        walk(one, 60)
    for one in (stage, plain):
        one.pilot.let_go()
    stage.wear(robot)
    plain.advance()
    assert stage.history.bounds == (stage.step, stage.step)
    assert stage.step == plain.step
    for name, crowd in stage.crowds.items():
        other = plain.crowds[name]
        np.testing.assert_array_equal(crowd.frames, other.frames)
        np.testing.assert_allclose(crowd.root_positions, other.root_positions, atol=0.02)  # steps of other length
        np.testing.assert_array_equal(crowd.state.schedule.filters, other.state.schedule.filters)
    stage.wear(None)
    assert stage.skeleton is database.poses.skeleton
    assert unpack(POSE, stage.shown)[0]["joints"] == database.poses.skeleton.joint_count
    walk(stage, 30)


def test_a_recording_keeps_the_skeleton_of_the_worn_character(database, robot, tmp_path):
    stage = Stage(database, name="small", worn=robot)
    walk(stage, 40)
    save_recording(tmp_path / "worn.kinerec", stage)
    opened = open_recording(tmp_path / "worn.kinerec")
    assert opened.skeleton.names == stage.skeleton.names
    assert [m.picture.pack() for m in opened.history.between()] == [m.picture.pack() for m in stage.history.between()]
    assert not describe_character(opened).drawn
    opened.resume(20)
    opened.advance()


@pytest.mark.parametrize(
    ("file", "reason"), [("vrm0-basic_armature.vrm", "no mesh"), ("three-vrm-test.vrma", "no mesh")]
)
def test_what_cannot_be_drawn_is_refused(data, file, reason):
    with pytest.raises(FileError, match=f"{file}.*{reason}"):
        read_character(data / "characters" / file, file)


def test_a_page_sends_its_character_and_every_page_is_told(fresh_server, data):
    content = (data / "characters" / FILES[0]).read_bytes()
    with fresh_server.page() as page, fresh_server.page() as watcher:
        assert page.welcome["character"] is None
        own = page.identity
        place = f"/api/character?name={FILES[0]}"
        status, answer, _ = fresh_server.fetch(place, method="POST", body=content, **own)
        assert status == 200, answer
        assert any("not joined" in note for note in json.loads(answer)["notes"])  # its feet hang beside its legs
        for one in (page, watcher):
            told = one.message("welcome")["character"]
            assert told["name"] == FILES[0]
            header, _ = one.pose(lambda header, _, told=told: header["joints"] == len(told["skeleton"]["names"]))
            assert header["positioned"] == len(told["skeleton"]["positioned"])
        assert fresh_server.fetch("/api/character")[1] == content
        assert fresh_server.fetch("/api/character", method="DELETE", **own)[0] == 200
        assert watcher.message("welcome")["character"] is None
        assert fresh_server.fetch("/api/character")[0] == 404


@pytest.mark.parametrize(
    ("name", "body", "status", "reason"),
    [
        ("hero.exe", b"glTF", 400, "kind of file"),
        ("hero.glb", b"MZ" * 100, 400, "hero.glb: not a GLB"),
        ("hero.glb", b"glTF" + b"\0" * 300, 400, "hero.glb"),
    ],
)
def test_what_is_no_character_is_refused_with_the_reason(studio_server, name, body, status, reason):
    got, answer, _ = studio_server.fetch(f"/api/character?name={name}", method="POST", body=body)
    assert got == status
    assert reason in json.loads(answer)["message"]
    assert studio_server.studio.stage.worn is None


def test_who_watches_cannot_change_the_character(fresh_server, data):
    with fresh_server.page(), fresh_server.page() as watcher:
        own = watcher.identity
        for method in ("POST", "DELETE"):
            assert fresh_server.fetch("/api/character?name=a.glb", method=method, body=b"glTF", **own)[0] == 403


def test_a_character_that_is_too_large_is_refused(studio_server, monkeypatch):
    from kinematch.studio.server import character_routes

    monkeypatch.setattr(character_routes, "LARGEST_CHARACTER", 1_000_000)
    body = b"glTF" + b"\0" * 1_500_000
    status, answer, _ = studio_server.fetch("/api/character?name=a.glb", method="POST", body=body)
    assert status == 400
    assert "1 MB" in json.loads(answer)["message"]


def test_a_corrected_fit_is_used_and_remembered(fresh_server, data, monkeypatch, tmp_path):
    monkeypatch.setenv("KINEMATCH_SETTINGS", str(tmp_path))
    content = (data / "characters" / FILES[1]).read_bytes()
    with fresh_server.page() as page:
        own = page.identity

        def fit(**changes) -> tuple[int, dict]:
            status, answer, _ = fresh_server.fetch(
                "/api/character/fit", method="POST", body=json.dumps(changes).encode(), **own
            )
            return status, json.loads(answer)

        def told() -> dict:
            return json.loads(fresh_server.fetch("/api/character/fit")[1])

        assert fresh_server.fetch("/api/character/fit")[0] == 404
        place = f"/api/character?name={FILES[1]}"
        assert fresh_server.fetch(place, method="POST", body=content, **own)[0] == 200
        found = told()
        assert found["missing"] == []
        left, right = found["roles"]["left_hand"], found["roles"]["right_hand"]
        before = page.message("welcome")["character"]["skeleton"]
        assert fit(rest={"left_upper_arm": [0, 0, -30]})[0] == 200
        after = page.message("welcome")["character"]["skeleton"]
        arm = before["roles"]["left_upper_arm"]
        assert not np.allclose(before["tpose"][arm], after["tpose"][arm], atol=0.1)
        status, answer = fit(roles={"left_hand": ""}, rest={"left_upper_arm": [0, 0, -30]})
        assert status == 400
        assert "left hand" in answer["message"]
        assert told()["missing"] == ["left_hand"]  # what does not fit yet can be mended further
        assert fit(roles={"left_hand": right, "right_hand": left})[0] in (200, 400)
        assert fit(roles={"left_hand": left}, rest={"left_upper_arm": [0, 0, -30]})[0] == 200
        assert fit(rest={"left_upper_arm": [0, 0, 500]})[0] == 400
        assert fit(roles={"left_paw": "x"})[0] == 400
        assert len(list((tmp_path / "characters").iterdir())) == 1
        # sent again, under another name, it comes as it was corrected
        assert fresh_server.fetch("/api/character?name=other.glb", method="POST", body=content, **own)[0] == 200
        assert told()["rest"] == {"left_upper_arm": [0, 0, -30]}
        assert fit()[0] == 200
        assert not list((tmp_path / "characters").iterdir())


def test_several_characters_do_the_same_motion_side_by_side(fresh_server, data):
    with fresh_server.page() as page:
        own = page.identity
        assert page.welcome["lineup"] == []
        for file in FILES[:2]:
            content = (data / "characters" / file).read_bytes()
            assert fresh_server.fetch(f"/api/lineup?name={file}", method="POST", body=content, **own)[0] == 200
        told = page.message("welcome", lambda welcome: len(welcome["lineup"]) == 2)["lineup"]
        frame = page.frame(lambda frame: frame[:4] == LINEUP.magic)
        header, arrays = unpack(LINEUP, frame)
        counts = [len(one["skeleton"]["names"]) for one in told]
        assert header["joints"] == sum(counts)
        places = arrays["positions"][[0, counts[0]]]
        assert np.linalg.norm(places[0] - places[1]) > 2  # on either side of the first one
        assert fresh_server.fetch("/api/lineup?index=1")[1] == content
        assert fresh_server.fetch("/api/lineup?index=2")[0] == 404
        assert fresh_server.fetch("/api/lineup", method="DELETE", **own)[0] == 200
        assert page.message("welcome", lambda welcome: not welcome["lineup"])


def test_a_file_without_a_usable_skeleton_says_why(tmp_path, data):
    from kinematch.files.gltf_character import _read_parts
    from kinematch.files.gltf_write import write_binary

    structure, binary = _read_parts(data / "characters" / FILES[1])
    del structure["skins"]
    structure["animations"] = []
    mesh = next(k for k, node in enumerate(structure["nodes"]) if "mesh" in node)
    structure["nodes"] = [{"mesh": structure["nodes"][mesh]["mesh"]}]
    structure["scenes"] = [{"nodes": [0]}]
    write_binary(tmp_path / "statue.glb", structure, binary)
    with pytest.raises(FileError, match=r"statue.glb.*no usable skeleton"):
        read_character(tmp_path / "statue.glb", "statue.glb")


@pytest.mark.parametrize("file", FILES)
def test_an_exported_glb_is_the_users_own_file_in_motion(database, data, tmp_path, file):
    path = data / "characters" / file
    stage = Stage(database, name="small", worn=read_character(path, file))
    walk(stage, 90)
    out = tmp_path / "out.glb"
    export(out, stage, start=20, stop=80)
    before, after = open_document(path).gltf, open_document(out).gltf
    assert len(after.meshes) == len(before.meshes) > 0
    written = read_clips(out)[0]
    # joints stand where the stage had them, at the size that the file has
    played = make_played_clip(stage, 20, 80)
    shift = played.skeleton.joint_count - written.skeleton.joint_count
    wanted = global_pose(played)[0][:, shift:] / stage.scale
    assert written.frame_count == 60
    assert np.abs(global_pose(written)[0] - wanted).max() < 1e-3 * np.ptp(wanted[0, :, 1])


def test_previews_are_of_the_worn_character_and_its_feet_stand(database, data):
    stage = Stage(database, name="small", worn=read_character(data / "characters" / FILES[1], FILES[1]))
    index = database.poses.clip_names.index("walk_1.35")
    arrays = load(database_preview(database, index, dress=lambda clip: dress_clip(clip, stage)))
    assert arrays["worn_positions"].shape == (len(arrays["positions"]), stage.skeleton.joint_count, 3)
    travel = [np.ptp(arrays[name][:, 2]) for name in ("roots", "worn_roots")]
    assert travel[1] == pytest.approx(travel[0] * stage.crowds["a"].rig.scale, rel=1e-3)
    assert arrays["worn_positions"][..., 1].min() > -0.05
    stage.wear(None)
    assert dress_clip(database.poses.clip(index), stage) is None
