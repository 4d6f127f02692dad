"""Every motion source with every controller, ten seconds each: finite, on its feet, without skating, as commanded.

The table is in docs/controllers.md; what is refused there is refused here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import kinematch as km
from kinematch.avatar.calibration import EYE_TO_CROWN, make_calibration
from kinematch.avatar.calibrator import Calibrator
from kinematch.avatar.resampling import resample_trackers
from kinematch.avatar.trackers import HANDS, HEAD
from kinematch.camera.alone import find_joints
from kinematch.camera.feet import FeetInQueries, FootFusion
from kinematch.camera.fusion import CameraFusion
from kinematch.character.describe import describe_motion, open_motion
from kinematch.evaluate.feet import Floor, feet, floor_of
from kinematch.evaluate.vr.evaluation import find_database
from kinematch.learned.sketch import sketch_database
from kinematch.motion.kinematics import forward
from kinematch.robot.read import read_robot
from kinematch.robot.retargeting import RobotRetargeting
from kinematch.stream.layout import AVATAR, POSE, ROBOT, unpack
from kinematch.stream.streaming import StreamedCharacter
from kinematch.studio.server.messages import StickMessage
from kinematch.studio.session.robots import read_worn_robot
from kinematch.studio.session.stage import Stage
from kinematch.studio.vr.body import make_outfit
from kinematch.studio.vr.samples import DeviceSample
from kinematch.studio.vr.user import VrUser

DT, STEPS = 1 / 60, 600
SOURCES = ("database", "packed", "model", "own")
SPEED = 1.2  # m/s
BIPED = Path(__file__).parents[2] / "examples" / "biped.xml"
TOES = ("left_toes", "right_toes")


@dataclass(frozen=True)
class Room:
    """What the cells share."""

    floor: Floor
    hips: float  # m, of somebody who stands
    cast: object
    landmarks: object


@pytest.fixture(scope="module")
def room(database, cast, landmarks) -> Room:
    poses, skeleton = database.poses, database.skeleton
    own = poses.clip_frames(poses.clip_names.index("idle"))
    stand = forward(skeleton, poses.positions[own], poses.rotations[own])[0]
    floor = floor_of([stand], np.array([skeleton.roles[role] for role in TOES]))
    return Room(floor, float(np.median(stand[:, skeleton.roles["hips"], 1])), cast, landmarks)


def check_body(room: Room, skeleton: km.Skeleton, positions: Iterable[np.ndarray], *, skate: float) -> None:
    """Of global positions (T, J, 3) on level ground; `skate` in m/s is the mean of toes that stand."""
    places = np.array(list(positions))
    assert np.isfinite(places).all()
    heights = places[:, skeleton.roles["hips"], 1]
    assert heights.min() > 0.85 * room.hips, "sunk"
    assert heights.max() < 1.08 * room.hips, "floating"
    found = feet(places, 1 / DT, Floor(np.array([skeleton.roles[role] for role in TOES]), room.floor.rest))
    assert found.contact.mean() > 0.3, "toes do not come down to the floor"
    assert found.speeds.mean() < skate
    assert found.depths.max() < 0.05


def run_crowd(room: Room, motion, controller, *, positions=None, each: Callable[[km.Crowd], None] | None = None):
    """A crowd of one under a controller; the crowd and where its root was (T, 3)."""
    crowd = km.Crowd(motion, positions=positions)
    places, roots = [], []
    for _ in range(STEPS):
        pose = crowd.step(controller.command(crowd.body, DT), DT)
        places.append(pose.global_positions[0].copy())
        roots.append(crowd.root_positions[0].copy())
        if each is not None:
            each(crowd)
    check_body(room, crowd.skeleton, places, skate=0.05)
    gaps = np.linalg.norm(np.array(roots[-1]) - crowd.body.positions[0])
    assert gaps < 0.3, "the character is not where the simulated body is"
    return crowd, np.array(roots)


def use_stick(room, motion):
    stick = km.Stick(gait="walk")
    stick.axes = (0.0, 0.9)
    stick.camera_yaw = 0.5
    _, roots = run_crowd(room, motion, stick)
    away = roots[-1] - roots[0]
    assert np.linalg.norm(away) == pytest.approx(0.9 * 1.4 * STEPS * DT, rel=0.1)
    assert np.arctan2(away[0], away[2]) == pytest.approx(0.5, abs=0.05)


def use_moves(room, motion):
    class Turns:
        time = 0.0

        def command(self, body, dt):
            self.time += dt
            if self.time > 8:
                return km.move([0.0, 0.0, 0.0])
            return km.move([0.0, 0.0, SPEED] if self.time < 4 else [SPEED, 0.0, 0.0])

    _, roots = run_crowd(room, motion, Turns())
    np.testing.assert_allclose(roots[-1], [4 * SPEED, 0.0, 4 * SPEED], atol=0.5)
    assert np.linalg.norm(roots[-1] - roots[-30]) < 0.1, "it does not stop"


def use_path(room, motion):
    path = km.Path([(0, 0), (0, 4), (3, 4)], radius=1.0)
    _, roots = run_crowd(room, motion, path)
    assert path.done.all()
    np.testing.assert_allclose(roots[-1], [3.0, 0.0, 4.0], atol=0.3)


def use_follow(room, motion):
    target = np.array([0.0, 0.0, 3.0])

    def go_on(crowd):
        target[2] += DT * (0.9 if target[2] < 9 else 0.0)

    _, roots = run_crowd(room, motion, km.Follow(lambda: target, distance=1.0, speed=1.4), each=go_on)
    assert np.linalg.norm(roots[-1] - target) == pytest.approx(1.0, abs=0.75)


def use_wander(room, motion):
    wander = km.Wander(np.random.default_rng(1), inside=4.0, speeds=(0.9, 1.3))
    _, roots = run_crowd(room, motion, wander)
    assert np.linalg.norm(roots, axis=-1).max() < 4.5
    assert np.linalg.norm(np.diff(roots, axis=0), axis=-1).sum() > 6


def use_script(room, motion):
    ways = [[0.0, 0.0, SPEED], [SPEED, 0.0, 0.0], [0.0, 0.0, 0.0]]
    script = km.Script(tuple(km.move(way) for way in ways), np.array([4.0, 4.0, 2.0]))
    _, roots = run_crowd(room, motion, km.ScriptPlayer(script))
    np.testing.assert_allclose(roots[-1], [4.8, 0.0, 4.8], atol=0.5)


def use_trajectory(room, motion):
    class Circle:
        time = 0.0

        def locate(self, times):
            angles = SPEED / 2.0 * times
            ahead = np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=-1)
            return 2.0 * np.stack([1 - np.cos(angles), 0 * angles, np.sin(angles)], axis=-1), ahead

        def command(self, body, dt):
            times = np.linspace(0.0, 1.2, 13)
            places, ahead = self.locate(self.time + times)
            self.time += dt
            return km.follow_trajectory(km.Trajectory(times, places[None], ahead[None]))

    circle = Circle()
    _, roots = run_crowd(room, motion, circle)
    wanted = circle.locate(DT * np.arange(1, STEPS + 1))[0]
    assert np.linalg.norm(roots - wanted, axis=-1).mean() < 0.15


def run_avatar(room, avatar, devices, *, hands=0.02, share=1.0, skate=0.12):
    """An avatar through devices; the head is where it is tracked, and `share` of the time hands within `hands` m."""
    places, misses, roles = [], [], avatar.skeleton.roles
    for frame in range(min(STEPS, len(devices))):
        places.append(avatar.step(devices.take(slice(frame, frame + 1)), DT).global_positions[0].copy())
        joints = avatar.estimate.joints
        assert np.linalg.norm(places[-1][roles["head"]] - joints.positions[0, HEAD]) < 1e-3
        for point, role in zip(HANDS, ("left_hand", "right_hand")):
            if joints.valid[0, point]:
                misses.append(np.linalg.norm(places[-1][roles[role]] - joints.positions[0, point]))
    assert not misses or np.quantile(misses, share) < hands
    check_body(room, avatar.skeleton, places, skate=skate)
    return np.array(places)


def check_hips(room, avatar, places):
    """The hips are below the user's own."""
    user = room.cast.users[0]
    true = user.positions[: len(places), user.skeleton.roles["hips"]]
    gaps = np.linalg.norm(places[:, avatar.skeleton.roles["hips"]] - true, axis=-1)
    assert gaps[60:].mean() < 0.08


def use_headset(room, motion):
    avatar = km.Avatar(motion, calibration=room.cast.calibration, fit="none")
    check_hips(room, avatar, run_avatar(room, avatar, room.cast.users[0].devices))


def use_headset_alone(room, motion):
    avatar = km.Avatar(motion, calibration=room.cast.calibration, fit="none")
    check_hips(room, avatar, run_avatar(room, avatar, room.cast.users[0].devices.keep(("head",))))


def use_camera_and_trackers(room, motion):
    fusion = CameraFusion()
    avatar = km.Avatar(motion, calibration=room.cast.calibration, fit="none", estimator=fusion)
    fusion.see(room.landmarks)
    check_hips(room, avatar, run_avatar(room, avatar, room.cast.users[0].devices))


def use_camera_feet(room, motion):
    fusion = FootFusion()
    asks = [FeetInQueries(fusion)]
    avatar = km.Avatar(motion, calibration=room.cast.calibration, fit="none", estimator=fusion, asks=asks)
    fusion.see(room.landmarks)
    check_hips(room, avatar, run_avatar(room, avatar, room.cast.users[0].devices))


def use_camera_alone(room, motion):
    user = room.cast.users[0]
    height = (user.joints.positions[:, HEAD, 1].max() + 0.05) / 0.92
    devices = resample_trackers(find_joints(room.landmarks, height=height), 1 / DT)
    head = float(np.quantile(devices.positions[:, HEAD, 1], 0.9))
    calibration = make_calibration("none", height=head + EYE_TO_CROWN)
    avatar = km.Avatar(motion, calibration=calibration, fit="none")
    places = run_avatar(room, avatar, devices, hands=0.05, share=0.8, skate=0.3)  # hands come and go
    roots = places[:, 0]
    assert np.linalg.norm(roots[-1] - roots[0]) == pytest.approx(2.4, abs=0.8)  # the user ends beside the beginning


def use_robot(room, motion):
    robot = RobotRetargeting(describe_motion(open_motion(motion)).skeleton, read_robot(BIPED))
    bases, angles = [], []
    crowd, stick = km.Crowd(motion), km.Stick(gait="walk")
    stick.axes = (0.0, 0.8)
    for _ in range(STEPS):
        pose = crowd.step(stick.command(crowd.body, DT), DT)
        base, _, solved = robot.step(pose.positions, pose.rotations, pose.contacts[:, :2], DT)
        bases.append(base[0])
        angles.append(solved[0])
    check_robot(robot.model, np.array(bases), np.array(angles), DT * STEPS * 0.8 * 1.4 * float(robot.plan.scales[0]))


def check_robot(model, bases, angles, distance: float) -> None:
    """The robot goes as far as told, upright, and within the limits of its hinges."""
    assert np.isfinite(bases).all()
    assert (angles >= model.limits[:, 0] - 1e-6).all()
    assert (angles <= model.limits[:, 1] + 1e-6).all()
    assert np.ptp(angles, axis=0).max() > 0.5, "its legs do not move"
    assert np.ptp(bases[:, 1]) < 0.15
    assert np.linalg.norm(bases[-1] - bases[0]) == pytest.approx(distance, rel=0.12)


def use_stream(room, motion):
    performance = StreamedCharacter(motion, name="small", robot=read_robot(BIPED))
    assert '"database": "small"' in performance.welcome()
    stick, roots, angles, bases, places = km.Stick(gait="walk"), [], [], [], []
    stick.axes = (0.0, 0.8)
    for _ in range(STEPS):
        pose, robots = performance.advance(stick)
        header, arrays = unpack(POSE, pose)
        assert header["tracked"] == 1
        roots.append(arrays["roots"][0, :3])
        places.append(performance.pose.global_positions[0].copy())
        solved = unpack(ROBOT, robots)[1]
        bases.append(solved["bases"][0, [1, 2, 0]])  # Z up, X forward
        angles.append(solved["angles"][0])
    assert (arrays["frames"] >= 0).all() == (find_database(performance.crowd.sources[0]) is not None)
    assert np.linalg.norm(arrays["matched"][0, 0, :2] - roots[-1][[0, 2]]) < 1.0  # a third of a second ahead
    check_body(room, performance.crowd.skeleton, places, skate=0.05)
    told = 0.8 * 1.4 * STEPS * DT
    assert np.linalg.norm(roots[-1] - roots[0]) == pytest.approx(told, rel=0.1)
    check_robot(performance.robot.model, np.array(bases), np.array(angles), told * performance.robot.plan.scales[0])


def make_stage(motion, **more) -> Stage:
    """As `kinematch play` opens a file."""
    if hasattr(motion, "make_source"):
        return Stage(sketch_database(motion), name="small", model=motion, **more)
    return Stage(motion, name="small", **more)


def use_play(room, motion):
    stage = make_stage(motion)
    stage.pilot.steer(StickMessage(1, 0.0, 1.0, gait=stage.pilot.gait_infos[0].name))
    places, crowd = [], stage.crowds["a"]
    for _ in range(STEPS):
        stage.advance()
        poses = stage.history.at(stage.step).picture.local_poses(stage.view)
        places.append(forward(stage.skeleton, *poses)[0][0])
    check_body(room, stage.skeleton, places, skate=0.05)
    assert crowd.root_positions[0, 2] > 8


def use_play_robot(room, motion):
    stage = make_stage(motion)
    stage.wear(read_worn_robot(BIPED))
    stage.pilot.steer(StickMessage(1, 0.0, 1.0, gait=stage.pilot.gait_infos[0].name))
    bases, angles = [], []
    for _ in range(STEPS):
        stage.advance()
        base, _, solved = stage.robots.solved["a"]
        bases.append(base[0])
        angles.append(solved[0])
    root = stage.crowds["a"].root_positions[0]
    check_robot(stage.worn.model, np.array(bases), np.array(angles), np.linalg.norm(root) / stage.scale)


def use_play_vr(room, motion):
    """The body of a user of the room, as samples of a page move it."""
    stage, user = make_stage(motion), room.cast.users[0]
    calibration = room.cast.calibration
    outfit = make_outfit(stage.model or stage.database, "small", calibration=calibration)
    if stage.model is not None:
        assert find_database(outfit.own.crowd.sources[0]) is None, "the sketch plays in place of the model"
    guest = VrUser(1, "a", "", 0, outfit, Calibrator(calibration))
    places, devices, roles = [], user.devices, outfit.skeleton.roles
    for frame in range(min(STEPS, len(devices))):
        one = devices.take(slice(frame, frame + 1))
        sample = DeviceSample(frame, 10 + frame * DT, one.positions[0], one.rotations[0], one.valid[0], None)
        guest.fresh = sample
        assert np.isfinite(unpack(AVATAR, guest.step_own())[1]["positions"]).all()
        guest.step_seen()
        places.append(guest.pose.global_positions[0].copy())
        head = outfit.own.estimate.joints.positions[0, HEAD]
        assert np.linalg.norm(places[-1][roles["head"]] - head) < 1e-3
    check_body(room, outfit.skeleton, places, skate=0.12)


CONTROLLERS = {
    "stick": use_stick, "move": use_moves, "path": use_path, "follow": use_follow, "wander": use_wander,
    "script": use_script, "trajectory": use_trajectory, "headset": use_headset, "headset alone": use_headset_alone,
    "camera": use_camera_alone, "camera and trackers": use_camera_and_trackers, "camera, feet": use_camera_feet,
    "robot": use_robot, "stream": use_stream, "play": use_play, "play --robot": use_play_robot,
    "play --vr": use_play_vr,
}  # fmt: skip
FILES = ("play", "play --robot", "play --vr")  # which open files, so that no source of one's own gets there
CELLS = [(source, name) for source in SOURCES for name in CONTROLLERS if source != "own" or name not in FILES]


@pytest.mark.parametrize(("source", "controller"), CELLS, ids=[f"{source}, {name}" for source, name in CELLS])
def test_every_source_works_with_every_controller(source, controller, motions, room):
    CONTROLLERS[controller](room, motions[source])
