"""Models without legs, with closed chains or with hundreds of hinges: a clear error, or a right result."""

from pathlib import Path

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.robot.read import read_robot
from kinematch.robot.trial import try_robot
from kinematch.synth.locomotion import motions, perform

TAIL_HINGES = 180


@pytest.fixture(scope="module")
def step():
    return perform(next(one for one in motions() if one.name == "walk_1.10")).clip.frames(0, 40)


@pytest.fixture
def change_text(biped, tmp_path):
    def change(edit):
        path = tmp_path / "robot.xml"
        path.write_text(edit(Path(biped.path).read_text()))
        return read_robot(path)

    return change


def write_chain(count, k=0):
    """Bodies within each other, as a tail or a cable."""
    inner = "".join(
        f'<body name="t{k + i}" pos="-0.01 0 0"><joint name="tail_{k + i}" axis="0 1 0" range="-5 5"/>'
        '<geom type="sphere" size="0.01" contype="0" conaffinity="0"/>'
        for i in range(count)
    )
    return inner + "</body>" * count


def add_to_pelvis(text, part):
    at = text.index(">", text.index('<body name="pelvis"')) + 1
    return text[:at] + part + text[at:]


def test_a_model_without_legs_says_what_is_missing(change_text):
    model = change_text(lambda text: cut_bodies(text, "left_thigh", "right_thigh"))
    clip = perform(next(one for one in motions() if one.name == "walk_1.10")).clip.frames(0, 2)
    with pytest.raises(KinematchError, match=r"found no .*(leg|foot).*--roles"):
        try_robot(clip, model)


def test_a_tail_of_many_hinges_stays_still_and_the_rest_walks(change_text, step, biped):
    parts = [write_chain(60, k) for k in range(0, TAIL_HINGES, 60)]
    model = change_text(lambda text: add_to_pelvis(text, "".join(parts)))
    assert model.hinge_count == biped.hinge_count + TAIL_HINGES
    motion, quality = try_robot(step, model)
    assert quality.deviation < try_robot(step, biped)[1].deviation + 0.01
    tail = [name.startswith("tail_") for name in model.hinge_names]
    assert np.ptp(motion.angles[:, tail], axis=0).max() < 0.02


def test_a_closed_chain_is_named(change_text):
    loop = '<equality><connect name="rod" body1="left_thigh" body2="left_foot" anchor="0 0 0"/></equality>'
    model = change_text(lambda text: text.replace("</mujoco>", loop + "</mujoco>"))
    assert any("rod" in note for note in model.notes)


def cut_bodies(text, *names):
    for name in names:
        start = text.index(f'<body name="{name}"')
        depth, at = 0, start
        while True:
            opened, closed = text.find("<body", at), text.index("</body>", at)
            if 0 <= opened < closed:
                depth, at = depth + 1, opened + 5
            else:
                depth, at = depth - 1, closed + 7
            if depth == 0:
                break
        text = text[:start] + text[at:]
    return text
