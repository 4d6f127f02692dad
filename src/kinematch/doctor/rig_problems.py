"""What can be wrong with a rig: no humanoid, roles unsure, unit or axis guessed, wrong size, no T-pose to be found."""

import numpy as np

from kinematch.doctor.quoting import quoted, quoted_list
from kinematch.doctor.report import Problem
from kinematch.motion.clip import Clip
from kinematch.motion.edit import leg_length
from kinematch.motion.kinematics import rest_pose
from kinematch.motion.mirror import mirror_pairs
from kinematch.motion.roles import RoleMap
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.tpose import TPose

HUMAN_LEG = (0.55, 1.15)  # m, hip to ankle; children of eight to very tall adults


def find(clip: Clip, roles: RoleMap, tpose: TPose | None) -> list[Problem]:
    problems = _role_problems(clip, roles)
    source = clip.source
    problems += [Problem("note", note) for note in source.notes]
    if "guess" in source.unit_reason:
        problems.append(Problem("warning", f"unit unsure: {source.unit_reason}", f"unit = {source.unit:g}"))
    if "guess" in source.up_reason:
        problems.append(Problem("warning", f"up axis unsure: {source.up_reason}", f'up = "{source.up}"'))
    if roles.humanoid and source.format == "bvh":
        problems += _size_problems(clip)
    if tpose is not None and "construct" in tpose.method:
        problems.append(
            Problem("note", f"no T-pose in the file: {tpose.reason}", 'tpose = "a_file_that_begins_in_T-pose.bvh"')
        )
    return problems


def _role_problems(clip: Clip, roles: RoleMap) -> list[Problem]:
    if not roles.humanoid and len(roles.missing) >= 8:
        return [Problem("error", roles.problems[0], _animal_lines(clip.skeleton))]
    problems = []
    if roles.missing:
        gaps = ", ".join(f'{role} = "?"' for role in roles.missing)
        problems.append(Problem("error", f"roles missing: {', '.join(roles.missing)}", f"roles = {{ {gaps} }}"))
    lines = _role_lines(clip.skeleton, roles)
    for text in roles.problems:
        if text.split()[0] in roles.missing:
            continue
        if "_toes missing" in text:
            problems.append(Problem("note", f"{text}: contacts are taken from the foot"))
        else:
            problems.append(Problem("warning", text, lines))
            lines = ""  # the same lines settle the rest
    return problems


def _role_lines(skeleton: Skeleton, roles: RoleMap) -> str:
    main = [(role, skeleton.names[joint]) for role, joint in roles.roles.items() if "_proximal" not in role]
    main = [(role, name) for role, name in main if "_intermediate" not in role and "_distal" not in role]
    return "roles = { " + ", ".join(f"{role} = {quoted(name)}" for role, name in main) + " }"


def _animal_lines(skeleton: Skeleton) -> str:
    """A first guess at what a recipe must name for a rig that is no humanoid: carrier, feet, mirror pairs."""
    names = skeleton.names
    fan = [len(skeleton.children(j)) for j in range(skeleton.joint_count)]
    carrier = next((j for j, count in enumerate(fan) if count > 1), 0)
    height = rest_pose(skeleton)[0][:, 1]
    leaves = [j for j, count in enumerate(fan) if not count]
    low = height.min() + 0.15 * np.ptp(height)
    feet = [names[j] for j in leaves if height[j] <= low] or [names[j] for j in leaves]
    pairs = [(j, int(k)) for j, k in enumerate(mirror_pairs(skeleton)) if j < k]
    lines = [f"root_joint = {quoted(names[carrier])}", f"contact_joints = {quoted_list(feet)}"]
    lines.append(f"mirror_pairs = [{', '.join(quoted_list((names[a], names[b])) for a, b in pairs)}]")
    return "\n".join(lines)


def _size_problems(clip: Clip) -> list[Problem]:
    length = leg_length(clip.skeleton)
    if HUMAN_LEG[0] <= length <= HUMAN_LEG[1]:
        return []
    if length == 0:
        return [Problem("warning", "legs have no length in the rest pose: the motion cannot be retargeted or scaled")]
    return [
        Problem(
            "warning",
            f"legs are {length:.2f} m long with {clip.source.unit:g} m per unit; people's are 0.7 to 1.0 m",
            f"scale_to_leg_length = 0.85  # or unit = {clip.source.unit * 0.85 / length:.4g}",
        )
    ]
