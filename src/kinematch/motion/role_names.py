"""Humanoid roles from joint names: the vocabulary of the common rig families and how a name is taken apart."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from kinematch.motion.skeleton import Skeleton

SIDES = ("left", "right")
FINGERS = ("thumb", "index", "middle", "ring", "little")
PHALANGES = ("proximal", "intermediate", "distal")
LEG = ("upper_leg", "lower_leg", "foot", "toes")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
_FINGER_PARTS = tuple(f"{finger}_{part}" for finger in FINGERS for part in PHALANGES)

ROLES: tuple[str, ...] = (
    *("hips", "spine", "chest", "upper_chest", "neck", "head", "jaw", "left_eye", "right_eye"),
    *(f"{side}_{part}" for side in SIDES for part in (*LEG, *ARM, *_FINGER_PARTS)),
)
# the fifteen that Unity asks of a humanoid
REQUIRED_ROLES: tuple[str, ...] = (
    *("hips", "spine", "head"),
    *(f"{side}_{part}" for side in SIDES for part in (*LEG[:3], *ARM[1:])),
)

# The role that each one must hang below, directly or not; spine and neck are found from the path hips -> head.
ABOVE: dict[str, str] = {
    **{f"{s}_{low}": f"{s}_{high}" for s in SIDES for part in (LEG, ARM) for high, low in itertools.pairwise(part)},
    **{f"{s}_upper_leg": "hips" for s in SIDES},
    **{f"{s}_{finger}_{part}": f"{s}_hand" for s in SIDES for finger in FINGERS for part in PHALANGES},
    "head": "hips",
}

_MIDDLE = {
    "hips": "hips hip pelvis midhip spinebase",
    "head": "head upperneck",
    "jaw": "jaw",
    "neck": "neck lowerneck necklower necktwist",
}
_ANY = {"eye": "eye faceeye eyeball"}
# Rigs name either the bones (upper arm, forearm) or the anatomical joints they start at (shoulder, elbow), and words
# such as 'shoulder', 'leg', 'foot' mean different joints in each; so one whole dialect is chosen for the whole rig.
DIALECTS: dict[str, dict[str, str]] = {
    "bones": {
        "upper_leg": "upleg upperleg thigh thighbend",
        "lower_leg": "leg lowerleg lowleg calf shin",
        "foot": "foot",
        "toes": "toes toe toebase ball",
        "shoulder": "shoulder clavicle collar",
        "upper_arm": "arm uparm upperarm shldr shldrbend",
        "lower_arm": "forearm lowerarm lowarm forearmbend",
        "hand": "hand palm",
    },
    "joints": {
        "upper_leg": "hip",
        "lower_leg": "knee",
        "foot": "ankle",
        "toes": "toe toes toebase bigtoe foot",
        "shoulder": "collar clavicle",
        "upper_arm": "shoulder",
        "lower_arm": "elbow",
        "hand": "wrist",
    },
    "mixed": {
        "upper_leg": "leg",
        "lower_leg": "knee",
        "foot": "ankle",
        "toes": "toe toes",
        "shoulder": "shoulder",
        "upper_arm": "arm",
        "lower_arm": "elbow",
        "hand": "wrist",
    },
}
# Told by a name that only this family has, in this order.
FAMILIES: tuple[tuple[str, str], ...] = (
    ("Mixamo", r"mixamorig"),
    ("3ds Max Biped", r"^Bip\d*([ _].*)?$"),
    ("VRoid", r"^J_Bip_"),
    ("CMU", r"^LHipJoint$"),
    ("Bandai Namco", r"^joint_Root$"),
    ("Unreal", r"^(thigh|upperarm)_[lr]$"),
    ("Poser", r"^[lr](Shldr|Shin)"),
    ("AMASS", r"^lowerback$"),
    ("SMPL", r"^(L|left)_(Collar|collar|Elbow|elbow)$"),
    ("Xsens", r"^Chest4$|^T12$"),
    ("OpenPose", r"^MidHip$"),
    ("Kinect", r"^(SpineBase|SPINE_BASE)$"),
    ("Perception Neuron", r"^(Robot_)?LeftInHand"),
    ("Rigify", r"^(DEF-|ORG-)?(shin|thigh)\.L$"),
    ("Character Creator", r"^CC_Base_"),
    ("VRM", r"^leftUpperArm$"),
    ("Unity", r"^LeftUpperArm$"),
    ("Rokoko", r"^LeftShin$"),
    ("VRChat", r"^Left (knee|elbow)$"),
    ("Blender armature", r"^([Uu]pper_?[Aa]rm)\.L$"),
)
_FAMILY_OF_DIALECT = {"bones": "MotionBuilder", "joints": "anatomical joints", "mixed": "anatomical joints"}

_PREFIX = re.compile(r"bip\d*|j|c|adj|bone|joint|jnt|skeleton|armature|mixamorig\d*|robot|def|org|b|character\d*")
_TOKEN = re.compile(r"[Bb]ip\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDE_WORDS = {"left": "left", "right": "right", "l": "left", "r": "right", "lt": "left", "rt": "right"}
_FINGER_WORDS = {"mid": "middle", "pinky": "little", "pinkie": "little", **{f: f for f in FINGERS}}
_FINGER_NOISE = re.compile(r"hand|finger|proximal|intermediate|distal|metacarpal|f")
_VOCABULARY = {
    w for table in (*DIALECTS.values(), _MIDDLE, _ANY) for words in table.values() for w in words.split()
} | {*_FINGER_WORDS, "finger"}


class Name:
    """A joint's name taken apart: side, words without it, number."""

    def __init__(self, name: str, filler: set[str]):
        plain = re.split(r"[:|]", name)[-1]
        tokens = [t.lower() for t in _TOKEN.findall(plain)]
        self.number = next((t for t in reversed(tokens) if t.isdigit()), "")
        words = [t for t in tokens if not t.isdigit()]
        self.side = next((_SIDE_WORDS[t] for t in words if t in _SIDE_WORDS), "")
        words = [t for t in words if t not in _SIDE_WORDS and t not in filler]
        while words and _PREFIX.fullmatch(words[0]):
            words = words[1:]
        if not self.side and words:  # 'lhip', 'leftarm': the side is glued on in lower case
            for start in ("left", "right", "l", "r"):
                rest = words[0].removeprefix(start)
                if rest != words[0] and "".join([rest, *words[1:]]) in _VOCABULARY:
                    self.side, words[0] = _SIDE_WORDS[start], rest
                    break
        self.words = words
        self.core = "".join(words)


def take_apart(skeleton: Skeleton) -> list[Name]:
    """Every joint's name; words that most joints share, such as a prefix, are dropped."""
    counts = Counter(t.lower() for name in skeleton.names for t in set(_TOKEN.findall(name)))
    often = max(4, 0.6 * skeleton.joint_count)
    filler = {t for t, n in counts.items() if n > often and t not in _SIDE_WORDS and t not in _VOCABULARY}
    return [Name(name, filler) for name in skeleton.names]


def from_names(skeleton: Skeleton) -> tuple[dict[str, int], str, list[str]]:
    """Roles by the dialect that explains most of the rig, the family's name, and what was ambiguous."""
    roles, family, problems = _read_names(_Rig(skeleton.names, skeleton.parents.tobytes(), skeleton))
    return dict(roles), family, list(problems)


@dataclass(frozen=True)
class _Rig:
    """Roles by names and parents are the same for all files of one rig, so they are found once."""

    names: tuple[str, ...]
    parents: bytes
    skeleton: Skeleton = field(compare=False)


@lru_cache(maxsize=32)
def _read_names(rig: _Rig) -> tuple[dict[str, int], str, list[str]]:
    skeleton = rig.skeleton
    names = take_apart(skeleton)
    found = {dialect: _by_dialect(skeleton, names, table) for dialect, table in DIALECTS.items()}
    dialect = max(found, key=lambda d: agreement(skeleton, found[d][0]))
    roles, problems = found[dialect]
    return roles, _family(skeleton, dialect), problems


def is_below(skeleton: Skeleton, joint: int, above: int) -> bool:
    return joint != above and above in skeleton.chain(joint)


def _by_dialect(skeleton: Skeleton, names: list[Name], table: Mapping[str, str]) -> tuple[dict[str, int], list[str]]:
    candidates: dict[str, list[int]] = {}
    for joint, name in enumerate(names):
        if name.side:
            for role, words in {**table, **_ANY}.items():
                # 'leg 1, leg 2, leg 3' counts joints along a limb and does not say which is which
                if name.core in words.split() and not (name.number and name.core in ("leg", "arm")):
                    candidates.setdefault(f"{name.side}_{role}", []).append(joint)
        else:
            for role, words in _MIDDLE.items():
                if name.core in words.split():
                    candidates.setdefault(role, []).append(joint)
    roles, problems = {}, []
    for role, joints in candidates.items():
        # of a joint and its own descendants (neck_01, neck_02; toe0, toe01) the highest is meant
        tops = [j for j in joints if not any(is_below(skeleton, j, k) for k in joints)]
        if len(tops) > 1 and role != "neck":
            exact = [j for j in tops if not names[j].number] or tops
            tops = exact + [j for j in tops if j not in exact]
            listed = ", ".join(repr(skeleton.names[j]) for j in tops)
            problems.append(f"{len(tops)} joints could be {role}: {listed}; {skeleton.names[tops[0]]!r} was taken")
        roles[role] = tops[0]
    for side in SIDES:  # hip, knee, foot: where no joint is called ankle, 'foot' is no toe
        foot = roles.get(f"{side}_toes")
        if foot is not None and f"{side}_foot" not in roles and names[foot].core == "foot":
            roles[f"{side}_foot"] = roles.pop(f"{side}_toes")
            below = [j for j in skeleton.children(foot) if names[j].core in ("toe", "toes")]
            roles |= {f"{side}_toes": below[0]} if below else {}
    return roles | _fingers(skeleton, names), problems


def _fingers(skeleton: Skeleton, names: list[Name]) -> dict[str, int]:
    """The first three joints of each finger, down from the hand; metacarpals count for thumbs alone."""
    chains: dict[str, list[int]] = {}
    for joint, name in enumerate(names):
        finger = next((_FINGER_WORDS[w] for w in name.words if w in _FINGER_WORDS), "")
        others = [w for w in name.words if w not in _FINGER_WORDS and not _FINGER_NOISE.fullmatch(w)]
        if name.core == "finger" and name.number:  # Biped: Finger0, Finger01, Finger02 are the thumb, Finger1 the index
            finger = FINGERS[int(name.number[0])] if int(name.number[0]) < 5 else ""
        if not finger or others or not name.side or ("metacarpal" in name.words and finger != "thumb"):
            continue
        chains.setdefault(f"{name.side}_{finger}", []).append(joint)
    return {f"{key}_{part}": j for key, joints in chains.items() for part, j in zip(PHALANGES, joints)}


def agreement(skeleton: Skeleton, roles: Mapping[str, int]) -> int:
    """How many required roles were found and hang where they should, less those that do not."""
    score = 0
    for role in REQUIRED_ROLES:
        if role in roles:
            above = roles.get(ABOVE.get(role, ""))
            score += 1 if above is None or is_below(skeleton, roles[role], above) else -1
    return score


def _family(skeleton: Skeleton, dialect: str) -> str:
    plain = {name.split("|")[-1] for name in skeleton.names} | {name.split(":")[-1] for name in skeleton.names}
    for family, mark in FAMILIES:
        if any(re.search(mark, name) for name in plain):
            return family
    lafan1 = {"LeftUpLeg", "LeftToe", "Spine2", "LeftArm"} <= plain
    return "LAFAN1" if lafan1 else _FAMILY_OF_DIALECT[dialect]
