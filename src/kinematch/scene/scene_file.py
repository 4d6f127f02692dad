"""Scene files: things as JSON, or as the nodes of a GLB whose names begin with their kind."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.scene.objects import KINDS, MOST_THINGS, Scene, Thing
from kinematch.writing import write_beside

VERSION = 1
MOST_BYTES = 4 << 20  # of a JSON file
FIELDS = {"kind", "place", "size", "yaw", "name"}


def read_scene(path: str | Path) -> Scene:
    """A scene from JSON (`{"things": [{"kind": "box", "place": [x, y, z], "size": [x, y, z]}]}`), or from a GLB.

    A node of a GLB that is called `box`, `gap.001`, `seat bench` and so on is a thing as large as its mesh.
    """
    path = Path(path)
    return _read_json(path) if path.suffix.lower() == ".json" else _read_gltf(path)


def write_scene(path: str | Path, scene: Scene) -> None:
    """The things of a scene as JSON; their ground is not written."""
    things = [
        {
            "kind": one.kind, "name": one.name, "place": np.asarray(one.place).tolist(),
            "size": np.asarray(one.size).tolist(), "yaw": one.yaw,
        }
        for one in scene.things
    ]  # fmt: skip
    write_beside(Path(path), json.dumps({"version": VERSION, "things": things}, indent=1).encode())


def _read_json(path: Path) -> Scene:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(path, f"is larger than {MOST_BYTES >> 20} MB, expected the things of a scene")
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileError(path, f"cannot be read as JSON: {error}") from None
    things = found.get("things") if isinstance(found, dict) else None
    if not isinstance(things, list):
        raise FileError(path, 'expected {"things": [...]}')
    if len(things) > MOST_THINGS:
        raise FileError(path, f"has {len(things)} things, expected at most {MOST_THINGS}")
    return Scene(tuple(_make_thing(path, number, one) for number, one in enumerate(things)))


def _make_thing(path: Path, number: int, given: Any) -> Thing:
    if not isinstance(given, dict) or not {"kind", "place", "size"} <= set(given) <= FIELDS:
        raise FileError(path, f"things[{number}]: expected kind, place and size, and perhaps yaw and name")
    yaw = given.get("yaw", 0.0)
    if not isinstance(yaw, int | float) or isinstance(yaw, bool):
        raise FileError(path, f"things[{number}]: yaw {yaw!r}, expected a number")
    try:
        return Thing(given["kind"], given["place"], given["size"], float(yaw), str(given.get("name", "")))
    except KinematchError as error:
        raise FileError(path, f"things[{number}]: {error}") from None


def _read_gltf(path: Path) -> Scene:
    from kinematch.files.gltf_static import read_named_meshes

    things: list[Thing] = []
    for name, vertices, yaw in read_named_meshes(path, lambda name: _find_kind(name) in KINDS):
        if len(things) == MOST_THINGS:
            raise FileError(path, f"has more things, expected at most {MOST_THINGS}")
        turn = np.array([[np.cos(yaw), 0.0, -np.sin(yaw)], [0.0, 1.0, 0.0], [np.sin(yaw), 0.0, np.cos(yaw)]])
        local = vertices @ turn.T  # in the node's own axes
        low, high = local.min(axis=0), local.max(axis=0)
        middle = turn.T @ np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
        try:
            things.append(Thing(_find_kind(name), middle, np.maximum(high - low, 1e-3), yaw, name))
        except KinematchError as error:
            raise FileError(path, f"node {name!r}: {error}") from None
    if not things:
        raise FileError(path, f"no node is called after a kind of thing: {', '.join(KINDS)}")
    return Scene(tuple(things))


def _find_kind(name: str) -> str:
    """The first word of a node's name: `box` of `Box.001`, `seat` of `seat bench`."""
    return re.split(r"[._\s]", name.strip(), maxsplit=1)[0].lower()
