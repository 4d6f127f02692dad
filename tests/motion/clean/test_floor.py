import numpy as np
import pytest

from kinematch.files import read_clip
from kinematch.motion import kinematics
from kinematch.motion.clean.floor import floor_height, put_on_floor
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton


def standing(body, heights) -> Clip:
    """The T-pose with its lowest point at each of the heights."""
    positions, _ = kinematics.tpose(body)
    local = np.broadcast_to(body.offsets, (len(heights), *body.offsets.shape)).copy()
    local[:, 0] = positions[0]
    local[:, 0, 1] += heights
    return Clip(body, local, np.broadcast_to(body.tpose, (len(heights), *body.tpose.shape)), 30)


def test_the_floor_is_where_the_feet_stand(humanoid):
    assert floor_height(standing(humanoid(1), np.full(30, 0.7))) == pytest.approx(0.7, abs=1e-5)


def test_jumps_boxes_and_a_bad_frame_do_not_move_it(humanoid):
    heights = np.zeros(100)
    heights[20:50] = 0.5  # on a box
    heights[60:80] = 1.2 * np.sin(np.linspace(0, np.pi, 20))  # in the air
    heights[90] = -0.3
    assert floor_height(standing(humanoid(1), heights)) == pytest.approx(0, abs=1e-5)


def test_end_sites_below_the_toes_count():
    foot = skeleton(["Hips", "Foot"], [-1, 0], [[0, 1, 0], [0, -0.9, 0]], ends=[(1, (0, -0.06, 0.1))])
    clip = Clip(foot, np.broadcast_to(foot.offsets, (5, 2, 3)), np.tile([1.0, 0, 0, 0], (5, 2, 1)), 30)
    assert floor_height(clip, ["Foot"]) == pytest.approx(0.04, abs=1e-6)


def test_a_clip_put_on_the_floor_stands_at_zero_and_moves_in_no_other_way(humanoid):
    clip = standing(humanoid(1), np.linspace(0.4, 0.5, 20))
    moved = put_on_floor(clip)
    assert floor_height(moved) == pytest.approx(0, abs=1e-6)
    shift = kinematics.global_pose(moved)[0] - kinematics.global_pose(clip)[0]
    np.testing.assert_allclose(shift - shift[0, 0], 0, atol=1e-6)
    np.testing.assert_allclose(shift[..., [0, 2]], 0, atol=1e-6)


def test_a_ground_root_stays_on_the_ground(humanoid):
    clip = add_root(standing(humanoid(1), np.full(20, 0.4)))
    moved = put_on_floor(clip)
    np.testing.assert_array_equal(moved.positions[:, 0], clip.positions[:, 0])
    assert floor_height(moved) == pytest.approx(0, abs=1e-6)


def test_all_clips_of_one_laboratory_have_one_floor(data):
    paths = sorted((data / "lafan1-clips").glob("*.bvh"))
    names = [path for path in paths if "mirror" not in path.name][::6]
    heights = [floor_height(read_clip(path)) for path in names]
    assert np.ptp(heights) < 0.04
    assert np.abs(heights).max() < 0.03


@pytest.mark.parametrize(
    "name",
    ["amass-z-up/example_2.bvh", "cmu/69_39.bvh", "xsens/JL_mm_run.bvh", "bandai-namco/dataset-1_walk_normal_001.bvh"],
)
def test_people_put_on_the_floor_have_their_hips_where_people_have_them(data, name):
    clip = put_on_floor(read_clip(data / name))
    hips = kinematics.global_pose(clip)[0][:, clip.skeleton.roles["hips"], 1]
    assert 0.7 < np.median(hips) < 1.2
