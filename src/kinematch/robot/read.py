"""Opens a robot model: MJCF or URDF, by its first element."""

from pathlib import Path

from kinematch.errors import FileError
from kinematch.robot.mjcf import read_mjcf
from kinematch.robot.model import RobotModel
from kinematch.robot.urdf import read_urdf
from kinematch.robot.xml_reading import read_xml


def read_robot(path: str | Path) -> RobotModel:
    """The kinematic tree of a robot model file, in metres and our axes."""
    path = Path(path)
    root = read_xml(path)
    if root.tag == "mujoco":
        return read_mjcf(path, root)
    if root.tag == "robot":
        return read_urdf(path, root)
    raise FileError(path, f"starts with <{root.tag}>, expected <mujoco> (MJCF) or <robot> (URDF)", line=root.line)
