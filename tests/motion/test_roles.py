"""Overrides, doubts and contradictions of role maps, and the maps of all real rigs."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import read_clip
from kinematch.motion.kinematics import rest_pose
from kinematch.motion.roles import REQUIRED_ROLES, ROLES, find_roles, vrm_roles
from kinematch.motion.skeleton import skeleton


def test_there_are_as_many_roles_as_unity_has_bones():
    assert len(ROLES) == len(set(ROLES)) == 55
    assert len(REQUIRED_ROLES) == 15
    assert set(REQUIRED_ROLES) < set(ROLES)


def test_an_override_puts_a_role_on_the_joint_it_names(person):
    found = find_roles(person, {"left_hand": "LeftLowerArm", "left_toes": ""})
    assert person.names[found.roles["left_hand"]] == "LeftLowerArm"
    assert "left_toes" not in found.roles
    assert found.method == "names+override"
    assert any("LeftLowerArm" in p and "left_hand" in p for p in found.problems)  # it has two roles now


def test_an_override_of_an_unknown_joint_suggests_the_nearest(person):
    with pytest.raises(KinematchError, match="did you mean 'LeftFoot'"):
        find_roles(person, {"left_foot": "LeftFot"})


def test_an_override_of_an_unknown_role_suggests_the_nearest(person):
    with pytest.raises(KinematchError, match="did you mean 'left_foot'"):
        find_roles(person, {"left_fot": "LeftFoot"})


def test_an_unset_required_role_is_reported_missing(person):
    found = find_roles(person, {"right_hand": ""})
    assert not found.humanoid
    assert "right_hand missing (unset by override)" in found.problems


def test_a_rig_without_toes_says_so(person):
    keep = [j for j, name in enumerate(person.names) if "Toes" not in name]
    names = [person.names[j] for j in keep]
    parents = [-1 if person.parents[j] < 0 else keep.index(person.parents[j]) for j in keep]
    found = find_roles(skeleton(names, parents, person.offsets[keep]))
    assert found.humanoid
    assert found.problems == ("left_toes missing", "right_toes missing")


def test_a_mirrored_rig_is_reported(person):
    flipped = replace(person, offsets=person.offsets * np.array([-1, 1, 1]))
    assert any("names say left, geometry says right" in p for p in find_roles(flipped).problems)
    assert find_roles(person).problems == ()


def test_two_joints_that_could_have_one_role_are_reported(person):
    names = (*person.names, "left_foot")
    parents = [*person.parents, person.names.index("LeftLowerLeg")]
    found = find_roles(skeleton(names, parents, [*person.offsets, [0.0, -0.3, 0.0]]))
    assert any("2 joints could be left_foot: 'LeftFoot', 'left_foot'" in p for p in found.problems)


def test_a_foot_that_does_not_hang_on_its_leg_is_reported(person):
    parents = person.parents.copy()
    parents[person.names.index("LeftFoot")] = 0
    found = find_roles(skeleton(person.names, parents, person.offsets))
    assert any("not below left_lower_leg 'LeftLowerLeg': left_foot 'LeftFoot'" in p for p in found.problems)


@pytest.mark.parametrize("names", [["Hips", "Head"], ["Hips", "Spine", "Head", "LeftLeg"], ["a"], ["root", "tail"]])
def test_a_handful_of_joints_is_no_humanoid(names):
    parents = [-1, *([0] * (len(names) - 1))]
    found = find_roles(skeleton(names, parents, [[0.0, 1.0, 0.0]] * len(names)))
    assert not found.humanoid
    assert found.problems[0].startswith("not a humanoid")


def test_a_pose_of_another_skeleton_is_refused(person):
    with pytest.raises(KinematchError, match="expected"):
        find_roles(person, pose=np.zeros((3, 3)))


def test_vrm_thumbs_of_both_versions_give_the_same_roles():
    old = vrm_roles({"leftThumbProximal": 1, "leftThumbIntermediate": 2, "leftThumbDistal": 3, "upperChest": 4})
    new = vrm_roles({"leftThumbMetacarpal": 1, "leftThumbProximal": 2, "leftThumbDistal": 3, "upperChest": 4})
    assert old == new
    assert old["left_thumb_proximal"] == 1
    assert old["upper_chest"] == 4


# file, family, and the joints of upper chest or chest, left upper leg, left upper arm, left hand
REAL = [
    ("lafan1-clips/pushAndFall1_subject4_stand.bvh", "LAFAN1", "Spine2 LeftUpLeg LeftArm LeftHand"),
    ("lafan1-simulation-bone/ground2_subject3_turn_filtered.bvh", "LAFAN1", "Spine2 LeftUpLeg LeftArm LeftHand"),
    ("amass-z-up/example_2.bvh", "AMASS", "chest lhip lshoulder lwrist"),
    ("bandai-namco/dataset-1_walk_normal_001.bvh", "Bandai Namco", "Chest UpperLeg_L UpperArm_L Hand_L"),
    ("xsens/JL_mm_tpose.bvh", "Xsens", "Chest4 LeftHip LeftShoulder LeftWrist"),
    ("cmu/02_01.bvh", "CMU", "Spine1 LeftUpLeg LeftArm LeftHand"),
    ("rigs/cmu3dsmax_131_01.bvh", "CMU", "Chest2 LeftHip LeftShoulder LeftWrist"),
    ("rigs/poser_pirouette.bvh", "Poser", "chest lThigh lShldr lHand"),
    ("rigs/Geno_stance.bvh", "MotionBuilder", "Spine3 LeftUpLeg LeftArm LeftHand"),
    ("characters/100Avatars_003_Jimmy.vrm", "Mixamo",
     "mixamorig:Spine2 mixamorig:LeftUpLeg mixamorig:LeftArm mixamorig:LeftHand"),
    ("characters/mesh2motion-human-male.glb", "Unreal", "spine_03 thigh_l upperarm_l hand_l"),
    ("characters/CesiumMan.glb", "unknown",
     "torso_joint_3 leg_joint_L_1 Skeleton_arm_joint_L__4_ Skeleton_arm_joint_L__2_"),
    ("characters/RobotExpressive.glb", "Blender armature", "Torso UpperLeg.L UpperArm.L Palm2.L"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "family", "joints"), REAL)
def test_real_rigs_are_mapped_as_a_person_would(data, file, family, joints):
    rig = read_clip(data / file).skeleton
    found = find_roles(rig)
    top = "upper_chest" if "upper_chest" in found.roles else "chest"
    wanted = dict(zip((top, "left_upper_leg", "left_upper_arm", "left_hand"), joints.split()))
    assert {role: rig.names[found.roles[role]] for role in wanted} == wanted
    assert found.family == family
    assert found.humanoid


def test_no_real_humanoid_mixes_its_sides(data, humanoid_files):
    for file in humanoid_files:
        rig = read_clip(data / file).skeleton
        found = find_roles(rig, pose=rest_pose(rig)[0])
        assert found.humanoid, file
        assert not any("geometry says" in p for p in found.problems), file
        for role, joint in found.roles.items():
            other = {"left": "right", "right": "left"}.get(role.partition("_")[0], "neither")
            assert other not in rig.names[joint].lower(), (file, role)


@pytest.mark.parametrize("file", ["rigs/pybvh_full_precision_frame_time.bvh", "rigs/pybvh_rotation_first_root.bvh"])
def test_real_files_of_a_few_joints_are_no_humanoids(data, file):
    found = find_roles(read_clip(data / file).skeleton)
    assert not found.humanoid
    assert found.problems[0].startswith("not a humanoid")


def test_a_robot_whose_feet_hang_on_the_ground_says_so(data):
    problems = find_roles(read_clip(data / "characters/RobotExpressive.glb").skeleton).problems
    assert any("not below left_lower_leg" in p for p in problems)
    assert any("'Hips' is not above the legs" in p for p in problems)


def test_maps_that_vrm_files_bring_agree_with_the_names(data):
    for file in ("100Avatars_003_Jimmy.vrm", "vrm0-basic_armature.vrm", "vrm1-debug_robot.vrm", "three-vrm-test.vrma"):
        rig = read_clip(data / "characters" / file).skeleton
        assert dict(find_roles(rig).roles) == {r: j for r, j in rig.roles.items() if r != "root"}, file
