"""Reads MJCF (MuJoCo's XML): bodies, hinges, limits, sites and shapes, without the simulator."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.math import quaternion
from kinematch.robot.mjcf_compiler import Compiler, read_compiler
from kinematch.robot.mjcf_defaults import Defaults, read_defaults
from kinematch.robot.model import RobotModel, Shape, Site
from kinematch.robot.tree import Hinge, TreeBody, keep_subtree, make_model
from kinematch.robot.xml_reading import MAX_FILE_BYTES, Element, find_file_inside, read_xml

MAX_INCLUDE_DEPTH = 8
GEOM_KINDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh")
UNSUPPORTED_ELEMENTS = ("composite", "flexcomp", "replicate", "attach")  # elements that would make bodies


@dataclass(eq=False)
class _Reading:
    """What is gathered while the tree is walked."""

    compiler: Compiler
    defaults: Defaults
    meshes: dict[str, tuple[str, np.ndarray]]
    colors: dict[str, tuple[float, float, float]]
    bodies: list[TreeBody] = field(default_factory=list)
    free: set[int] = field(default_factory=set)
    shapes: list[Shape] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_mjcf(path: Path, root: Element) -> RobotModel:
    """The robot of a file: of several bodies in the world, the one with the most hinges."""
    root = _with_includes(root, path.parent, {path.resolve()})
    compiler = read_compiler(root)
    defaults = read_defaults(root)
    reading = _Reading(compiler, defaults, _find_meshes(root, path.parent, compiler), _find_colors(root))
    for world in root.all("worldbody"):
        _walk(reading, world, -1, "main", np.zeros(3), quaternion.IDENTITY)
    if not reading.bodies:
        raise FileError(path, "the model has no body", line=root.line)
    bodies, numbers = keep_subtree(reading.bodies, _choose_base(reading.bodies))
    if 0 not in {numbers.get(b) for b in reading.free}:
        reading.notes.append(f"{bodies[0].name!r} has no free joint; it is moved as if it had one")
    reading.notes += [
        f"<{tie.tag}> {tie.attributes.get('name', '')!r} in line {tie.line} is not kept: what it ties moves freely"
        for section in root.all("equality") for tie in section.children
    ]  # fmt: skip
    return make_model(
        path,
        root.attributes.get("model", path.stem),
        bodies,
        shapes=[_moved(s, numbers[s.body]) for s in reading.shapes if s.body in numbers],
        sites=[Site(s.name, numbers[s.body], s.position) for s in reading.sites if s.body in numbers],
        excluded={(e.text("body1"), e.text("body2")) for c in root.all("contact") for e in c.all("exclude")},
        contact_pairs={(e.text("geom1"), e.text("geom2")) for c in root.all("contact") for e in c.all("pair")},
        notes=list(dict.fromkeys(reading.notes)),
    )


def _moved(shape: Shape, body: int) -> Shape:
    from dataclasses import replace

    return replace(shape, body=body)


def _with_includes(element: Element, folder: Path, seen: set[Path], depth: int = 0) -> Element:
    """The tree with the contents of included files in place of <include>; each file counts once."""
    children: list[Element] = []
    for child in element.children:
        if child.tag != "include":
            children.append(_with_includes(child, folder, seen, depth))
            continue
        name = child.text("file")
        place = find_file_inside(folder, name)
        if place is None:
            raise child.error(f"{name!r} is not a file inside the model's folder")
        if place in seen or depth >= MAX_INCLUDE_DEPTH:
            raise child.error(f"{name!r} is included twice" if place in seen else "includes are nested too deeply")
        seen.add(place)
        if sum(p.stat().st_size for p in seen) > MAX_FILE_BYTES:
            raise child.error(f"the model and its includes are longer than {MAX_FILE_BYTES / 1e6:.0f} MB")
        children += _with_includes(read_xml(place), folder, seen, depth + 1).children
    element.children = children
    return element


def _find_meshes(root: Element, folder: Path, compiler: Compiler) -> dict[str, tuple[str, np.ndarray]]:
    """Mesh name -> path relative to the model's folder, and scale. Files outside the folder are left out."""
    found = {}
    for asset in root.all("asset"):
        for mesh in asset.all("mesh"):
            file = mesh.attributes.get("file")
            if file is None:
                continue
            relative = str(Path(compiler.mesh_folder) / file)
            name = mesh.attributes.get("name", Path(file).stem)
            if find_file_inside(folder, relative) is not None:
                found[name] = relative, mesh.numbers("scale", 3, (1, 1, 1))
    return found


def _find_colors(root: Element) -> dict[str, tuple[float, float, float]]:
    materials = [m for asset in root.all("asset") for m in asset.all("material") if "name" in m.attributes]
    return {m.attributes["name"]: _color(m.numbers("rgba", 4, (0.7, 0.7, 0.7, 1))) for m in materials}


def _color(rgba: np.ndarray) -> tuple[float, float, float]:
    r, g, b = np.clip(rgba[:3], 0, 1).tolist()
    return r, g, b


def _choose_base(bodies: list[TreeBody]) -> int:
    """The body of the world below which most hinges lie."""
    tops = [0] * len(bodies)
    counts = [0] * len(bodies)
    for b, body in enumerate(bodies):
        tops[b] = b if body.parent < 0 else tops[body.parent]
        counts[tops[b]] += len(body.hinges)
    return int(np.argmax(counts))


def _walk(
    reading: _Reading, element: Element, parent: int, inherited: str, position: np.ndarray, turn: np.ndarray
) -> None:
    """Bodies depth first; position and turn are those of <frame> elements around."""
    for child in element.children:
        if child.tag in UNSUPPORTED_ELEMENTS:
            reading.notes.append(f"<{child.tag}> in line {child.line} is not read")
        elif child.tag == "frame":
            at, turned = reading.compiler.place(child)
            _walk(
                reading, child, parent, child.attributes.get("childclass", inherited),
                position + quaternion.rotate(turn, at), quaternion.multiply(turn, turned),
            )  # fmt: skip
        elif child.tag == "body":
            at, turned = reading.compiler.place(child)
            number = len(reading.bodies)
            body = TreeBody(
                child.attributes.get("name", f"body{number}"), parent, position + quaternion.rotate(turn, at),
                quaternion.multiply(turn, turned),
            )  # fmt: skip
            reading.bodies.append(body)
            own = child.attributes.get("childclass", inherited)
            _walk(reading, child, number, own, np.zeros(3), quaternion.IDENTITY)
        elif parent >= 0 and child.tag in ("joint", "freejoint"):
            _add_joint(reading, child, parent, inherited)
        elif parent >= 0 and child.tag == "inertial":
            reading.bodies[parent].centre = position + quaternion.rotate(turn, child.numbers("pos", 3))
        elif parent >= 0 and child.tag == "geom":
            _add_shape(reading, child, parent, inherited, position, turn)
        elif parent >= 0 and child.tag == "site":
            full = reading.defaults.fill(child, inherited)
            at = position + quaternion.rotate(turn, full.numbers("pos", 3, (0, 0, 0)))
            reading.sites.append(Site(full.attributes.get("name", f"site{len(reading.sites)}"), parent, at))


def _add_joint(reading: _Reading, element: Element, body: int, inherited: str) -> None:
    full = reading.defaults.fill(element, inherited)
    kind = "free" if element.tag == "freejoint" else full.attributes.get("type", "hinge")
    name = full.attributes.get("name", f"{reading.bodies[body].name}_joint{len(reading.bodies[body].hinges)}")
    if kind == "free":
        reading.free.add(body)
    elif kind != "hinge":
        reading.notes.append(f"joint {name!r} is a {kind} joint, not a hinge; it stays at zero")
    else:
        angle = reading.compiler.angle
        limits = full.numbers("range", 2, (0, 0)) * angle
        limited = full.attributes.get("limited", "auto")
        if limited == "false" or (limited == "auto" and "range" not in full.attributes):
            limits = np.array([-np.inf, np.inf])
        reading.bodies[body].hinges.append(
            Hinge(
                name,
                full.numbers("pos", 3, (0, 0, 0)),
                full.numbers("axis", 3, (0, 0, 1)),
                (float(limits[0]), float(limits[1])),
                reference=float(full.numbers("ref", 1, (0,))[0]) * angle,
            )
        )


def _add_shape(
    reading: _Reading, element: Element, body: int, inherited: str, position: np.ndarray, turn: np.ndarray
) -> None:
    full = reading.defaults.fill(element, inherited)
    kind = full.attributes.get("type", "mesh" if "mesh" in full.attributes else "sphere")
    if kind not in GEOM_KINDS:
        return
    at, turned = reading.compiler.place(full)
    size = np.zeros(3)
    given = full.padded("size", 3)
    size[: len(given)] = given
    if "fromto" in full.attributes and kind != "mesh":
        ends = full.numbers("fromto", 6).reshape(2, 3)
        at, along = ends.mean(axis=0), ends[0] - ends[1]
        turned = quaternion.between(np.array([0.0, 0.0, 1.0]), along) if along.any() else quaternion.IDENTITY
        half = float(np.linalg.norm(along)) / 2
        size = np.array([size[0], size[0], half] if kind in ("box", "ellipsoid") else [size[0], half, 0.0])
    mesh, scale = reading.meshes.get(full.attributes.get("mesh", ""), ("", np.ones(3)))
    masks = tuple(_read_mask(full, name) for name in ("contype", "conaffinity"))
    material = reading.colors.get(full.attributes.get("material", ""), (0.7, 0.7, 0.7))
    color = _color(full.numbers("rgba", 4)) if "rgba" in full.attributes else material
    reading.shapes.append(
        Shape(
            kind,
            body,
            position + quaternion.rotate(turn, at),
            quaternion.multiply(turn, turned),
            np.abs(size),
            any(masks),
            mesh,
            scale,
            color,
            full.attributes.get("name", ""),
            (masks[0], masks[1]),
        )
    )


def _read_mask(full: Element, name: str) -> int:
    return int(full.numbers(name, 1, (1,))[0])
