"""Humanoid roles from the shape of a skeleton alone: paired limbs, bone lengths, and which way the body faces."""

from collections.abc import Mapping

import numpy as np

from kinematch.math.quaternion import unit
from kinematch.motion.skeleton import Skeleton

_SIMILAR = 0.75  # the shorter of two paired limbs is at least this part of the longer
_STILL_A_BONE = 0.02  # of the limb's length; shorter ones are doubled joints
_LEGS = (("upper_arm", "hand"), ("upper_leg", "foot"))
_UNCLEAR = 0.1  # of two feet that point ahead; less is chance, as where all bones lie on one axis


def from_topology(skeleton: Skeleton, poses: np.ndarray) -> tuple[dict[str, int], list[str]]:
    """Roles of limbs, hips and head, and what could not be found; empty when this is no humanoid."""
    lengths = np.linalg.norm(skeleton.offsets, axis=-1).astype(float)
    lengths[0] = 0
    reach = _reach(skeleton, lengths)
    pairs = _pairs(skeleton, reach)
    best, best_size = None, 0.0
    for legs in pairs:
        for arms in pairs:
            size = sum(reach[joint] for pair in (legs, arms) for joint in pair[1:])
            if size > best_size and (roles := _body(skeleton, lengths, reach, legs, arms)):
                best, best_size = roles, size
    if best is None:
        return {}, []
    roles = best
    across = [unit(poses[:, roles[f"left_{p}"]] - poses[:, roles[f"right_{p}"]]) for p in ("upper_arm", "upper_leg")]
    if np.sum(across[0] * across[1]) < 0:
        roles = _swapped(roles, ("shoulder", "upper_arm", "lower_arm", "hand"))
    vote = side_vote(skeleton, roles, poses)
    if vote == 0:
        return roles, ["left and right could not be told: give a pose in which the toes point ahead, or override roles"]
    return roles if vote > 0 else _swapped(roles), ["left and right told from where feet, knees and elbows point"]


def _body(
    skeleton: Skeleton, lengths: np.ndarray, reach: np.ndarray, legs: tuple[int, ...], arms: tuple[int, ...]
) -> dict[str, int]:
    """Roles if one pair of limbs are legs and another the arms above them; empty if they cannot be."""
    way = skeleton.chain(arms[0])
    if legs[0] not in way[:-1] or legs[1] in way or legs[2] in way:
        return {}
    head = _head(skeleton, lengths, reach, arms)
    if head is None:
        return {}
    roles = {"hips": legs[0], "head": head}
    kinds = (
        (legs, 1.0, {"upper": "upper_leg", "lower": "lower_leg", "last": "foot", "after": "toes"}),
        (arms, 0.85, {"before": "shoulder", "upper": "upper_arm", "lower": "lower_arm", "last": "hand"}),
    )
    for pair, ratio, parts in kinds:
        for side, joint in zip(("left", "right"), pair[1:]):
            limb = _limb(skeleton, lengths, reach, joint, ratio)
            if not limb:
                return {}
            roles |= {f"{side}_{parts[part]}": j for part, j in limb.items() if part in parts}
    return roles


def _swapped(roles: Mapping[str, int], parts: tuple[str, ...] = ()) -> dict[str, int]:
    """Left and right exchanged, for some parts or for all."""
    other = {"left": "right", "right": "left"}
    exchanged = {}
    for role, joint in roles.items():
        side, _, part = role.partition("_")
        exchanged[f"{other[side]}_{part}" if side in other and (not parts or part in parts) else role] = joint
    return exchanged


def side_vote(skeleton: Skeleton, roles: Mapping[str, int], poses: np.ndarray) -> float:
    """Above 0 when the left leg lies to the left of where the body faces, below when to the right, 0 if unclear."""
    needed = ("hips", "head", "left_upper_leg", "right_upper_leg")
    if any(role not in roles for role in needed):
        return 0.0
    hips, head, left, right = (poses[:, roles[role]] for role in needed)
    limbs = [f"{side}_{part}" for side in ("left", "right") for leg in _LEGS for part in leg]
    if all(role in roles for role in limbs) and on_all_fours(roles, poses):
        ahead, up = four_legged_axes(roles, poses)
        return float(np.sum(unit(left - right) * np.cross(up, ahead), axis=-1).mean())
    ahead = _ahead(skeleton, roles, poses)
    votes = np.sum(unit(left - right) * np.cross(unit(head - hips), ahead), axis=-1)
    vote = float(votes.mean())
    return vote if abs(vote) > _UNCLEAR else 0.0


def _ahead(skeleton: Skeleton, roles: Mapping[str, int], poses: np.ndarray) -> np.ndarray:
    """Where the body faces (F, 3), by where feet and knees point and elbows do not."""
    ahead = np.zeros_like(poses[:, 0])
    for side in ("left", "right"):
        for parts, sign in ((("upper_leg", "lower_leg", "foot"), 1), (("upper_arm", "lower_arm", "hand"), -1)):
            if all(f"{side}_{part}" in roles for part in parts):
                start, middle, stop = (poses[:, roles[f"{side}_{part}"]] for part in parts)
                length = np.linalg.norm(middle - start, axis=-1, keepdims=True)
                ahead += sign * (middle - (start + stop) / 2) / np.where(length > 0, length, 1)
        foot = roles.get(f"{side}_foot")
        if foot is not None:
            toes = roles.get(f"{side}_toes", next(iter(skeleton.children(foot)), foot))
            ahead += unit(poses[:, toes] - poses[:, foot])
    return ahead


def _reach(skeleton: Skeleton, lengths: np.ndarray) -> np.ndarray:
    """The longest way down from each joint, the bone that leads to it included."""
    below: np.ndarray = np.zeros(skeleton.joint_count)
    np.maximum.at(below, skeleton.end_parents, np.linalg.norm(skeleton.end_offsets, axis=-1))
    for j in range(skeleton.joint_count - 1, 0, -1):
        parent = skeleton.parents[j]
        below[parent] = max(below[parent], below[j] + lengths[j])
    return below + lengths


def _pairs(skeleton: Skeleton, reach: np.ndarray) -> list[tuple[int, int, int]]:
    """(parent, child, child) for children that carry limbs of like length and at least three joints each."""
    depth = np.zeros(skeleton.joint_count, int)
    for j in range(skeleton.joint_count - 1, 0, -1):
        depth[skeleton.parents[j]] = max(depth[skeleton.parents[j]], depth[j] + 1)
    pairs = []
    for parent in range(skeleton.joint_count):
        children = [c for c in skeleton.children(parent) if depth[c] >= 2]
        for i, a in enumerate(children):
            for b in children[i + 1 :]:
                like = min(reach[a], reach[b]) >= _SIMILAR * max(reach[a], reach[b])
                if like and depth[a] == depth[b]:
                    pairs.append((parent, a, b))
    return pairs


def _limb(skeleton: Skeleton, lengths: np.ndarray, reach: np.ndarray, joint: int, ratio: float) -> dict[str, int]:
    """Upper, lower and last joint of a limb: the two long bones in a row whose ratio is most like a human's."""
    chain = [joint]
    while children := skeleton.children(chain[-1]):
        chain.append(max(children, key=lambda c: reach[c]))
    # joints in one place are one joint to the eye; the first of them carries the rotation
    places = chain[:1] + [j for j in chain[1:] if lengths[j] > _STILL_A_BONE * reach[joint]]
    best, score = {}, -np.inf
    for i in range(len(places) - 2):
        upper, lower, last = places[i : i + 3]
        if lengths[lower] == 0 or lengths[last] == 0:
            continue
        odd = np.log(lengths[last] / lengths[lower] / ratio) / 0.25
        value = 3 * np.log(lengths[lower] + lengths[last]) - odd**2
        if value > score:
            score = value
            best = {"upper": upper, "lower": lower, "last": last}
            if i + 3 < len(places):
                best["after"] = places[i + 3]
            if i > 0:
                best["before"] = places[i - 1]
    return best


def _head(skeleton: Skeleton, lengths: np.ndarray, reach: np.ndarray, arms: tuple[int, ...]) -> int | None:
    """Up from between the shoulders: the first joint that carries several (eyes, jaw), or the last but its own end."""
    rest = [c for c in skeleton.children(arms[0]) if c not in arms]
    if not rest:
        return None
    chain = [max(rest, key=lambda c: reach[c])]
    while len(children := skeleton.children(chain[-1])) == 1:
        chain.append(children[0])
    # neck bones are of like length; a last bone unlike them that carries nothing leads to the crown
    bare = not children and reach[chain[-1]] == lengths[chain[-1]]
    if bare and len(chain) > 2 and abs(lengths[chain[-1]] - lengths[chain[-2]]) > 0.2 * lengths[chain[-2]]:
        return chain[-2]
    return chain[-1]


def on_all_fours(roles: Mapping[str, int], poses: np.ndarray) -> bool:
    """Whether arms and legs hang alike across a level spine, as a dog's do."""
    at = {role: poses[:, joint] for role, joint in roles.items()}
    spine = unit(at["head"] - at["hips"])
    legs = [unit(at[f"{s}_foot"] - at[f"{s}_upper_leg"]) for s in ("left", "right")]
    arms = [unit(at[f"{s}_hand"] - at[f"{s}_upper_arm"]) for s in ("left", "right")]
    across = [np.abs(np.sum(spine * leg, axis=-1)) < 0.6 for leg in (*legs, *arms)]
    alike = [np.sum(a * b, axis=-1) > 0.8 for a, b in zip(legs, arms)]
    return bool(np.mean(np.all([*across, *alike], axis=0)) > 0.5)


def four_legged_axes(roles: Mapping[str, int], poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where an animal faces, from hind legs to forelegs, and its up, along all four legs: unit vectors (F, 3) each."""
    at = {role: poses[:, joint] for role, joint in roles.items()}
    front, back = (sum(at[f"{s}_{part}"] for s in ("left", "right")) for part in ("upper_arm", "upper_leg"))
    limbs = [(f"{s}_{start}", f"{s}_{end}") for s in ("left", "right") for start, end in _LEGS]
    return unit(front - back), unit(sum(unit(at[start] - at[end]) for start, end in limbs))
