"""Reads URDF: links, revolute and continuous joints, limits and shapes, without ROS."""

from pathlib import Path

import numpy as np

from kinematch.errors import FileError, unknown
from kinematch.math import quaternion, rotation
from kinematch.robot.model import RobotModel, Shape, Site
from kinematch.robot.tree import Hinge, TreeBody, make_model
from kinematch.robot.xml_reading import Element, find_file_inside

TURNING_JOINTS = ("revolute", "continuous")
OTHER_JOINTS = ("fixed", "prismatic", "planar")


def read_urdf(path: Path, root: Element) -> RobotModel:
    """The robot of a file; a link above a floating joint is the world and left out."""
    if any(":" in element.tag for element in root.children):
        raise FileError(path, "holds xacro macros; expand it first: xacro robot.xacro > robot.urdf", line=root.line)
    links = {link.text("name"): link for link in root.all("link")}
    joints = root.all("joint")
    below: dict[str, list[Element]] = {name: [] for name in links}
    parent_of: dict[str, str] = {}
    for joint in joints:
        ends = [_link_name(joint, end, links) for end in ("parent", "child")]
        if ends[1] in parent_of:
            raise joint.error(f"link {ends[1]!r} has two parents")
        below[ends[0]].append(joint)
        parent_of[ends[1]] = ends[0]
    base = _find_base(path, links, joints, parent_of)
    notes: list[str] = []
    bodies = [TreeBody(base, -1, np.zeros(3), quaternion.IDENTITY)]
    waiting = list(reversed([(joint, 0) for joint in below[base]]))
    while waiting:  # depth first, as MuJoCo orders them
        joint, parent = waiting.pop()
        name = _link_name(joint, "child", links)
        position, turn = _origin(joint)
        bodies.append(TreeBody(name, parent, position, turn, _hinges(joint, notes), _centre(links[name])))
        number = len(bodies) - 1
        waiting += reversed([(below_it, number) for below_it in below[name]])
    shapes = [shape for b, body in enumerate(bodies) for shape in _shapes(links[body.name], b, path.parent)]
    sites = [Site(body.name, b, np.zeros(3)) for b, body in enumerate(bodies) if b and not body.hinges]
    return make_model(
        path,
        root.attributes.get("name", path.stem),
        bodies,
        shapes=shapes,
        sites=sites,
        notes=list(dict.fromkeys(notes)),
    )


def _link_name(joint: Element, end: str, links: dict[str, Element]) -> str:
    element = joint.child(end)
    if element is None:
        raise joint.error(f"no <{end}>")
    name = element.text("link")
    if name not in links:
        raise element.error(unknown("link", name, links))
    return name


def _find_base(path: Path, links: dict[str, Element], joints: list[Element], parent_of: dict[str, str]) -> str:
    floating = [j for j in joints if j.attributes.get("type") == "floating"]
    if floating:
        return _link_name(floating[0], "child", links)
    tops = [name for name in links if name not in parent_of]
    if len(tops) != 1:
        found = f"{len(tops)} links have no parent" if links else "no <link>"
        raise FileError(path, f"{found}, expected one: the base")
    return tops[0]


def _origin(element: Element) -> tuple[np.ndarray, np.ndarray]:
    origin = element.child("origin")
    if origin is None:
        return np.zeros(3), quaternion.IDENTITY.copy()
    roll, pitch, yaw = origin.numbers("rpy", 3, (0, 0, 0))
    return origin.numbers("xyz", 3, (0, 0, 0)), rotation.from_euler(np.array([yaw, pitch, roll]), "ZYX")


def _centre(link: Element) -> np.ndarray | None:
    inertial = link.child("inertial")
    return None if inertial is None else _origin(inertial)[0]


def _hinges(joint: Element, notes: list[str]) -> list[Hinge]:
    name, kind = joint.text("name"), joint.text("type")
    if kind not in (*TURNING_JOINTS, *OTHER_JOINTS):
        raise joint.error(f"joint {name!r}: " + unknown("type", kind, (*TURNING_JOINTS, *OTHER_JOINTS, "floating")))
    if kind in OTHER_JOINTS or joint.child("mimic") is not None:
        if kind != "fixed":
            what = "mimics another" if kind in TURNING_JOINTS else f"is {kind}"
            notes.append(f"joint {name!r} {what}; it stays at zero")
        return []
    axis, limit = joint.child("axis"), joint.child("limit")
    low, high, speed = -np.inf, np.inf, np.inf
    if limit is not None:
        if kind == "revolute":
            low, high = (float(limit.numbers(end, 1, (0,))[0]) for end in ("lower", "upper"))
        given = float(limit.numbers("velocity", 1, (0,))[0])
        speed = given if given > 0 else np.inf
    elif kind == "revolute":
        raise joint.error(f"joint {name!r} is revolute without <limit>")
    direction = np.array([1.0, 0.0, 0.0]) if axis is None else axis.numbers("xyz", 3)
    return [Hinge(name, np.zeros(3), direction, (low, high), speed)]


def _shapes(link: Element, body: int, folder: Path) -> list[Shape]:
    found = []
    for element in (*link.all("visual"), *link.all("collision")):
        geometry = element.child("geometry")
        if geometry is None or not geometry.children:
            continue
        position, turn = _origin(element)
        collides = element.tag == "collision"
        one = geometry.children[0]
        if one.tag == "sphere":
            size, kind = np.array([one.numbers("radius", 1)[0], 0, 0]), "sphere"
        elif one.tag in ("cylinder", "capsule"):
            size, kind = np.array([one.numbers("radius", 1)[0], one.numbers("length", 1)[0] / 2, 0]), one.tag
        elif one.tag == "box":
            size, kind = one.numbers("size", 3) / 2, "box"
        elif one.tag == "mesh":
            file = _find_mesh(folder, one.text("filename"))
            found.append(
                Shape("mesh", body, position, turn, np.zeros(3), collides, file, one.numbers("scale", 3, (1, 1, 1)))
            )
            continue
        else:
            continue
        found.append(Shape(kind, body, position, turn, np.abs(size), collides))
    return found


def _find_mesh(folder: Path, name: str) -> str:
    """A mesh inside the model's folder; of `package://name/meshes/x.stl` as many last parts as lead to a file."""
    parts = Path(name.split("://", 1)[-1]).parts
    for k in range(len(parts)):
        relative = str(Path(*parts[k:]))
        if not Path(relative).is_absolute() and find_file_inside(folder, relative) is not None:
            return relative
    return ""
