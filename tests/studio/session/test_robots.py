"""A robot on the stage: its hinges follow the stick, as tall as the figure, with its own looks."""

from pathlib import Path

import numpy as np
import pytest

from kinematch.errors import FileError, KinematchError
from kinematch.math import quaternion
from kinematch.motion.kinematics import forward
from kinematch.stream.layout import DT, ROBOT, unpack
from kinematch.studio.server.messages import StickMessage
from kinematch.studio.session.recording import save_recording
from kinematch.studio.session.robots import MAX_ROBOTS, read_worn_robot
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import describe_character

BIPED = Path(__file__).parents[3] / "examples" / "biped.xml"


def test_a_robot_is_driven_by_the_stick(database, tmp_path):
    worn = read_worn_robot(BIPED)
    stage = Stage(database, name="small", worn=worn)
    stage.pilot.steer(StickMessage(1, 0.0, 1.0))
    heights, angles = [], []
    for _ in range(180):
        stage.advance()
        picture = stage.history.at(stage.step).picture
        poses = picture.local_poses(stage.view)
        places, _ = forward(stage.skeleton, *poses)
        feet = [stage.skeleton.roles[f"{side}_foot"] for side in ("left", "right")]
        heights.append(places[0, feet, 1].min())
        # what turns a link against its rest is about its own hinge alone
        turns = quaternion.multiply(quaternion.inverse(worn.model.rotations[1:]), poses.rotations[0, 2:])
        aside = np.cross(turns[:, 1:], worn.model.axes[1:])
        assert np.abs(aside).max() < 1e-6
        angles.append(2 * np.arctan2(np.sum(turns[:, 1:] * worn.model.axes[1:], axis=1), turns[:, 0]))
    angles = np.array(angles)
    assert (angles >= worn.model.limits[:, 0] - 1e-6).all()
    assert (angles <= worn.model.limits[:, 1] + 1e-6).all()
    assert np.abs(np.diff(angles, axis=0)).max() * 60 <= 12.001
    root = stage.crowds["a"].root_positions[0]
    assert root[2] > 2
    assert np.linalg.norm(places[0, 1, [0, 2]] - root[[0, 2]]) < 0.2  # the robot is where the character is
    assert min(heights) > 0
    assert max(heights) < 0.25 * stage.scale
    told = describe_character(stage)
    assert told.nodes == [-1, *range(len(worn.model.parents))]
    with pytest.raises(KinematchError, match="at most"):
        stage.set_crowd(MAX_ROBOTS + 1)
    stage.set_crowd(3)
    stage.compare(True)
    stage.advance()
    assert len(stage.history.at(stage.step).picture.arrays["frames"]) == 4
    header, arrays = unpack(ROBOT, stage.robots.pack(stage.step, DT, list(stage.crowds)))
    assert (header["robots"], header["hinges"]) == (4, worn.model.hinge_count)
    # turned about their hinges by the angles of the robot frame, links are as the pose frame has them
    last = stage.history.at(stage.step).picture.local_poses(stage.view).rotations[:, 2:]
    half = arrays["angles"][..., None] / 2
    turned = np.concatenate([np.cos(half), np.sin(half) * worn.model.axes[1:]], axis=-1)
    assert quaternion.angle(quaternion.multiply(worn.model.rotations[1:], turned), last).max() < 1e-3
    stage.start_over()
    stage.advance()
    with pytest.raises(FileError, match="a robot is shown"):
        save_recording(tmp_path / "robot.kinerec", stage)
    stage.wear(None)
    assert stage.skeleton is stage.crowds["a"].skeleton
