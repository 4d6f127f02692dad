"""What can be wrong with a rig: no humanoid, roles unsure, unit or axis guessed, wrong size, no T-pose to be found."""

import numpy as np

from kinematch.doctor.quoting import quoted, quoted_list
from kinematch.doctor.report import Problem
from kinematch.files.units_and_axes import MIN_UPRIGHT_COSINE, infer_up, sampled_positions
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.clean.mirror import mirror_pairs
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import four_feet
from kinematch.motion.kinematics import reference_pose, rest_pose
from kinematch.motion.roles import RoleMap, find_roles
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.tpose import TPose, body_axes

STANDS = 0.1  # share of the time
FIGURE = (0.5, 3.5, 1.7)  # m, smallest and largest height of a humanoid figure, and a person's
ANIMAL = (0.1, 5.0, 0.8)  # m, likewise, of the joints of an animal on four legs
HUMAN_LEG = (0.55, 1.15)  # m, hip to ankle; children of eight to very tall adults


def find(clip: Clip, roles: RoleMap, tpose: TPose | None) -> list[Problem]:
    problems = _role_problems(clip, roles)
    source = clip.source
    problems += [Problem("note", note) for note in source.notes]
    if "guess" in source.unit_reason:
        problems.append(Problem("warning", f"unit unsure: {source.unit_reason}", f"unit = {source.unit:g}"))
    if "guess" in source.up_reason:
        problems.append(Problem("warning", f"up axis unsure: {source.up_reason}", f'up = "{source.up}"'))
    if source.format != "bvh" and source.facing not in ("", "Z") and "guess" not in source.facing_reason:
        problems.append(
            Problem("note", f"faces {source.facing} in the file ({source.facing_reason}); turned to face +Z")
        )
    if roles.humanoid or roles.four_legged:
        problems += _size_problems(clip, roles)
    if tpose is not None and "construct" in tpose.method:
        problems.append(
            Problem("note", f"no T-pose in the file: {tpose.reason}", 'tpose = "a_file_that_begins_in_T-pose.bvh"')
        )
    return problems


def _role_problems(clip: Clip, roles: RoleMap) -> list[Problem]:
    if roles.four_legged:
        what = "stands on four legs: an animal, whose forelegs have the roles of arms"
        problems = [Problem("note", what, _animal_lines(clip.skeleton, four_feet(clip.skeleton)))]
        return problems + [Problem("warning", text) for text in roles.problems]
    if not roles.humanoid and len(roles.missing) >= 8:
        return [Problem("error", roles.problems[0], _animal_lines(clip.skeleton))]
    problems = []
    if roles.missing:
        gaps = ", ".join(f'{role} = "?"' for role in roles.missing)
        problems.append(Problem("error", f"roles missing: {', '.join(roles.missing)}", f"roles = {{ {gaps} }}"))
    lines = _role_lines(clip.skeleton, roles)
    remaining = list_role_doubts(clip, roles) if roles.problems else ()
    for text in roles.problems:
        if text.split()[0] in roles.missing:
            continue
        if "_toes missing" in text:
            problems.append(Problem("note", f"{text}: contacts are taken from the foot"))
        elif text in remaining:
            problems.append(Problem("warning", text))
        else:
            problems.append(Problem("warning", text, lines))
            lines = ""  # the same lines settle the rest
    return problems


def list_role_doubts(clip: Clip, roles: RoleMap) -> tuple[str, ...]:
    """What remains doubtful once a recipe names all roles as they were found, as the builder sees it."""
    if clip.source.format in ("vrm", "vrma") or not roles.problems:
        return ()
    named = {role: clip.skeleton.names[joint] for role, joint in _main_roles(roles)}
    return find_roles(clip.skeleton, named, sampled_positions(clip)).problems


def _role_lines(skeleton: Skeleton, roles: RoleMap) -> str:
    named = [(role, skeleton.names[joint]) for role, joint in _main_roles(roles)]
    return "roles = { " + ", ".join(f"{role} = {quoted(name)}" for role, name in named) + " }"


def _main_roles(roles: RoleMap) -> list[tuple[str, int]]:
    """All but those of fingers."""
    parts = ("_proximal", "_intermediate", "_distal")
    return [(role, joint) for role, joint in roles.roles.items() if not any(part in role for part in parts)]


def _animal_lines(skeleton: Skeleton, feet: list[int] | None = None) -> str:
    """What a recipe names for a rig that is no humanoid: carrier, feet, mirror pairs. Without known feet, a guess."""
    names = skeleton.names
    fan = [len(skeleton.children(j)) for j in range(skeleton.joint_count)]
    carrier = skeleton.roles["hips"] if feet else next((j for j, count in enumerate(fan) if count > 1), 0)
    height = rest_pose(skeleton)[0][:, 1]
    leaves = [j for j, count in enumerate(fan) if not count]
    low = height.min() + 0.15 * np.ptp(height)
    on_ground = feet or [j for j in leaves if height[j] <= low] or leaves
    pairs = [(j, int(k)) for j, k in enumerate(mirror_pairs(skeleton)) if j < k]
    lines = [
        f"root_joint = {quoted(names[carrier])}",
        f"contact_joints = {quoted_list(names[j] for j in on_ground)}",
        f"mirror_pairs = [{', '.join(quoted_list((names[a], names[b])) for a, b in pairs)}]",
    ]
    return "\n".join(lines)


def _size_problems(clip: Clip, roles: RoleMap) -> list[Problem]:
    """Bodies of another size than people and animals are; figures of games have short legs and large heads."""
    length = leg_length(clip.skeleton)
    if length == 0:
        return [Problem("warning", "legs have no length in the rest pose: the motion cannot be retargeted or scaled")]
    if roles.humanoid and clip.source.format == "bvh":
        if HUMAN_LEG[0] <= length <= HUMAN_LEG[1]:
            return []
        what = f"legs are {length:.2f} m long with {clip.source.unit:g} m per unit; people's are 0.7 to 1.0 m"
        return [
            Problem("warning", what, f"scale_to_leg_length = 0.85  # or unit = {clip.source.unit * 0.85 / length:.4g}")
        ]
    unit = find_unit(clip, roles)
    if unit is None:
        return []
    height = _height(clip)
    what = (
        f"{height:.3g} m tall with {clip.source.unit:g} m per unit; {'people' if roles.humanoid else 'animals'} are not"
    )
    return [Problem("warning", what, f"unit = {unit:g}  # {height * unit / clip.source.unit:.3g} m")]


def find_unit(clip: Clip, roles: RoleMap) -> float | None:
    """Metres per unit that would make a figure of glTF, or an animal, of a likely size; None where it is already."""
    if not (roles.four_legged or (roles.humanoid and clip.source.format != "bvh")):
        return None
    smallest, largest, expected = FIGURE if roles.humanoid else ANIMAL
    height = _height(clip)
    if height == 0 or smallest <= height <= largest:
        return None
    return float(10.0 ** round(np.log10(clip.source.unit * expected / height)))


def _height(clip: Clip) -> float:
    return float(np.ptp(reference_pose(clip.skeleton)[0][:, 1]))


def find_lying(clip: Clip, roles: RoleMap) -> list[Problem]:
    """A humanoid of glTF, whose up axis is never guessed, that hardly ever stands: the axis may be wrong."""
    if not roles.humanoid or clip.source.format == "bvh" or clip.frame_count < 2:
        return []
    upright = float((body_axes(clip.skeleton, sampled_positions(clip))[:, 1, 1] > MIN_UPRIGHT_COSINE).mean())
    if upright > STANDS:
        return []
    axis, _ = infer_up(clip)
    fix = "" if axis == "Y" else f'up = "{axis}"'
    return [Problem("warning", f"lies or bends over in {1 - upright:.0%} of the frames of {clip.name!r}", fix)]
