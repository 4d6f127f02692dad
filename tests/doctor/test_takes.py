"""Calibration poses and idles of real takes are found where people see them, and gestures are not mistaken for them.

The table was written by looking at pictures of the takes, a dozen moments for each stretch with slow feet or arms out.
Times are accurate to about 0.1 s.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from kinematch.files import read_clip
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.labels.calibration import find_calibration_poses
from kinematch.motion.labels.idles import find_idles

TOLERANCE = 0.2  # s
FRAME = [(0.0, 0.001)]  # the first frame alone


@dataclass(frozen=True)
class Take:
    path: str
    poses: list[tuple[float, float]]  # s, arms out for calibration: T-poses all of them
    idles: list[tuple[float, float]]  # s, upright and still for 1.5 s or more, arms down


TAKES = [
    Take("lafan1-takes/dance1_subject2", [(0, 5.4), (129.8, 131.5)], []),  # 126-127: arms out while stepping
    Take(
        "lafan1-takes/fallAndGetUp3_subject1",
        [(0, 2.4), (100.3, 102.2)],
        [(6.7, 8.3), (32.5, 34.9), (38.1, 39.6), (46.8, 48.5)],
    ),
    Take("lafan1-takes/multipleActions1_subject1", [(0, 2.15), (148.8, 152.9)], []),
    Take("lafan1-takes/multipleActions1_subject2", [(0, 1.8), (151.75, 152.9)], [(99.4, 101.6)]),
    Take("lafan1-takes/multipleActions1_subject3", [(0, 1.9), (151.9, 152.9)], [(99.3, 102.9)]),
    Take("lafan1-takes/obstacles1_subject1", [(0, 3.05)], []),
    Take("lafan1-takes/obstacles1_subject2", [(0, 3.75)], []),
    Take("lafan1-takes/obstacles1_subject5", [(0, 2.8)], []),
    Take("lafan1-takes/push1_subject2", [(0, 2.4), (90.6, 91.5), (100.1, 102.2)], [(97.8, 99.8)]),
    Take("lafan1-takes/walk4_subject1", [(0, 2.9), (162.7, 163.95)], []),
    Take(
        "xsens/JL_mm_run",
        [],
        [(0, 3.3), (16.8, 18.8), (23.3, 25.0), (29.8, 32.2), (66.0, 68.5), (82.5, 92.4)],  # 44-47: a forearm raised
    ),
    Take("amass-z-up/example_2", [(0, 2.1)], [(3.7, 5.5)]),
    Take("amass-z-up/example_3", [(0, 1.4)], []),
    Take("rigs/poser_pirouette", [(0, 0.02)], []),  # leaves the T-pose within a few frames
    Take("lafan1-clips/aiming2_subject3_turn", [], [(6.6, 9.7)]),
    Take("lafan1-clips/obstacles4_subject2_turning", [], [(26.0, 31.5), (33.5, 36.8), (50.8, 54.5)]),
    Take("lafan1-clips/walk2_subject3_walk", [], [(28.0, 29.8)]),  # 0-4: a hand on the hip
    Take("lafan1-clips/walk2_subject1_walk", [], [(2.8, 5.5)]),
    Take("lafan1-clips/pushAndStumble1_subject5_stumble", [], [(23.0, 26.2)]),
    Take("lafan1-clips/multipleActions1_subject4_walk2", [], [(6.6, 11.0)]),
    Take("lafan1-clips/obstacles5_subject4_look", [], []),  # stands, but bends over
    Take("lafan1-clips/obstacles2_subject1_turn", [], [(2.4, 4.1)]),  # 28-30: bends over
    Take("lafan1-clips/obstacles3_subject3_walk", [], [(14.7, 16.6)]),  # 13-14.5: leans
    Take("cmu/69_16", FRAME, [(7.0, 9.4)]),
    Take("cmu/02_01", FRAME, []),
    Take("cmu/07_12", [(0, 0.015)], []),
    Take("cmu/69_12", FRAME, []),
    Take("cmu-everyday/05_12", FRAME, []),  # stands on one leg
    Take("cmu-everyday/10_01", FRAME, [(0.1, 4.2)]),
    Take("cmu-everyday/113_21", FRAME, [(0.1, 11.4)]),
    Take("cmu-everyday/118_13", FRAME, [(0.1, 1.9), (3.4, 5.7)]),
    Take("cmu-everyday/118_28", FRAME, [(0.1, 1.85), (4.0, 5.8)]),
    Take("cmu-everyday/123_04", FRAME, [(2.9, 11.6)]),
    Take("cmu-everyday/125_01", [(0, 1.5)], []),
    Take("cmu-everyday/125_05", [(0, 0.85)], []),
    Take("cmu-everyday/126_08", FRAME, []),  # lies in its first frame
    Take("cmu-everyday/132_10", FRAME, []),  # walks with arms out, balancing
    Take("cmu-everyday/13_29", FRAME, []),  # jumping jacks, and twists with arms out
    Take("cmu-everyday/20_10", [(0, 0.13)], []),
    Take("cmu-everyday/26_10", FRAME, [(3.7, 5.8)]),
    Take("cmu-everyday/27_03", FRAME, []),
    Take("cmu-everyday/28_02", FRAME, []),  # a nursery rhyme with arms out
    Take("cmu-everyday/32_07", FRAME, []),  # a referee's signal, arms held 45 degrees out
    Take("cmu-everyday/41_10", FRAME, [(0.1, 3.1), (9.6, 12.6), (16.6, 18.6), (23.4, 25.3), (27.0, 30.0)]),
    Take("cmu-everyday/76_09", FRAME, [(0.1, 7.9)]),
    Take("cmu-everyday/79_69", FRAME, []),  # throws its arms up
    Take("cmu-everyday/82_14", FRAME, []),  # stands in a lunge
    Take("cmu-everyday/89_01", FRAME, []),  # balances something on its forehead, arms out
    Take("bandai-namco/dataset-1_walk_normal_001", [], []),
    Take("bandai-namco/dataset-2_walk_elderly_001", [], []),
    Take("bandai-namco/dataset-2_wave-right-hand_normal_001", [], []),
]


@pytest.fixture(scope="module")
def clips(data) -> dict[str, Clip]:
    return {take.path: read_clip(data / f"{take.path}.bvh") for take in TAKES}


@dataclass
class Score:
    """Frames in seconds: found and labelled, found alone, labelled alone; each up to the tolerance."""

    both: float = 0.0
    extra: float = 0.0
    missed: float = 0.0

    def add(self, clip: Clip, found: list[tuple[float, float]], labels: list[tuple[float, float]]) -> None:
        times = (np.arange(clip.frame_count) + 0.5) / clip.frame_rate
        inside = {key: _within(times, ranges) for key, ranges in (("found", found), ("labels", labels))}
        near_label = _within(times, [(a - TOLERANCE, b + TOLERANCE) for a, b in labels])
        near_found = _within(times, [(a - TOLERANCE, b + TOLERANCE) for a, b in found])
        self.both += (inside["labels"] & near_found).sum() / clip.frame_rate
        self.extra += (inside["found"] & ~near_label).sum() / clip.frame_rate
        self.missed += (inside["labels"] & ~near_found).sum() / clip.frame_rate

    @property
    def precision(self) -> float:
        return self.both / (self.both + self.extra)

    @property
    def recall(self) -> float:
        return self.both / (self.both + self.missed)


def _within(times: np.ndarray, ranges: list[tuple[float, float]]) -> np.ndarray:
    return np.any([(times >= a) & (times < b) for a, b in ranges], axis=0) if ranges else np.zeros(len(times), bool)


def seconds(clip: Clip, ranges) -> list[tuple[float, float]]:
    return [(start / clip.frame_rate, stop / clip.frame_rate) for start, stop in ranges]


def show(path: str, found, labels) -> str:
    return f"{path}: found {[(round(a, 2), round(b, 2)) for a, b in found]}, labelled {labels}"


def test_calibration_poses_are_found_where_people_see_them(clips):
    score, poses, missed = Score(), 0, []
    for take in TAKES:
        clip = clips[take.path]
        found = seconds(clip, [(pose.start, pose.stop) for pose in find_calibration_poses(clip)])
        assert len(found) <= len(take.poses), show(take.path, found, take.poses)
        poses += len(take.poses)
        missed += [take.path] * (len(take.poses) - len(found))
        score.add(clip, found, take.poses)
    assert missed == ["rigs/poser_pirouette"], f"of {poses} poses"
    assert score.precision > 0.995, score
    assert score.recall > 0.995, score


def test_what_is_dropped_holds_the_pose_and_little_more(clips):
    for take in TAKES:
        clip = clips[take.path]
        for pose in find_calibration_poses(clip):
            assert pose.drop_start <= pose.start < pose.stop <= pose.drop_stop, take.path
            assert pose.start - pose.drop_start <= 1.05 * clip.frame_rate, take.path
            assert pose.drop_stop - pose.stop <= 1.05 * clip.frame_rate, take.path


def test_idles_are_found_where_people_stand(clips):
    score = Score()
    for take in TAKES:
        clip = clips[take.path]
        found = seconds(clip, find_idles(clip, find_calibration_poses(clip)))
        assert not found or take.idles, show(take.path, found, take.idles)
        score.add(clip, found, take.idles)
    assert score.precision > 0.98, score
    assert score.recall > 0.8, score  # who steps or fidgets in between is left out


@pytest.mark.parametrize("scale", [0.01, 3.0])
def test_size_does_not_matter(clips, scale):
    for name in ("lafan1-takes/push1_subject2", "lafan1-clips/multipleActions1_subject4_walk2"):
        clip, rig = clips[name], clips[name].skeleton
        scaled = replace(rig, offsets=rig.offsets * scale, end_offsets=rig.end_offsets * scale)
        other = clip.with_(skeleton=scaled, positions=clip.positions * scale)
        assert find_calibration_poses(other) == find_calibration_poses(clip)
        assert np.allclose(find_idles(other), find_idles(clip), atol=2)


# Poses put into a made walk, so that each rule is tried by itself


@pytest.mark.parametrize(("kind", "elevation"), [("T", 0), ("T", 15), ("A", -40), ("A", -52)])
def test_a_pose_is_found_at_the_start_in_the_middle_and_at_the_end(walk, kind, elevation, arms_at):
    frames, length = walk.frame_count, round(1.2 * walk.frame_rate)
    for start in (0, frames // 2, frames - length):
        found = find_calibration_poses(arms_at(walk, slice(start, start + length), elevation))
        assert [pose.kind for pose in found] == [kind], start
        assert abs(found[0].start - start) <= 4, start
        assert abs(found[0].stop - start - length) <= 4, start


def test_an_a_pose_may_be_shorter_at_an_end_of_a_take(walk, arms_at):
    half = round(0.7 * walk.frame_rate)
    for start, count in ((0, 1), (300, 0), (walk.frame_count - half, 1)):
        held = arms_at(walk, slice(start, start + half), -40)
        assert len(find_calibration_poses(lower_arms(held, start, start + half))) == count


def lower_arms(clip: Clip, start: int, stop: int) -> Clip:
    """The clip with the jumps into and out of a pose smoothed over a third of a second."""
    rotations, positions, steps = clip.rotations.copy(), clip.positions.copy(), round(clip.frame_rate / 3)
    for pose, far in ((start, start - steps), (stop - 1, stop - 1 + steps)):
        if 0 <= far < clip.frame_count:
            for step in range(1, steps):
                at = pose + (step if far > pose else -step)
                share = step / steps
                rotations[at] = quaternion.slerp(rotations[pose], rotations[far], np.array([share]))
                positions[at] = (1 - share) * positions[pose] + share * positions[far]
    return clip.with_(rotations=rotations, positions=positions)


@pytest.mark.parametrize(("kind", "elevation"), [("T", 0), ("A", -45)])
def test_a_single_frame_is_found_and_dropped_alone(walk, kind, elevation, arms_at):
    for frame in (0, walk.frame_count // 2, walk.frame_count - 1):
        (pose,) = find_calibration_poses(arms_at(walk, slice(frame, frame + 1), elevation))
        assert (pose.kind, pose.start, pose.stop) == (kind, frame, frame + 1)
        assert pose.drop_start <= frame < pose.drop_stop
        assert pose.drop_stop - pose.drop_start == 1


def test_a_walk_with_arms_out_is_no_calibration_pose(walk, arms_at):
    frames = slice(60, walk.frame_count - 60)
    assert not find_calibration_poses(arms_at(walk, frames, 0, standing=False))
    whole = slice(0, walk.frame_count)
    assert not find_calibration_poses(arms_at(walk, whole, 0, standing=False))


def test_hanging_arms_are_no_a_pose(walk, arms_at):
    assert not find_calibration_poses(arms_at(walk, slice(200, 320), -75))


def test_a_stand_with_hanging_arms_is_an_idle_unless_it_is_short(walk, arms_at):
    rate = walk.frame_rate
    for seconds_, count in ((2.5, 1), (1.2, 0)):
        stop = 100 + round(seconds_ * rate)
        found = find_idles(arms_at(walk, slice(100, stop), -75))
        assert len(found) == count
        assert all(100 <= start < end <= stop for start, end in found)


BENT = {
    "crouch": {"upper_leg": -60, "lower_leg": 100},
    "knees": {"upper_leg": -38, "lower_leg": 76},
    "bend": {"spine": 50},
    "lean": {"spine": 25},
    "arms": {},
}


@pytest.mark.parametrize("change", BENT)
def test_crouching_bending_and_raised_arms_are_no_idles(walk, change, arms_at):
    frames = slice(100, 100 + round(2.5 * walk.frame_rate))
    clip = arms_at(walk, frames, -20 if change == "arms" else -75)
    rig = clip.skeleton
    rotations = clip.rotations.copy()
    for part, degrees in BENT[change].items():
        lean = rotation.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
        for joint in [rig.roles[role] for role in rig.roles if role == part or role[role.find("_") + 1 :] == part]:
            rotations[frames, joint] = quaternion.multiply(rotations[frames, joint], lean)
    assert find_idles(arms_at(walk, frames, -75))
    assert not find_idles(clip.with_(rotations=rotations))


def test_animals_have_neither(data):
    clip = read_clip(sorted((data / "animals").glob("*.glb"))[0])
    assert not find_calibration_poses(clip)
    assert not find_idles(clip)
