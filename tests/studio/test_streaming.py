"""Streams: what is sent is what was stepped, clients of a page read it, and the documented protocol is the real one."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

import kinematch as km
from kinematch.cli.main import main
from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.motion.kinematics import global_pose
from kinematch.stream.layout import DT, POSE, PROTOCOL, ROBOT, unpack
from kinematch.stream.listening import open_stream, read_skeleton

PROJECT = Path(__file__).parents[2]
CLIENTS = PROJECT / "examples"
PATIENCE = 240  # s, which only a failure waits for
SCRIPT = """{"kinematch": "script", "version": 1}
{"seconds": 0.5, "speed": 1.35, "heading": 0}
{"seconds": 0.25, "speed": 1.35, "heading": 60}
"""


@pytest.fixture(scope="module")
def small(built_of):
    return built_of("idle", "walk_1.35").path


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("scripts") / "course.jsonl"
    path.write_text(SCRIPT)
    return path


@contextmanager
def streaming(small, script, *options):
    """The command in a process of its own, and the address that it tells."""
    command = [sys.executable, "-m", "kinematch.cli.main", "stream", str(small), "--controller", str(script)]
    process = subprocess.Popen([*command, "--port", "0", *options], stdout=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stdout if "ws://" in line)
        yield process, re.search(r"ws://[^\s;]+", line).group()
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


@pytest.fixture(scope="module")
def address(small, script):
    """A stream that goes on for all tests here."""
    with streaming(small, script, "--origin", "http://localhost:5173") as (_, place):
        yield place


def test_a_script_is_recorded_as_it_was_stepped(small, script, tmp_path, capsys):
    output = tmp_path / "take.glb"
    with streaming(small, script, "--once") as (process, place):
        assert main(["record", "--websocket", place, "-o", str(output)]) == 0
        assert process.wait(PATIENCE) == 0
    assert "45 frames at 60 fps" in capsys.readouterr().out
    database = km.load(small)
    crowd, player = km.Crowd(database), km.ScriptPlayer(km.read_script(script))
    poses = [crowd.step(player.command(crowd.body, DT), DT) for _ in range(45)]
    own, heard = km.record(poses, crowd.skeleton, 60), read_clip(output)
    assert heard.skeleton.names == own.skeleton.names
    assert dict(heard.skeleton.roles) == dict(own.skeleton.roles)
    np.testing.assert_allclose(global_pose(heard)[0], global_pose(own)[0], atol=1e-5)


def test_clients_of_a_page_place_the_head_where_we_do(address, capsys):
    client = runpy.run_path(str(CLIENTS / "stream_client.py"))
    client["main"](address, 31)
    said = capsys.readouterr().out
    assert "60 frames a second" in said
    assert said.count("head at") == 2
    with open_stream(address) as (connection, recorder):
        frame = next(message for message in connection if isinstance(message, bytes))
        recorder.take(frame)
    clip = recorder.make_clip()
    about = {"parents": clip.skeleton.parents, "offsets": clip.skeleton.offsets, "positioned": recorder._positioned}
    found = client["global_positions"](about, client["read_frame"](frame))
    np.testing.assert_allclose(found, global_pose(clip)[0][0], atol=1e-5)

    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    told = subprocess.run(
        [node, "--experimental-websocket", str(CLIENTS / "stream_client.mjs"), address, "31"],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("head at") == 2
    # the two clients place the same bytes alike
    page = f"""
      import {{ readFrame, globalPositions }} from {json.dumps((CLIENTS / "stream_client.mjs").as_uri())};
      const frame = readFrame(Uint8Array.from(Buffer.from({json.dumps(frame.hex())}, "hex")).buffer);
      const skeleton = {json.dumps(_plain(about, clip))};
      console.log(JSON.stringify(globalPositions(skeleton, frame)));"""
    told = subprocess.run([node, "--input-type=module", "-e", page], capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0, told.stderr
    np.testing.assert_allclose(json.loads(told.stdout), found, atol=1e-5)


def test_the_studio_speaks_the_same_protocol(studio_server):
    with open_stream(studio_server.url.replace("http", "ws") + "/stream") as (connection, recorder):
        while len(recorder) < 10:
            recorder.take(connection.recv(timeout=PATIENCE))
    clip = recorder.make_clip()
    assert clip.skeleton.names == studio_server.studio.stage.skeleton.names
    assert 0.8 < clip.positions[0, clip.skeleton.roles["hips"], 1] < 1.1


def _plain(about, clip):
    return {"names": list(clip.skeleton.names)} | {key: value.tolist() for key, value in about.items()}


def test_joint_angles_of_a_robot_come_beside_the_poses(small, script, capsys):
    """What is sent is what RobotRetargeting makes of the same steps, read alike by both clients."""
    from kinematch.robot.model import TO_OURS
    from kinematch.robot.read import read_robot
    from kinematch.robot.retargeting import RobotRetargeting

    client = runpy.run_path(str(CLIENTS / "stream_client.py"))
    model = read_robot(CLIENTS / "biped.xml")
    options = ("--robot", str(CLIENTS / "biped.xml"), "--once")
    with streaming(small, script, *options) as (process, place), connect(place) as connection:
        welcome = json.loads(connection.recv(timeout=PATIENCE))
        heard = list(connection)  # until the script has ended
        assert process.wait(PATIENCE) == 0
    assert welcome["protocol"] == PROTOCOL
    assert welcome["robot"]["hinges"] == list(model.hinge_names)
    np.testing.assert_allclose(welcome["robot"]["limits"], model.limits)
    assert [message[:4] for message in heard] == [POSE.magic, ROBOT.magic] * 45
    crowd, player = km.Crowd(km.load(small)), km.ScriptPlayer(km.read_script(script))
    retargeting = RobotRetargeting(crowd.skeleton, model)
    for number, message in enumerate(heard[1::2], 1):
        pose = crowd.step(player.command(crowd.body, DT), DT)
        base, turn, angles = retargeting.step(pose.positions, pose.rotations, pose.contacts[:, :2], DT)
        frame = client["read_robots"](message)
        assert (frame["step"], frame["time"]) == (number, pytest.approx(number * DT))
        np.testing.assert_allclose(frame["angles"], angles, atol=1e-5)
        np.testing.assert_allclose(frame["bases"][:, :3][:, TO_OURS], base, atol=1e-5)
        found = frame["bases"][:, 3:]
        np.testing.assert_allclose(np.concatenate([found[:, 3:], found[:, :3][:, TO_OURS]], axis=1), turn, atol=1e-5)
    header, arrays = unpack(ROBOT, heard[1])
    assert header["hinges"] == model.hinge_count
    assert client["read_robots"](heard[0]) is None
    assert client["read_frame"](heard[1]) is None

    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    page = f"""
      import {{ readFrame, readRobots }} from {json.dumps((CLIENTS / "stream_client.mjs").as_uri())};
      const messages = {json.dumps([message.hex() for message in heard[:2]])};
      const [pose, robots] = messages.map((hex) => Uint8Array.from(Buffer.from(hex, "hex")).buffer);
      const frame = readRobots(robots), others = [readFrame(robots), readRobots(pose)];
      console.log(JSON.stringify([[...frame.bases], [...frame.angles], others]));"""
    told = subprocess.run([node, "--input-type=module", "-e", page], capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0, told.stderr
    bases, angles, others = json.loads(told.stdout)
    np.testing.assert_allclose(bases, arrays["bases"].ravel(), atol=1e-6)
    np.testing.assert_allclose(angles, arrays["angles"].ravel(), atol=1e-6)
    assert others == [None, None]


def test_clients_of_a_page_print_a_robots_knees(small, script, capsys):
    client = runpy.run_path(str(CLIENTS / "stream_client.py"))
    node = shutil.which("node")
    with streaming(small, script, "--robot", str(CLIENTS / "biped.xml")) as (_, place):
        client["main"](place, 32)
        said = [capsys.readouterr().out]
        if node is not None:
            command = [node, "--experimental-websocket", str(CLIENTS / "stream_client.mjs"), place, "32"]
            said.append(subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout)
    for words in said:
        assert words.count("base at height") == 2
        assert "hinges besides" in words
        assert "knee" in words


def test_pages_of_other_sites_are_refused_unless_named(address):
    with pytest.raises(WebSocketException):
        connect(address, origin="http://evil.example")
    with connect(address, origin="http://localhost:5173") as connection:
        assert json.loads(connection.recv(timeout=PATIENCE))["protocol"] == PROTOCOL


def test_beyond_loopback_a_stream_needs_its_key(small, script, tmp_path, capsys):
    with streaming(small, script, "--host", "0.0.0.0") as (_, place):
        place = place.replace("0.0.0.0", "127.0.0.1")
        bare, _, key = place.partition("?key=")
        assert len(key) == 20
        for refused in (bare, f"{bare}?key=", f"{bare}?key={key[:-1]}"):
            with pytest.raises(InvalidStatus):
                connect(refused)
        with connect(bare, additional_headers={"x-kinematch-key": key}) as connection:
            assert json.loads(connection.recv(timeout=PATIENCE))["type"] == "welcome"
        take = tmp_path / "take.bvh"
        assert main(["record", "--websocket", bare, "-o", str(take), "--seconds", "0.3"]) == 2
        assert "?key=KEY" in capsys.readouterr().err
        assert main(["record", "--websocket", place, "-o", str(take), "--seconds", "0.3"]) == 0
        assert key not in take.read_text() + capsys.readouterr().out


def test_vmc_goes_out_without_a_websocket_and_is_recorded(small, script, tmp_path, capsys):
    from kinematch.stream.vmc_in import VmcReceiver

    probe = VmcReceiver(0)
    port = str(probe.port)
    probe.close()

    def is_free(port):
        try:
            VmcReceiver(int(port)).close()
        except KinematchError:
            return False
        return True

    output = tmp_path / "take.bvh"
    statuses = []
    recording = threading.Thread(target=lambda: statuses.append(main(["record", "--vmc", port, "-o", str(output)])))
    recording.start()
    while is_free(port):
        time.sleep(0.01)
    options = ["--controller", str(script), "--once", "--no-websocket", "--vmc", port]
    # on a thread of its own: browser tests leave an event loop on this one
    streaming = threading.Thread(target=lambda: statuses.append(main(["stream", str(small), *options])))
    streaming.start()
    streaming.join(PATIENCE)
    recording.join(PATIENCE)
    assert statuses == [0, 0]
    clip = read_clip(output)
    travel = clip.positions[-1, 0] - clip.positions[0, 0]
    assert 0.05 < np.linalg.norm(travel[[0, 2]]) < 1.2
    assert 0.3 < clip.duration < 0.8


def test_bad_requests_are_told_in_a_line(small, tmp_path, capsys):
    for arguments, words in (
        (["stream", str(small), "--no-websocket"], "--vmc"),
        (["stream", str(small), "--once"], "--controller"),
        (["stream", str(small), "--robot", str(CLIENTS / "biped.xml"), "--character", "x.glb"], "--character"),
        (["stream", str(small), "--robot", str(tmp_path / "none.xml")], "none.xml"),
        (["record", "-o", str(tmp_path / "x.bvh")], "either"),
        (["record", "--websocket", "http://x", "-o", str(tmp_path / "x.bvh")], "is not an address"),
        (["record", "--websocket", "ws://127.0.0.1:1/stream", "-o", str(tmp_path / "x.bvh")], "ws://127.0.0.1:1"),
    ):
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(KinematchError, match="skeleton"):
        read_skeleton({"skeleton": {"names": ["Hips"]}})


def test_the_documented_frame_is_the_frame_that_is_sent():
    page = (PROJECT / "docs" / "stream.md").read_text()
    page, robots = page.split("## Joint angles of a robot")
    for field in ROBOT.header:
        assert f"| `{field.name}` | {ROBOT.offsets[field.name]} | {field.type} |" in robots
    for one in ROBOT.arrays:
        assert f"| `{one.name}` | {one.type} | {', '.join(map(str, one.shape))} |" in robots
    fields = re.findall(r"^\| `(\w+)` \| (\d+) \| (\w+) \|", page, re.M)
    assert [(name, int(at), kind) for name, at, kind in fields] == [
        (field.name, POSE.offsets[field.name], field.type) for field in POSE.header
    ]
    arrays = re.findall(r"^\| `(\w+)` \| (i32|u32|f32) \| ([\w, ]+) \|", page, re.M)
    assert arrays == [(one.name, one.type, ", ".join(map(str, one.shape))) for one in POSE.arrays]
    assert f"`protocol` is {PROTOCOL}" in page
