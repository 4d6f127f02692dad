"""Humanoid models of public packages, the project's own biped, and a short walk on them."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kinematch.files import read_clip
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.robot.read import read_robot
from kinematch.robot.reference.robot_frames import retarget_database

BIPED = Path(__file__).parents[2] / "examples" / "biped.xml"

LOCOMOTION = "_src/locomotion"


@dataclass(frozen=True)
class Animal:
    name: str
    package: str  # as it is imported
    path: str  # inside the package
    unseen: bool = False  # nothing was tuned on it

    def find(self) -> Path | None:
        """The file, without importing the package: some need a simulator on graphics cards."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(next(iter(spec.submodule_search_locations))) / self.path
        return path if path.is_file() else None


ZOO = (
    Animal("G1 (mjlab)", "mjlab", "asset_zoo/robots/unitree_g1/xmls/g1.xml"),
    Animal("G1 (playground)", "mujoco_playground", f"{LOCOMOTION}/g1/xmls/g1_mjx_feetonly.xml"),
    Animal("G1 (holosoma, URDF)", "holosoma", "data/robots/g1/g1_29dof.urdf"),
    Animal("T1 (playground)", "mujoco_playground", f"{LOCOMOTION}/t1/xmls/t1_mjx_feetonly.xml"),
    Animal("T1 (holosoma)", "holosoma", "data/robots/t1/t1_29dof.xml"),
    Animal("OP3 (playground)", "mujoco_playground", f"{LOCOMOTION}/op3/xmls/op3_mjx_feetonly.xml"),
    Animal("Apollo (playground)", "mujoco_playground", f"{LOCOMOTION}/apollo/xmls/apollo_mjx_feetonly.xml"),
    Animal(
        "Berkeley (playground)", "mujoco_playground",
        f"{LOCOMOTION}/berkeley_humanoid/xmls/berkeley_humanoid_mjx_feetonly.xml",
    ),
    Animal("humanoid (dm_control)", "dm_control", "suite/humanoid.xml"),
    Animal("CMU humanoid (dm_control)", "dm_control", "suite/humanoid_CMU.xml"),
    Animal("H1 (playground)", "mujoco_playground", f"{LOCOMOTION}/h1/xmls/h1_mjx_feetonly.xml", unseen=True),
    Animal("humanoid (gymnasium)", "gymnasium", "envs/mujoco/assets/humanoid.xml", unseen=True),
)  # fmt: skip


def prepare_model(path: Path, folder: Path) -> tuple[Path, bool]:
    """A model that MuJoCo opens: the file, or a copy without meshes that are not there and with a floor."""
    root = ElementTree.parse(path).getroot()
    files = [element.get("file") for element in root.iter("mesh") if element.get("file")]
    if root.tag != "mujoco" or not files or all(_find(path, root, file) for file in files):
        return path, False
    for parent in list(root.iter()):
        for child in list(parent):
            drawn = child.tag == "geom" and parent.tag != "default"
            if (drawn and "mesh" in (child.get("type"), *child.attrib)) or child.tag in ("mesh", "texture", "keyframe"):
                parent.remove(child)
            elif child.tag == "material":
                child.attrib.pop("texture", None)
    world = root.find("worldbody")
    assert world is not None
    if not any(geom.get("name") == "floor" for geom in root.iter("geom")):
        ElementTree.SubElement(world, "geom", name="floor", type="plane", size="0 0 0.01")
    copy = folder / f"{path.stem}.xml"
    ElementTree.ElementTree(root).write(copy)
    return copy, True


def _find(path: Path, root: ElementTree.Element, file: str) -> bool:
    folders = [element.get("meshdir", "") for element in root.iter("compiler")] or [""]
    return any((path.parent / folder / file).is_file() for folder in folders)


@pytest.fixture(scope="session")
def g1_path(need_extra) -> Path:
    """mjlab itself is not imported: it needs a simulator on graphics cards."""
    need_extra("mjlab", "robot' and mjlab --no-deps '")
    folder = Path(next(iter(find_spec("mjlab").submodule_search_locations)))
    return folder / "asset_zoo" / "robots" / "unitree_g1" / "xmls" / "g1.xml"


@pytest.fixture(scope="session")
def g1(g1_path):
    return read_robot(g1_path)


@pytest.fixture(scope="session")
def biped():
    return read_robot(BIPED)


@pytest.fixture(scope="session")
def database(built_of):
    """A few clips of the built-in motion."""
    return built_of("idle", "walk_1.35", "run_2.6", "walk_turn_*_90", "walk_turn_*_180").database


@pytest.fixture(scope="session")
def source(database, biped):
    return database, retarget_database(database, biped)


@pytest.fixture(scope="session")
def walk(data):
    """Twelve seconds of walking and turning with the contacts of both feet."""
    clip = put_on_floor(read_clip(data / "lafan1-clips" / "walk1_subject1_walk.bvh")).frames(0, 360)
    return clip, find_contacts(clip)


@pytest.fixture(scope="module", params=ZOO, ids=lambda one: one.name)
def animal(request, need_extra, tmp_path_factory):
    """The model, its file as MuJoCo opens it, and MuJoCo's own."""
    need_extra("mujoco", "test")
    path = request.param.find()
    if path is None:
        reason = f"no {request.param.package}: pip install --no-deps, as .ci/run does"
        (pytest.fail if os.environ.get("KINEMATCH_REQUIRE_EXTRAS") else pytest.skip)(reason)
    import mujoco

    path, _ = prepare_model(path, tmp_path_factory.mktemp("zoo"))
    return read_robot(path), mujoco.MjModel.from_xml_path(str(path))
