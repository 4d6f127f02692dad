import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import smoothing
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_quality, find_contacts
from kinematch.motion.clean.in_place import is_in_place, root_motion_from_feet
from kinematch.motion.clip import Clip


def hips_path(clip: Clip) -> np.ndarray:
    return kinematics.global_pose(clip)[0][:, clip.skeleton.roles["hips"]].astype(float) * [1, 0, 1]


def without_travel(clip: Clip) -> Clip:
    """As exported in place: the hips keep their first position over the ground."""
    hips = clip.skeleton.roles["hips"]
    positions, rotations = (np.array(a) for a in kinematics.global_pose(clip))
    body = [j for j in range(clip.skeleton.joint_count) if hips in clip.skeleton.chain(j)]
    path = hips_path(clip)
    positions[:, body] -= (path - path[0])[:, None]
    positions, rotations = kinematics.local_pose(clip.skeleton, positions, rotations)
    return clip.with_(positions=positions, rotations=rotations)


def path_length(clip: Clip) -> float:
    """Metres, without the sway of steps."""
    smooth = smoothing.savitzky_golay(hips_path(clip), seconds=0.5, frame_rate=clip.frame_rate, order=1)
    return float(np.linalg.norm(np.diff(smooth, axis=0), axis=-1).sum())


WALKS = [
    "lafan1-clips/walk1_subject1_walk2.bvh",
    "lafan1-clips/fightAndSports1_subject1_backward.bvh",
    "lafan1-clips/fightAndSports1_subject1_sidesteps.bvh",
    "cmu/02_01.bvh",
    "cmu/69_39.bvh",
    "bandai-namco/dataset-1_walk_normal_001.bvh",
    "bandai-namco/dataset-2_walk_normal_001.bvh",
]
RUNS = [
    "lafan1-clips/run2_subject4_run2.bvh",
    "cmu/09_01.bvh",
    "cmu/16_35.bvh",
    "bandai-namco/dataset-2_run_normal_001.bvh",
]


@pytest.mark.parametrize(("name", "within"), [(n, 0.05) for n in WALKS] + [(n, 0.10) for n in RUNS])
def test_travel_taken_from_real_clips_is_found_again(data, name, within):
    clip = read_clip(data / name)
    clip = clip.frames(10, clip.frame_count)  # CMU begins with a T-pose
    still = without_travel(clip)
    found = root_motion_from_feet(still)
    assert path_length(found) == pytest.approx(path_length(clip), rel=within)
    gap = np.linalg.norm((hips_path(found) - hips_path(clip))[-1] - (hips_path(found) - hips_path(clip))[0])
    assert gap < within * path_length(clip)


@pytest.mark.parametrize("name", WALKS + RUNS)
def test_in_place_is_told_from_travelling(data, name):
    clip = read_clip(data / name)
    clip = clip.frames(10, clip.frame_count)
    assert not is_in_place(clip)
    assert is_in_place(without_travel(clip))


def test_standing_turning_and_dancing_are_not_in_place(data):
    for name in (
        "lafan1-clips/pushAndFall1_subject4_stand.bvh",
        "rigs/poser_pirouette.bvh",
        "characters/chatvrm-idle_loop.vrma",
    ):
        assert not is_in_place(read_clip(data / name)), name


def test_a_character_that_walks_in_place_learns_to_walk(data):
    clip = read_clip(data / "characters" / "CesiumMan.glb")
    assert is_in_place(clip)
    walking = root_motion_from_feet(clip)
    assert path_length(walking) > 0.5
    before = contact_quality(clip, find_contacts(walking)).mean_speed
    assert contact_quality(walking, find_contacts(walking)).mean_speed < before / 3


def test_a_clip_that_travels_already_is_left_nearly_as_it_is(data):
    clip = read_clip(data / WALKS[0])
    assert path_length(root_motion_from_feet(clip)) == pytest.approx(path_length(clip), rel=0.05)


def test_a_cut_in_the_clip_does_not_fling_it_away(humanoid, motion):
    clip = motion(humanoid(), frames=60)
    positions = np.array(clip.positions)
    positions[:, 0] = positions[0, 0]
    positions[30:, 0, 2] += 5
    clip = clip.with_(positions=positions, rotations=np.broadcast_to(clip.rotations[0], clip.rotations.shape))
    assert np.abs(root_motion_from_feet(clip).positions - clip.positions).max() < 0.1


def test_rigs_without_feet_are_refused(humanoid, motion):
    clip = motion(humanoid())
    with pytest.raises(KinematchError, match="contact joints"):
        root_motion_from_feet(clip.with_(skeleton=clip.skeleton.with_roles({"hips": 0})))
