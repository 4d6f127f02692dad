"""Faults: what makes a cleaned clip unfit is found, and ordinary clips have none."""

import numpy as np
import pytest

from kinematch.database.faults import find_fault, is_still
from kinematch.motion.clean.floor import lowered
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.synth import walk_along


@pytest.fixture(scope="module")
def walk() -> Clip:
    return walk_along(np.array([[0, 0], [0, 3.0]]), 1.0, name="walk")


def test_a_clip_is_fit_at_any_rate_and_height(walk):
    for cleaned in (walk, resample(walk, 30.0), lowered(walk, 0.5)):
        assert find_fault(walk, cleaned) == ""


def squat(clip: Clip, frames: slice) -> Clip:
    """The hips sink to the ground, and the feet stay where they are."""
    positions, rotations = np.array(clip.positions), np.array(clip.rotations)
    roles = clip.skeleton.roles
    positions[frames, roles["hips"], 1] -= 0.85
    for side in ("left", "right"):
        for part, angle in (("upper_leg", -np.pi / 2), ("lower_leg", np.pi)):
            joint = roles[f"{side}_{part}"]
            rotations[frames, joint] = [np.cos(angle / 2), np.sin(angle / 2), 0, 0]
    return clip.with_(positions=positions, rotations=rotations)


def test_hips_that_sink_to_the_feet_for_a_moment_are_a_fault(walk):
    # frames 120 to 127 are shown at one of ten looks a second
    assert "leg lengths above the feet 2.0 s after" in find_fault(walk, squat(walk, slice(120, 128)))


def test_a_body_that_freezes_while_the_file_moves_is_a_fault(walk):
    rotations = np.array(walk.rotations)
    rotations[100:220] = rotations[100]
    assert "frozen for" in find_fault(walk, walk.with_(rotations=rotations))
    assert find_fault(walk.with_(rotations=rotations), walk.with_(rotations=rotations)) == ""


def test_what_does_not_move_is_still(walk):
    assert not is_still(walk)
    frames = np.full(60, 130)
    assert is_still(walk.with_(positions=walk.positions[frames], rotations=walk.rotations[frames]))
