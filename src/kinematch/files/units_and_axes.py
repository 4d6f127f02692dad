"""Units and axes of files: what they are, how they were found, and the conversion to metres and Y up."""

from dataclasses import replace

import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.math.quaternion import unit as unit_vector
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import stands_on_four_legs
from kinematch.motion.kinematics import end_positions, forward, rest_pose
from kinematch.motion.role_topology import four_legged_axes
from kinematch.motion.roles import missing_roles
from kinematch.motion.tpose import BONES, limb_deviations

UNITS = {
    "m": 1.0,
    "metre": 1.0,
    "meter": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "foot": 0.3048,
    "cmu": 0.0254 / 0.45,  # the CMU library: inches divided by 0.45
}
MAX_UNIT_METRES = 1e6  # metres; float32 has too little precision beyond
# (metres, name, how many times further from human size it may be before a commoner unit is preferred): rigs in
# centimetres and metres abound, children and tall figures among them; decimetres are hardly ever seen
CANDIDATES = (
    (1.0, "metres", 1.0),
    (0.01, "centimetres", 1.0),
    (0.001, "millimetres", 1.1),
    (0.0254, "inches", 1.2),
    (UNITS["cmu"], "units of the CMU library (5.644 cm)", 1.2),
    (0.3048, "feet", 1.4),
    (0.1, "decimetres", 1.5),
)
# an adult, in metres: the measure, the roles along it, its length
MEASURES: tuple[tuple[str, tuple[tuple[str, ...], ...], float], ...] = (
    ("leg length", tuple((f"{s}_upper_leg", f"{s}_lower_leg", f"{s}_foot") for s in ("left", "right")), 0.83),
    ("arm length", tuple((f"{s}_upper_arm", f"{s}_lower_arm", f"{s}_hand") for s in ("left", "right")), 0.53),
)
ANIMAL_LEG_METRES = 0.5  # m; a cat's are 0.2, an elephant's 2
# signed permutations, rows are our axes in the file's: each takes the file's up to +Y and leaves one other axis alone
TO_Y_UP = {
    "Y": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-Y": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "Z": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "-Z": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "X": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "-X": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
}
AXES = ("X", "Y", "Z", "-X", "-Y", "-Z")
MIN_UPRIGHT_COSINE = np.cos(np.pi / 4)  # a body leaning less than 45 degrees
# limbs off a T-pose; thighs and shins off the body's down
MAX_T_POSE_ANGLE, MAX_STANDING_ANGLE = np.radians(25), np.radians(60)
LEG_BONES = [k for k, bone in enumerate(BONES) if "leg" in bone]
SAMPLE_FRAMES = 200  # frames looked at; the up axis does not change from frame to frame


def unit_in_metres(unit: float | str) -> float:
    """Metres per unit, from a number or one of the names in UNITS."""
    if isinstance(unit, str):
        name = unit.strip().lower()
        if name not in UNITS:
            raise KinematchError(unknown("unit", unit, UNITS))
        return UNITS[name]
    if not 1 / MAX_UNIT_METRES <= unit <= MAX_UNIT_METRES:
        expected = f"a number from {1 / MAX_UNIT_METRES:g} to {MAX_UNIT_METRES:g}"
        raise KinematchError(f"unit {unit}, expected metres per unit of the file: {expected}")
    return float(unit)


def axis_name(axis: str) -> str:
    """'+y' is 'Y'."""
    name = axis.strip().upper().removeprefix("+")
    if name not in AXES:
        raise KinematchError(unknown("axis", axis, AXES))
    return name


def axis_vector(axis: str) -> np.ndarray:
    """The unit vector of 'X', '-Z' and so on."""
    name = axis_name(axis)
    return np.eye(3)["XYZ".index(name[-1])] * (-1 if name.startswith("-") else 1)


def _nearest_axis(v: np.ndarray) -> str:
    k = int(np.argmax(np.abs(v)))
    return ("-" if v[k] < 0 else "") + "XYZ"[k]


def to_our_space(clip: Clip, unit: float, up: str, facing: str | None = None) -> Clip:
    """The clip in metres with +Y up: p' = s R p and q' = R q R^-1 for motion, rest pose, T-pose and end sites alike.

    The world is turned about the vertical only when `facing` says which of the file's axes becomes +Z.
    """
    turn = turn_to_ours(up, facing)
    rig = clip.skeleton
    skeleton = replace(
        rig,
        offsets=_turned(turn, rig.offsets) * unit,
        rotations=_conjugated(turn, rig.rotations),
        end_offsets=_turned(turn, rig.end_offsets) * unit,
        tpose=None if rig.tpose is None else _conjugated(turn, rig.tpose),
    )
    return clip.with_(
        skeleton=skeleton,
        positions=_turned(turn, clip.positions) * np.float32(unit),
        rotations=_conjugated(turn, clip.rotations),
        source=replace(clip.source, unit=unit, up=axis_name(up)),
    )


def turn_to_ours(up: str, facing: str | None) -> np.ndarray:
    """The signed permutation (3, 3) that takes the file's up axis to +Y and, where given, its facing axis to +Z."""
    turn = np.array(TO_Y_UP[axis_name(up)])
    if facing is None:
        return turn
    forward = turn @ axis_vector(facing)
    if forward[1]:
        raise KinematchError(f"facing {facing!r} lies along the up axis {up!r}")
    x, _, z = forward.astype(int)
    return np.array([[z, 0, -x], [0, 1, 0], [x, 0, z]]) @ turn


def _turned(turn: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A signed permutation of components: exact."""
    source = np.argmax(np.abs(turn), axis=1)
    return v[..., source] * turn[np.arange(3), source].astype(v.dtype)


def _conjugated(turn: np.ndarray, q: np.ndarray) -> np.ndarray:
    """R q R^-1 keeps the angle and turns the axis."""
    return np.concatenate([q[..., :1], _turned(turn, q[..., 1:])], axis=-1)


def infer_up(clip: Clip) -> tuple[str, str]:
    """The file's up axis and how it was found: from heads and feet, or for other creatures from the floor."""
    positions = sampled_positions(clip)
    if is_four_legged(clip):
        up = four_legged_axes(clip.skeleton.roles, positions)[1]
        axis = _nearest_axis(up.mean(axis=0))
        share = np.mean(up @ axis_vector(axis) > MIN_UPRIGHT_COSINE)
        return axis, f"four legs below the body along {axis} in {share:.0%} of frames"
    body, spread = _body_up(clip, positions), _floor_spread(positions)
    if body is None:
        # programs have Y or Z up; a walk straight ahead varies least along the third axis, from side to side
        if spread["Z"] < 0.5 * spread["Y"]:  # Y is by far the commonest, so Z must be clearly steadier
            return "Z", "a guess, as this is no humanoid: the lowest joint is steadier along Z than along Y"
        return "Y", "a guess, as this is no humanoid: most files are Y-up, and the motion does not speak against it"
    axis, rest = _nearest_axis(body.mean(axis=0)), _standing_axis(clip)
    upright = float(np.mean(body @ axis_vector(axis) > MIN_UPRIGHT_COSINE))
    # a body that lies all the time stays on the floor along the true up axis, but not along its spine
    odd = axis not in ("Y", "Z") or upright < 0.5 or (bool(rest) and spread[rest] < 0.5 * spread[axis])
    if rest and rest != axis and odd:
        return rest, f"a guess: the body seems to lie, but its rest pose stands along {rest}"
    stand = _stand_axis(clip, positions, body)
    if stand and stand != axis and (axis not in ("Y", "Z") or spread[stand] < spread[axis]):
        return stand, f"stands along {stand}, at its start or in a T-pose, and lies along {axis} for long"
    reason = f"head above feet along {axis} in {upright:.0%} of frames"
    return axis, reason if upright >= 0.5 else f"a guess: {reason}"


def is_four_legged(clip: Clip) -> bool:
    """Whether the rig stands on four legs: in its rest pose, or in most frames where that stands on no legs at all."""
    roles, rest = clip.skeleton.roles, rest_pose(clip.skeleton)[0][None].astype(np.float64)
    if stands_on_four_legs(roles, rest):
        return True
    return stands_on_four_legs(roles, sampled_positions(clip)) and not _standing_axis(clip)


def infer_unit(clip: Clip) -> tuple[float, str]:
    """Metres per unit of the file and how it was found: from the size of the body, compared with that of people."""
    positions = sampled_positions(clip)
    four_legged = is_four_legged(clip)
    candidates = CANDIDATES[:3] if four_legged else CANDIDATES  # animals come in all sizes
    for what, chains, person in MEASURES:
        expected = ANIMAL_LEG_METRES if four_legged else person
        lengths = [length for chain in chains if (length := _chain_length(clip, positions, chain))]
        if lengths:
            size = float(np.mean(lengths))
            unit, name, _ = min(candidates, key=lambda c: abs(np.log(size * c[0] / expected)) + np.log(c[2]))
            return unit, f"{what} {size:.4g} units; {name} make it {size * unit:.3g} m"
    pose = rest_pose(clip.skeleton)
    extent = float(np.ptp(np.concatenate([pose[0], end_positions(clip.skeleton, *pose)]), axis=0).max())
    if extent == 0:
        return 1.0, "a guess: the skeleton has no size"
    unit, name, _ = min(CANDIDATES[:3], key=lambda c: abs(np.log(extent * c[0])))
    reason = f"a guess, as no limbs are known: {extent:.4g} units across; {name} make it {extent * unit:.3g} m"
    return unit, reason


def infer_facing(clip: Clip, up: str) -> tuple[str, str]:
    """The file's axis that the body faces in its rest pose; empty where that does not stand or has no sides."""
    positions, roles = rest_pose(clip.skeleton)[0], clip.skeleton.roles
    if stands_on_four_legs(roles, positions[None].astype(np.float64)):
        ahead = _nearest_axis(four_legged_axes(roles, positions[None].astype(np.float64))[0][0])
        return ahead, f"the rest pose stands on four legs, facing {ahead}"
    pairs = [(f"left_{part}", f"right_{part}") for part in ("upper_leg", "upper_arm")]
    to_left = [positions[roles[a]] - positions[roles[b]] for a, b in pairs if a in roles and b in roles]
    if not to_left:
        return "", "not told: no humanoid"
    if _standing_axis(clip) != axis_name(up):
        return "", "not told: the rest pose does not stand upright"
    forward = np.cross(np.sum(to_left, axis=0), axis_vector(up))
    axis = _nearest_axis(forward)
    if not forward @ axis_vector(axis) > np.cos(np.pi / 8) * np.linalg.norm(forward):
        return "", "not told: the rest pose faces along no axis"
    return axis, f"the rest pose stands facing {axis}"


def sampled_positions(clip: Clip) -> np.ndarray:
    """Global positions (S, J, 3) of up to SAMPLE_FRAMES frames, evenly spread."""
    frames = np.unique(np.linspace(0, clip.frame_count - 1, SAMPLE_FRAMES).astype(int))
    return forward(clip.skeleton, clip.positions[frames], clip.rotations[frames])[0].astype(np.float64)


def _body_ends(clip: Clip) -> tuple[int, list[int]] | None:
    """The highest body part known and the lowest ones; None where roles do not name both."""
    roles = clip.skeleton.roles
    top = next((roles[r] for r in ("head", "neck", "upper_chest", "chest") if r in roles), None)
    for part in ("foot", "lower_leg", "upper_leg"):
        low = [roles[f"{side}_{part}"] for side in ("left", "right") if f"{side}_{part}" in roles]
        if low and top is not None:
            return top, low
    return None


def _body_up(clip: Clip, positions: np.ndarray) -> np.ndarray | None:
    """Unit vectors (S, 3) from the lowest body parts to the highest."""
    ends = _body_ends(clip)
    return None if ends is None else unit_vector(positions[:, ends[0]] - positions[:, ends[1]].mean(axis=1))


def _stand_axis(clip: Clip, positions: np.ndarray, body: np.ndarray) -> str:
    """The axis, Y or Z, along which a T-pose or else the first frame stands on straight legs; empty where none does."""
    if missing_roles(clip.skeleton.roles):
        return ""
    bends = limb_deviations(clip.skeleton, positions)
    frames = [int(np.argmin(bends.max(axis=-1))), 0]
    straight = [bends[frames[0]].max() < MAX_T_POSE_ANGLE, bends[0][LEG_BONES].max() < MAX_STANDING_ANGLE]
    for frame, stands in zip(frames, straight):
        axis = _nearest_axis(body[frame])
        if stands and axis in ("Y", "Z") and body[frame] @ axis_vector(axis) > MIN_UPRIGHT_COSINE:
            return axis
    return ""


def _standing_axis(clip: Clip) -> str:
    """The axis along which the rest pose has its head above its hips above its feet; empty where it does not stand."""
    positions, roles, ends = rest_pose(clip.skeleton)[0], clip.skeleton.roles, _body_ends(clip)
    body = _body_up(clip, positions[None])
    if ends is None or body is None or "hips" not in roles:
        return ""
    axis = _nearest_axis(body[0])
    heights = (positions - positions[roles["hips"]]) @ axis_vector(axis)
    stands = body[0] @ axis_vector(axis) > MIN_UPRIGHT_COSINE and heights[ends[0]] > 0 and (heights[ends[1]] < 0).all()
    return axis if stands else ""


def _chain_length(clip: Clip, positions: np.ndarray, chain: tuple[str, ...]) -> float:
    """The way along these roles, as it is in most frames; 0 where a role is missing."""
    joints = [clip.skeleton.roles[role] for role in chain if role in clip.skeleton.roles]
    if len(joints) < len(chain):
        return 0.0
    return float(np.median(np.linalg.norm(np.diff(positions[:, joints], axis=1), axis=-1).sum(axis=1)))


def _floor_spread(positions: np.ndarray) -> dict[str, float]:
    """How much the lowest joint changes height, for each way that up may be: on a floor, hardly at all."""
    return {axis: float(np.std((positions @ axis_vector(axis)).min(axis=1))) for axis in AXES}
