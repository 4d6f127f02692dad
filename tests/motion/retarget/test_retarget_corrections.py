"""Corrections of retargeting, each with its switch: feet, pelvis, hands, arms out of the body, twist, fingers."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clean.floor import put_on_floor
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.bulk import guess_bulk
from kinematch.motion.retarget.measures import measure_gaps
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.retarget.settings import CORRECTIONS, ROTATIONS_ONLY, RetargetSettings, leave_out
from kinematch.motion.skeleton import Skeleton, skeleton


@pytest.fixture(scope="module")
def walk(data) -> Clip:
    return put_on_floor(read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh")).frames(100, 190)


@pytest.fixture(scope="module")
def robot(data) -> Skeleton:
    return read_clip(data / "characters/RobotExpressive.glb").skeleton


def pose(body: Skeleton, **turns: tuple) -> Clip:
    """The T-pose with some joints turned about an axis by degrees, in the world."""
    rotations = kinematics.tpose(body)[1].astype(np.float64)
    for role, (axis, degrees) in turns.items():
        turn = from_axis_angle(np.array(axis, float), np.radians(degrees))
        for joint in range(body.joint_count):
            if body.roles[role] in body.chain(joint):
                rotations[joint] = quaternion.multiply(turn, rotations[joint])
    local = kinematics.local_rotations(body, rotations)
    positions = np.array(body.offsets)
    positions[0] = kinematics.tpose(body)[0][0]
    return Clip(body, positions[None], local[None], 30)


def test_planted_feet_do_not_slip_more_than_the_source(walk, data):
    """Live, without labels: ankles follow the source's scaled places, and planted toes stand as still as there."""
    target = read_clip(data / "cmu/02_01.bvh").skeleton
    retargeting = Retargeting(walk.skeleton, target)
    positions = kinematics.forward(target, *retargeting.apply(walk.positions, walk.rotations))[0]
    own = kinematics.global_pose(walk)[0]
    planted = find_contacts(walk)
    for side, flags in zip(("left", "right"), planted.T):
        slips = []
        for places, body in ((positions / retargeting.scale, target), (own, walk.skeleton)):
            moved = np.gradient(places[:, body.roles[f"{side}_toes"]][:, [0, 2]], walk.dt, axis=0)
            slips.append(np.linalg.norm(moved, axis=-1)[flags].mean())
        assert slips[0] < 1.2 * slips[1]
        below = [j for j in range(target.joint_count) if target.roles[f"{side}_foot"] in target.chain(j)]
        assert positions[:, below, 1].min() > -1e-3


def test_a_clip_and_its_poses_are_retargeted_alike_but_for_its_stances(walk, robot):
    settings = leave_out(["feet"])
    clip = retarget(walk, robot, settings)
    live = Retargeting(walk.skeleton, robot, settings).apply(walk.positions, walk.rotations)
    np.testing.assert_array_equal(clip.positions, live[0])
    assert quaternion.angle(clip.rotations, live[1]).max() < 1e-6
    whole = retarget(walk, robot)
    live = Retargeting(walk.skeleton, robot).apply(walk.positions, walk.rotations)
    trunk = [robot.roles[role] for role in ("hips", "spine", "neck", "head")]
    assert quaternion.angle(whole.rotations, live[1])[:, trunk].max() < 1e-6


def test_a_wide_foot_is_not_swept_aside_when_it_leaves_or_meets_the_floor(data, robot):
    """Hips twice as wide put feet far outside; a turn of the foot in the frame after its stance must not move it."""
    turn = put_on_floor(read_clip(data / "lafan1-clips/fightAndSports1_subject1_sidesteps.bvh"))
    contacts = find_contacts(turn)
    retargeting = Retargeting(turn.skeleton, robot)
    fixes = retargeting.fixes
    places, turns = kinematics.forward(robot, *retargeting.apply(turn.positions, turn.rotations, contacts=contacts))
    feet, source_feet = fixes.legs[:, 2], fixes.source_legs[:, 1]
    balls = places[:, feet] + quaternion.rotate(turns[:, feet].astype(float), fixes.balls)
    own_places, own_turns = kinematics.global_pose(turn)
    own = own_places[:, source_feet] + quaternion.rotate(own_turns[:, source_feet].astype(float), fixes.source_balls)
    edges = (np.diff(contacts.astype(int), axis=0) != 0) & (np.abs(fixes.widths) > 0.3)
    assert edges.sum() > 100
    steps = [np.linalg.norm(np.diff(one[..., [0, 2]], axis=0), axis=-1)[edges] for one in (balls, own)]
    assert steps[0].mean() < 1.2 * retargeting.scale * steps[1].mean()


def test_limbs_are_never_folded_flat(data, robot):
    """Frames in which a wrist is pushed to its shoulder, and a leg is folded while the other brings the pelvis down."""
    for name, frames, limb in (
        ("jumps1_subject5_big", (75, 78), ("left_upper_arm", "left_lower_arm", "left_hand")),
        ("obstacles5_subject3_stumble", (1643, 1647), ("right_upper_leg", "right_lower_leg", "right_foot")),
    ):
        clip = put_on_floor(read_clip(data / f"lafan1-clips/{name}.bvh")).frames(*frames)
        retargeting = Retargeting(clip.skeleton, robot)
        places = kinematics.forward(robot, *retargeting.apply(clip.positions, clip.rotations))[0]
        upper, middle, end = (places[:, robot.roles[role]] for role in limb)
        u, v = quaternion.unit(middle - upper), quaternion.unit(end - middle)
        assert np.degrees(np.arccos(np.sum(u * v, axis=-1))).max() < 161
        assert end[:, 1].min() > -1e-3


def test_without_corrections_rotations_are_copied_and_between_equals_nothing_is_corrected(walk, robot):
    none = leave_out(["feet", "arms", "twist"])
    plain = Retargeting(walk.skeleton, robot, ROTATIONS_ONLY)
    other = Retargeting(walk.skeleton, robot, none)
    np.testing.assert_array_equal(
        plain.apply(walk.positions, walk.rotations)[1], other.apply(walk.positions, walk.rotations)[1]
    )
    assert plain.fixes is None
    assert Retargeting(walk.skeleton, walk.skeleton).fixes is None


def test_the_pelvis_comes_down_until_both_legs_reach(humanoid):
    body = humanoid()
    scale = np.ones((body.joint_count, 1))
    for side in ("left", "right"):
        scale[body.roles[f"{side}_upper_leg"]] = 3.0  # legs far apart
    wide = replace(body, offsets=body.offsets * scale)
    narrow = pose(body, left_upper_leg=((0, 0, 1), 30), right_upper_leg=((0, 0, 1), -30))
    narrow = put_on_floor(narrow)
    feet = [wide.roles["left_foot"], wide.roles["right_foot"]]
    heights, lows = [], []
    for settings in (leave_out(["pelvis"]), RetargetSettings()):
        found = kinematics.global_pose(retarget(narrow, wide, settings))[0][0]
        heights.append(found[wide.roles["hips"], 1])
        lows.append(found[feet, 1].max())
    assert heights[1] <= heights[0] + 1e-6
    assert lows[1] <= lows[0] + 1e-6


def test_hands_that_meet_still_meet_on_other_shoulders(humanoid):
    body = humanoid()
    roles = body.roles
    arms = {
        "left_upper_arm": ((0, 1, 0), -60.0), "right_upper_arm": ((0, 1, 0), 60.0),
        "left_lower_arm": ((0, 1, 0), -80.0), "right_lower_arm": ((0, 1, 0), 80.0),
    }  # fmt: skip
    clap = pose(body, **arms)
    hands = [roles["left_hand"], roles["right_hand"]]
    offsets = np.array(body.offsets)
    for side in ("left", "right"):
        offsets[roles[f"{side}_upper_arm"]] *= 2.0
    broad = replace(body, offsets=offsets)

    def apart(clip: Clip) -> float:
        places = kinematics.global_pose(clip)[0][0, hands]
        return float(np.linalg.norm(places[0] - places[1]))

    together = apart(retarget(clap, broad, RetargetSettings(hands="together")))
    assert together == pytest.approx(apart(clap), abs=2e-3)
    assert apart(retarget(clap, broad)) > apart(clap) + 0.1
    world = kinematics.global_pose(retarget(clap, broad, RetargetSettings(hands="world")))[0][0, hands]
    np.testing.assert_allclose(world, kinematics.global_pose(clap)[0][0, hands], atol=2e-3)


def test_arms_stay_out_of_a_thicker_trunk(humanoid):
    body = humanoid()
    stout = replace(body, offsets=body.offsets * 1.001 + 2e-3 * np.eye(1, 3))  # another skeleton
    bulk = replace(guess_bulk(stout), trunk=1.5 * guess_bulk(stout).trunk)
    hanging = pose(body, left_upper_arm=((0, 0, 1), -100), right_upper_arm=((0, 0, 1), 100))
    gaps = []
    for settings in (leave_out(["arms"]), RetargetSettings()):
        found = retarget(hanging, stout, settings, bulk=bulk)
        fixes = Retargeting(body, stout, bulk=bulk).fixes
        global_pose = tuple(array.astype(np.float64) for array in kinematics.global_pose(found))
        elbow = global_pose[0][:, stout.roles["left_lower_arm"]]
        gaps.append(min(float(gap[0]) for gap, _ in measure_gaps(fixes, 1, global_pose, elbow)))
    own = tuple(array.astype(np.float64) for array in kinematics.global_pose(hanging))
    allowed = min(0.0, *(float(g[0]) for g, _ in measure_gaps(fixes, 0, own, own[0][:, body.roles["left_lower_arm"]])))
    assert gaps[0] < allowed - 0.01
    assert gaps[1] > allowed - 0.005


def with_twist(body: Skeleton) -> Skeleton:
    """A joint half way along the left forearm, beside its bone, and one in the chain of the right."""
    left, right = body.roles["left_lower_arm"], body.roles["right_lower_arm"]
    hand = body.roles["right_hand"]
    last = body.joint_count
    assert (hand, body.parents[hand]) == (last - 1, right)
    names = [*body.names[:-1], "RightForeArmTwist", body.names[-1], "LeftForeArmTwist"]
    half = body.offsets[hand] / 2
    left_half = body.offsets[body.roles["left_hand"]] / 2
    offsets = np.concatenate([body.offsets[:-1], [half, half, left_half]])
    parents = [*body.parents[:-1], right, last - 1, left]
    rotations = np.concatenate([body.rotations[:-1], [quaternion.IDENTITY], body.rotations[-1:], [quaternion.IDENTITY]])
    roles = {**body.roles, "right_hand": last}
    return skeleton(names, parents, offsets, rotations=rotations, roles=roles).with_tpose(rotations)


def test_twist_joints_take_their_share_and_hands_keep_their_turn(humanoid):
    body = humanoid()
    target = with_twist(body)
    twisted = pose(body, left_hand=((1, 0, 0), 60), right_hand=((1, 0, 0), -40))
    found = kinematics.global_pose(retarget(twisted, target))[1][0].astype(np.float64)
    plain = kinematics.global_pose(retarget(twisted, target, leave_out(["twist"])))[1][0].astype(np.float64)
    rest = kinematics.tpose(target)[1].astype(np.float64)
    for name, degrees in (("LeftForeArmTwist", 30), ("RightForeArmTwist", 20)):
        joint = target.names.index(name)
        assert np.degrees(quaternion.angle(found[joint], rest[joint])) == pytest.approx(degrees, abs=0.1)
        assert np.degrees(quaternion.angle(plain[joint], rest[joint])) == pytest.approx(0, abs=0.1)
    for role in ("left_hand", "right_hand"):
        assert quaternion.angle(found[target.roles[role]], plain[target.roles[role]]) < 1e-5


def test_fingers_follow_by_role_or_keep_their_rest(data):
    source = read_clip(data / "characters/mesh2motion-human-male.glb").skeleton
    target = read_clip(data / "characters/vrm1-basic_armature.vrm").skeleton
    fist = pose(source, left_index_proximal=((0, 0, 1), -70))
    joint = target.roles["left_index_proximal"]
    bent, straight = (retarget(fist, target, settings).rotations[0, joint] for settings in
                      (RetargetSettings(), leave_out(["fingers"])))  # fmt: skip
    assert np.degrees(quaternion.angle(bent.astype(float), target.tpose[joint].astype(float))) > 50
    assert quaternion.angle(straight.astype(float), target.tpose[joint].astype(float)) < 1e-5


def test_settings_that_mean_nothing_are_refused(walk, robot):
    with pytest.raises(KinematchError, match="no correction 'foot'; choose from: feet"):
        leave_out(["foot"])
    with pytest.raises(KinematchError, match="way to lead hands"):
        RetargetSettings(hands="hold")
    with pytest.raises(KinematchError, match="expected true or false"):
        RetargetSettings(feet=1)
    with pytest.raises(KinematchError, match=r"contacts have shape \(90, 3\)"):
        Retargeting(walk.skeleton, robot).apply(walk.positions, walk.rotations, contacts=np.zeros((90, 3)))
    assert leave_out(CORRECTIONS).correct is False
