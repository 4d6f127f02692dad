"""The Unitree G1 of the mjlab package, the project's own biped, and a short walk on them."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from kinematch.files import read_clip
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.robot.read import read_robot

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
def walk(data):
    """Twelve seconds of walking and turning with the contacts of both feet."""
    clip = put_on_floor(read_clip(data / "lafan1-clips" / "walk1_subject1_walk.bvh")).frames(0, 360)
    return clip, find_contacts(clip)
