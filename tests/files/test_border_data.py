"""Every real humanoid comes out upright, in metres, of human size."""

import numpy as np
import pytest

from kinematch.files import read_clip
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose
from kinematch.motion.roles import REQUIRED_ROLES

FOLDERS = {
    "amass-z-up": ("Z", 1.0),
    "bandai-namco": ("Y", 0.01),
    "cmu": ("Y", 0.0254 / 0.45),
    "lafan1-clips": ("Y", 0.01),
    "lafan1-simulation-bone": ("Y", 0.01),
    "lafan1-takes": ("Y", 0.01),
    "xsens": ("Y", 0.01),
}
RIGS = {
    "Geno_bind": ("Y", 0.01),
    "Geno_stance": ("Y", 0.01),
    "cmu3dsmax_131_01": ("Y", 0.0254 / 0.45),
    "poser_pirouette": ("Y", 0.01),
    "pybvh_bvh_test1": ("Z", 0.0254),
    "pybvh_bvh_test2": ("Y", 0.01),
}


def standing_hips_height(clip: Clip) -> float:
    """Metres from the lower foot to the hips while the body is most upright: boxes and pits do not count."""
    roles, (positions, _) = clip.skeleton.roles, global_pose(clip)
    feet = [
        roles[f"{side}_{part}"] for side in ("left", "right") for part in ("foot", "toes") if f"{side}_{part}" in roles
    ]
    height = positions[:, roles["hips"], 1] - positions[:, feet, 1].min(axis=1)
    return float(np.median(height[height >= np.quantile(height, 0.5)]))


def check(path, up: str, unit: float) -> None:
    clip = read_clip(path)
    assert all(role in clip.skeleton.roles for role in REQUIRED_ROLES), path
    assert clip.source.up == up, (path, clip.source)
    assert clip.source.unit == pytest.approx(unit), (path, clip.source)
    assert 0.7 < standing_hips_height(clip) < 1.2, path
    head = global_pose(clip)[0][:, clip.skeleton.roles["head"], 1]
    assert np.quantile(head, 0.9) - np.quantile(global_pose(clip)[0][..., 1].min(axis=1), 0.1) > 1.2, path


@pytest.mark.parametrize("folder", FOLDERS)
def test_people_stand_upright_in_metres(data, folder):
    paths = sorted((data / folder).glob("*.bvh"))
    assert paths
    for path in paths[:: 12 if folder == "lafan1-clips" else 1]:
        check(path, *FOLDERS[folder])


@pytest.mark.slow
def test_people_stand_upright_in_metres_in_every_cut_clip(data):
    for path in sorted((data / "lafan1-clips").glob("*.bvh")):
        check(path, *FOLDERS["lafan1-clips"])


@pytest.mark.parametrize("name", RIGS)
def test_unusual_rigs_stand_upright_in_metres(data, name):
    check(data / "rigs" / f"{name}.bvh", *RIGS[name])


def test_a_facing_axis_is_reported_where_the_rest_pose_stands(data):
    assert read_clip(data / "amass-z-up/example_2.bvh").source.facing == "-Y"
    assert read_clip(data / "rigs/pybvh_bvh_test1.bvh").source.facing == "Y"
    assert read_clip(data / "cmu/02_01.bvh").source.facing == "Z"
    lafan = read_clip(data / "lafan1-clips/aiming1_subject1_walk.bvh").source
    assert (lafan.facing, lafan.facing_reason) == ("", "not told: the rest pose does not stand upright")


def test_a_bare_stick_of_two_joints_is_a_guess_that_says_so(data):
    source = read_clip(data / "rigs/pybvh_full_precision_frame_time.bvh").source
    assert source.up_reason.startswith("a guess")
    assert source.unit_reason.startswith("a guess")
