"""Robots with other shapes, and with fewer limbs, than the project's biped: each goes through the whole conversion."""

from pathlib import Path

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.files.bvh_write import write_bvh
from kinematch.robot.model import TO_FILE
from kinematch.robot.read import read_robot
from kinematch.robot.solids import find_floor_points
from kinematch.synth.locomotion import motions, perform

SOLE_DEPTH = 0.07  # m from the ankle down to the sole, of the biped
BOX = '<geom type="box" size="0.12 0.045 0.02" pos="0.05 0 -0.05"/>'
HEAD = '<geom type="sphere" size="0.09" pos="0 0 0.62"/>'
CYLINDERS = {
    BOX: '<geom type="cylinder" size="0.045 0.02" pos="0.12 0 -0.05"/>'
    '<geom type="cylinder" size="0.045 0.02" pos="-0.02 0 -0.05"/>'
}
NECK = {HEAD: f'<body name="head"><joint name="neck_yaw" axis="0 0 1" range="-60 60"/>{HEAD}</body>'}
HIDDEN = {"shoulder": "a", "upper_arm": "b", "elbow": "c", "forearm": "d"}
NO_LEFT = {f"left_{word}": f"left_{letter}" for word, letter in HIDDEN.items()}
NO_RIGHT = {f"right_{word}": f"right_{letter}" for word, letter in HIDDEN.items()}


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    write_bvh(path, perform(next(one for one in motions() if one.name == "walk_1.10")).clip)
    return path


@pytest.fixture
def change_biped(biped, tmp_path):
    """change_biped(changes): the biped's file with some words replaced."""

    def change(changes):
        text = Path(biped.path).read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "robot.xml"
        path.write_text(text)
        return path

    return change


def convert(walk_file, robot, folder):
    """Places (F, 3) m and rotations (F, 4), Z up, of each body, by its name."""
    assert main(["convert", str(walk_file), str(folder / "w.npz"), "--robot", str(robot), "--stop", "2"]) == 0
    with np.load(folder / "w.npz") as found:
        arrays = dict(found)
    names = arrays["body_names"].tolist()
    return {name: (arrays["body_pos_w"][:, k], arrays["body_quat_w"][:, k]) for k, name in enumerate(names)}


def test_a_robot_stands_on_the_rims_of_its_cylinders(change_biped, walk_file, tmp_path):
    robot = change_biped(CYLINDERS)
    model = read_robot(robot)
    points = find_floor_points(model)
    own = points.points[points.links == model.body_links[model.body_names.index("left_foot")]][:, TO_FILE]
    assert len(own) == 2 * 2 * 8
    assert np.allclose(np.abs(own[:, 2] + 0.05), 0.02)  # on both rims, whose distance from the axis is the radius
    assert np.allclose(np.hypot(np.abs(own[:, 0] - 0.05) - 0.07, own[:, 1]), 0.045)
    bodies = convert(walk_file, robot, tmp_path)
    for side in ("left", "right"):
        assert abs(bodies[f"{side}_foot"][0][:, 2].min() - SOLE_DEPTH) < 0.01


@pytest.mark.parametrize(
    "changes",
    [NO_LEFT, NO_RIGHT, NO_LEFT | NO_RIGHT, NECK | NO_LEFT, NECK | NO_RIGHT],
    ids=["no left arm", "no right arm", "no arms", "head, no left arm", "head, no right arm"],
)
def test_a_robot_without_two_known_arms_walks_upright(changes, change_biped, walk_file, tmp_path):
    bodies = convert(walk_file, change_biped(changes), tmp_path)
    for side in ("left", "right"):
        assert abs(bodies[f"{side}_foot"][0][:, 2].min() - SOLE_DEPTH) < 0.01
    _, x, y, _ = bodies["pelvis"][1].T
    assert (1 - 2 * (x * x + y * y)).min() > np.cos(np.radians(20))  # its own up against the world's
