"""Humanoid models of public packages, the project's own biped, and a short walk on them."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from kinematch.bench.zoo import ZOO, prepare_model
from kinematch.files import read_clip
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.robot.read import read_robot
from kinematch.robot.reference.robot_frames import retarget_database

BIPED = Path(__file__).parents[2] / "examples" / "biped.xml"


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


@pytest.fixture(scope="module", params=[one for one in ZOO if one.package], ids=lambda one: one.name)
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
