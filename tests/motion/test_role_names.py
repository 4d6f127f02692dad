"""Names of the common rig families give the right roles, though one word means different joints in each."""

import pytest

from kinematch.motion.role_names import agreement
from kinematch.motion.roles import REQUIRED_ROLES, find_roles
from kinematch.motion.skeleton import skeleton

SIDES = ("left", "right")
LEG = ("upper_leg", "lower_leg", "foot", "toes")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
BONES = "UpLeg Leg Foot ToeBase Shoulder Arm ForeArm Hand"
UNREAL = "thigh calf foot ball clavicle upperarm lowerarm hand"
BIPED = "Thigh Calf Foot Toe0 Clavicle UpperArm Forearm Hand"

# family, names from hips to head, how many of them are neck, left and right, parts from upper leg to hand
FAMILIES = [
    ("Mixamo", "mixamorig:{} Hips Spine Spine1 Spine2 Neck Head", 1, "mixamorig:Left{} mixamorig:Right{}", BONES),
    ("Mixamo", "mixamorig7:{} Hips Spine Spine1 Spine2 Neck Head", 1, "mixamorig7:Left{} mixamorig7:Right{}", BONES),
    ("Mixamo", "mixamorig{} Hips Spine Spine1 Spine2 Neck Head", 1, "mixamorigLeft{} mixamorigRight{}", BONES),
    ("MotionBuilder", "{} Hips Spine Spine1 Neck Head", 1, "Left{} Right{}", BONES),
    ("MotionBuilder", "Actor01:{} Hips Spine Spine1 Neck Head", 1, "Actor01:Left{} Actor01:Right{}", BONES),
    ("LAFAN1", "{} Hips Spine Spine1 Spine2 Neck Head", 1, "Left{} Right{}", BONES.replace("ToeBase", "Toe")),
    ("Xsens", "{} Hips Chest Chest2 Chest3 Chest4 Neck Head", 1, "Left{} Right{}",
     "Hip Knee Ankle Toe Collar Shoulder Elbow Wrist"),
    ("Xsens", "{} Pelvis L5 L3 T12 T8 Neck Head", 1, "Left{} Right{}",
     "UpperLeg LowerLeg Foot Toe Shoulder UpperArm ForeArm Hand"),
    ("Bandai Namco", "{} joint_Root Spine Chest Neck Head", 1, "{}_L {}_R",
     "UpperLeg LowerLeg Foot Toes Shoulder UpperArm LowerArm Hand"),
    ("Unreal", "{} pelvis spine_01 spine_02 spine_03 neck_01 head", 1, "{}_l {}_r", UNREAL),
    ("Unreal", "{} pelvis spine_01 spine_02 spine_03 spine_04 spine_05 neck_01 neck_02 head", 2, "{}_l {}_r", UNREAL),
    ("Unity", "{} Hips Spine Chest UpperChest Neck Head", 1, "Left{} Right{}",
     "UpperLeg LowerLeg Foot Toes Shoulder UpperArm LowerArm Hand"),
    ("VRM", "{} hips spine chest upperChest neck head", 1, "left{} right{}",
     "UpperLeg LowerLeg Foot Toes Shoulder UpperArm LowerArm Hand"),
    ("VRoid", "J_Bip_C_{} Hips Spine Chest UpperChest Neck Head", 1, "J_Bip_L_{} J_Bip_R_{}",
     "UpperLeg LowerLeg Foot ToeBase Shoulder UpperArm LowerArm Hand"),
    ("Poser", "{} hip abdomen chest neck head", 1, "l{} r{}", "Thigh Shin Foot Toe Collar Shldr ForeArm Hand"),
    ("3ds Max Biped", "Bip01_{} Pelvis Spine Spine1 Spine2 Neck Head", 1, "Bip01_L_{} Bip01_R_{}", BIPED),
    ("3ds Max Biped", "Bip001+{} Pelvis Spine Spine1 Neck Head", 1, "Bip001+L+{} Bip001+R+{}", BIPED),
    ("AMASS", "{} root lowerback upperback chest lowerneck upperneck", 1, "l{} r{}",
     "hip knee ankle toe clavicle shoulder elbow wrist"),
    ("SMPL", "{} pelvis spine1 spine2 spine3 neck head", 1, "left_{} right_{}",
     "hip knee ankle foot collar shoulder elbow wrist"),
    ("SMPL", "{} Pelvis Spine1 Spine2 Spine3 Neck Head", 1, "L_{} R_{}",
     "Hip Knee Ankle Foot Collar Shoulder Elbow Wrist"),
    ("Rokoko", "{} Hips Spine Spine1 Spine2 Neck Head", 1, "Left{} Right{}",
     "Thigh Shin Foot Toe Shoulder Arm ForeArm Hand"),
    ("Rigify", "{} hips spine chest neck head", 1, "{}.L {}.R", "thigh shin foot toe shoulder upper_arm forearm hand"),
    ("Perception Neuron", "Robot_{} Hips Spine Spine1 Spine2 Neck Head", 1, "Robot_Left{} Robot_Right{}", BONES),
    ("Character Creator", "CC_Base_{} Hip Waist Spine01 Spine02 NeckTwist01 Head", 1, "CC_Base_L_{} CC_Base_R_{}",
     "Thigh Calf Foot ToeBase Clavicle Upperarm Forearm Hand"),
    ("Poser", "{} hip abdomenLower abdomenUpper chestLower chestUpper neckLower neckUpper head", 2, "l{} r{}",
     "ThighBend Shin Foot Toe Collar ShldrBend ForearmBend Hand"),
    ("VRChat", "{} Hips Spine Chest Neck Head", 1, "Left+{} Right+{}",
     "leg knee ankle toe shoulder arm elbow wrist"),
]  # fmt: skip


def _rig(make_humanoid, middle, neck, sides, parts):
    template, *words = middle.split()
    left, right = sides.split()
    named = [template.format(w) for w in words]
    spaced = [[n.replace("+", " ") for n in (side.format(p) for p in parts.split())] for side in (left, right)]
    return make_humanoid([n.replace("+", " ") for n in named], *spaced, neck=neck), spaced


@pytest.mark.parametrize(("family", "middle", "neck", "sides", "parts"), FAMILIES)
def test_the_names_of_a_family_give_every_role_of_the_body(make_humanoid, family, middle, neck, sides, parts):
    rig, names = _rig(make_humanoid, middle, neck, sides, parts)
    found = find_roles(rig)
    for side, joints in zip(SIDES, names):
        for role, joint in zip((*LEG, *ARM), joints):
            assert rig.names[found.roles[f"{side}_{role}"]] == joint
    spine = [rig.names[j] for j in rig.chain(found.roles["head"])]
    count = len(spine) - 2 - neck
    expected = {"hips": spine[0], "spine": spine[1], "neck": spine[-1 - neck], "head": spine[-1]}
    if count > 1:
        expected["chest" if count == 2 else "upper_chest"] = spine[count]
    assert {role: rig.names[found.roles[role]] for role in expected} == expected
    assert found.method == "names"
    assert found.problems == ()
    if family != "Perception Neuron":  # told from the others by its hand bones alone
        assert found.family == family


def test_a_rigify_skeleton_has_hips_and_head_in_its_numbered_spine(make_humanoid):
    parts = "thigh shin foot toe shoulder upper_arm forearm hand"
    sides = [[f"DEF-{p}.{s}" for p in parts.split()] for s in "LR"]
    rig = make_humanoid(["DEF-spine", *(f"DEF-spine.{k:03}" for k in range(1, 7))], *sides, neck=2)
    found = find_roles(rig)
    assert found.family == "Rigify"
    assert found.humanoid
    assert rig.names[found.roles["hips"]] == "DEF-spine"
    assert rig.names[found.roles["neck"]] == "DEF-spine.004"
    assert rig.names[found.roles["head"]] == "DEF-spine.006"


def test_a_limb_on_the_wrong_parent_counts_against_a_reading_of_names(person):
    roles = dict(find_roles(person).roles)
    assert agreement(person, roles) == len(REQUIRED_ROLES)
    roles["left_hand"] = roles["left_foot"]
    assert agreement(person, roles) == len(REQUIRED_ROLES) - 2


def test_kinect_names_the_anatomical_joints_and_has_no_collar_bones(make_humanoid):
    sides = [
        [f"{p}{s}" for p in ["Hip", "Knee", "Ankle", "Foot", "Shoulder", "Elbow", "Wrist"]] for s in ("Left", "Right")
    ]
    rig = make_humanoid(["SpineBase", "SpineMid", "SpineShoulder", "Neck", "Head"], *sides)
    found = find_roles(rig)
    assert found.family == "Kinect"
    assert rig.names[found.roles["left_upper_arm"]] == "ShoulderLeft"
    assert rig.names[found.roles["right_toes"]] == "FootRight"
    assert found.humanoid


def test_biped_collar_bones_that_hang_on_the_neck_leave_the_neck_a_neck(make_humanoid):
    left, right = ([f"Bip01 {s} {p}" for p in BIPED.split()] for s in "LR")
    rig = make_humanoid([f"Bip01 {n}" for n in ["Pelvis", "Spine", "Spine1", "Neck", "Head"]], left, right)
    parents = rig.parents.copy()
    for name in ("Bip01 L Clavicle", "Bip01 R Clavicle"):
        parents[rig.names.index(name)] = rig.names.index("Bip01 Neck")
    found = find_roles(skeleton(rig.names, parents, rig.offsets))
    assert rig.names[found.roles["neck"]] == "Bip01 Neck"
    assert rig.names[found.roles["chest"]] == "Bip01 Spine1"


@pytest.mark.parametrize(
    ("template", "finger_names"),
    [
        ("LeftHand{}", {"thumb": "Thumb1 Thumb2 Thumb3 Thumb4", "little": "Pinky1 Pinky2 Pinky3 Pinky4"}),
        ("{}_l", {"index": "index_metacarpal index_01 index_02 index_03", "thumb": "thumb_01 thumb_02 thumb_03"}),
        ("left{}", {"thumb": "ThumbMetacarpal ThumbProximal ThumbDistal", "ring": "RingProximal RingIntermediate"}),
        ("Bip01 L {}", {"thumb": "Finger0 Finger01 Finger02", "middle": "Finger2 Finger21 Finger22"}),
        ("{}.L", {"index": "f_index.01 f_index.02 f_index.03"}),
        ("l{}", {"middle": "Mid1 Mid2"}),
    ],
)
def test_fingers_are_counted_from_the_hand_without_metacarpals(template, finger_names):
    names, parents = ["Hips", "LeftHand"], [-1, 0]
    for joints in finger_names.values():
        for k, joint in enumerate(joints.split()):
            parents.append(1 if k == 0 else len(names) - 1)
            names.append(template.format(joint))
    roles = find_roles(skeleton(names, parents, [[0.0, 0.1, 0.0]] * len(names))).roles
    for finger, joints in finger_names.items():
        kept = [j for j in joints.split() if "index_metacarpal" not in j]
        for part, joint in zip(("proximal", "intermediate", "distal"), kept):
            assert names[roles[f"left_{finger}_{part}"]] == template.format(joint)


def test_twist_and_end_joints_have_no_role(make_humanoid):
    left, right = ([f"{p}_{s}" for p in UNREAL.split()] for s in "lr")
    rig = make_humanoid(["pelvis", "spine_01", "spine_02", "neck_01", "head"], left, right)
    extra = ["upperarm_twist_01_l", "lowerarm_twist_01_l", "thigh_twist_01_l", "ball_leaf_l"]
    on = ["upperarm_l", "lowerarm_l", "thigh_l", "ball_l"]
    names = (*rig.names, *extra)
    parents = [*rig.parents, *(rig.names.index(n) for n in on)]
    offsets = [*rig.offsets, *([[0.05, 0.0, 0.0]] * len(extra))]
    found = find_roles(skeleton(names, parents, offsets))
    assert not {names.index(n) for n in extra} & set(found.roles.values())
    assert set(REQUIRED_ROLES) <= set(found.roles)


def test_eyes_and_jaw_are_found_under_the_head():
    names = ["Hips", "Head", "LeftEye", "J_Adj_R_FaceEye", "jaw"]
    roles = find_roles(skeleton(names, [-1, 0, 1, 1, 1], [[0.0, 0.1, 0.0]] * 5)).roles
    assert {r: names[j] for r, j in roles.items() if r in ("left_eye", "right_eye", "jaw")} == {
        "left_eye": "LeftEye",
        "right_eye": "J_Adj_R_FaceEye",
        "jaw": "jaw",
    }
