"""Humanoid roles from the shape of a skeleton alone: paired limbs, bone lengths, and which way the toes point."""

from collections.abc import Mapping

import numpy as np

from kinematch.motion.skeleton import Skeleton

_SIMILAR = 0.75  # the shorter of two paired limbs is at least this part of the longer
_STILL_A_BONE = 0.02  # of the limb's length; shorter ones are doubled joints
_FLAT = 0.3  # below this the toes point along the body, as in rest poses where all bones lie on one axis


def from_topology(skeleton: Skeleton, poses: np.ndarray) -> tuple[dict[str, int], list[str]]:
    """Roles of the body without fingers and face, and what could not be told; empty when this is no humanoid."""
    lengths = np.linalg.norm(skeleton.offsets, axis=-1).astype(float)
    lengths[0] = 0
    reach = _reach(skeleton, lengths)
    pairs = _pairs(skeleton, lengths, reach)
    best: tuple[float, dict[str, int]] | None = None
    for legs_at, left_leg, right_leg in pairs:
        for arms_at, left_arm, right_arm in pairs:
            way = skeleton.chain(arms_at)
            if legs_at == arms_at or legs_at not in way or left_leg in way or right_leg in way:
                continue
            roles = {"hips": legs_at}
            ends = [_limb(skeleton, lengths, reach, joint, 1.0) for joint in (left_leg, right_leg)]
            hands = [_limb(skeleton, lengths, reach, joint, 0.85) for joint in (left_arm, right_arm)]
            if not all(ends) or not all(hands):
                continue
            for side, limb in zip(("left", "right"), ends):
                roles |= {f"{side}_{part}": j for part, j in limb.items() if part != "before"}
            for side, limb in zip(("left", "right"), hands):
                names = {"before": "shoulder", "upper_leg": "upper_arm", "lower_leg": "lower_arm", "foot": "hand"}
                roles |= {f"{side}_{names[part]}": j for part, j in limb.items() if part in names}
            head = _head(skeleton, lengths, reach, arms_at, (left_arm, right_arm))
            if head is None:
                continue
            roles["head"] = head
            spine = next(j for j in skeleton.chain(arms_at) if j > legs_at and legs_at in skeleton.chain(j))
            roles["spine"] = spine
            size = reach[left_leg] + reach[right_leg] + reach[left_arm] + reach[right_arm]
            if best is None or size > best[0]:
                best = size, roles
    if best is None:
        return {}, []
    roles = best[1]
    if _on_all_fours(roles, poses):
        return {}, ["four legs and a level spine: not a humanoid"]
    vote = side_vote(skeleton, roles, poses)
    if vote < 0:
        other = {"left": "right", "right": "left"}
        swapped = {f"{other[r.partition('_')[0]]}_{r.partition('_')[2]}": j for r, j in roles.items() if "_" in r}
        roles = {r: j for r, j in roles.items() if "_" not in r} | swapped
    if vote == 0:
        return roles, ["left and right could not be told: give a pose in which toes point forward, or override roles"]
    return roles, ["left and right told from where the toes point"]


def side_vote(skeleton: Skeleton, roles: Mapping[str, int], poses: np.ndarray) -> float:
    """Above 0 when the left leg lies to the left of where body and toes say, below when to the right, 0 if unclear."""
    needed = ("hips", "head", "left_upper_leg", "right_upper_leg")
    if any(role not in roles for role in needed):
        return 0.0
    hips, head, left, right = (poses[:, roles[role]] for role in needed)
    ahead = _ahead(skeleton, roles, poses)
    if ahead is None:
        return 0.0
    to_left = np.cross(_unit(head - hips), _unit(ahead))
    votes = np.sum(_unit(left - right) * to_left, axis=-1)
    clear = votes[np.abs(votes) > _FLAT]
    return float(np.mean(np.sign(clear))) if len(clear) else 0.0


def _ahead(skeleton: Skeleton, roles: Mapping[str, int], poses: np.ndarray) -> np.ndarray | None:
    """Where the feet point (F, 3), or where the knees do for a rig without toes."""
    total = np.zeros_like(poses[:, 0])
    for side in ("left", "right"):
        leg = [roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        if None in leg:
            continue
        hip, knee, foot = (poses[:, j] for j in leg if j is not None)
        below = roles.get(f"{side}_toes") or next(iter(skeleton.children(leg[2] or 0)), None)
        if below is not None and np.linalg.norm(skeleton.offsets[below]) > 0:
            total += _unit(poses[:, below] - foot)
        else:
            bend = knee - (hip + foot) / 2
            # a knee that is straight to within 2% of the leg points nowhere
            total += bend * (np.linalg.norm(bend, axis=-1, keepdims=True) > 0.02 * np.linalg.norm(hip - foot))
    return total if total.any() else None


def _unit(v: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(size > 0, size, 1)


def _reach(skeleton: Skeleton, lengths: np.ndarray) -> np.ndarray:
    """The longest way down from each joint, the bone that leads to it included."""
    below: np.ndarray = np.zeros(skeleton.joint_count)
    np.maximum.at(below, skeleton.end_parents, np.linalg.norm(skeleton.end_offsets, axis=-1))
    for j in range(skeleton.joint_count - 1, 0, -1):
        parent = skeleton.parents[j]
        below[parent] = max(below[parent], below[j] + lengths[j])
    return below + lengths


def _pairs(skeleton: Skeleton, lengths: np.ndarray, reach: np.ndarray) -> list[tuple[int, int, int]]:
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
            best = {"upper_leg": upper, "lower_leg": lower, "foot": last}
            if i + 3 < len(places):
                best["toes"] = places[i + 3]
            if i > 0:
                best["before"] = places[i - 1]
    return best


def _head(skeleton: Skeleton, lengths: np.ndarray, reach: np.ndarray, branch: int, arms: tuple[int, int]) -> int | None:
    """Up from between the shoulders: the first joint that carries several (eyes, jaw), or the last but its own end."""
    rest = [c for c in skeleton.children(branch) if c not in arms]
    if not rest:
        return None
    chain = [max(rest, key=lambda c: reach[c])]
    while len(children := skeleton.children(chain[-1])) == 1:
        chain.append(children[0])
    # neck bones are of like length; a last bone unlike them that carries nothing leads to the crown
    bare = not children and reach[chain[-1]] == lengths[chain[-1]]
    if bare and len(chain) > 2 and not 0.8 < lengths[chain[-1]] / max(lengths[chain[-2]], 1e-9) < 1.2:
        return chain[-2]
    return chain[-1]


def _on_all_fours(roles: Mapping[str, int], poses: np.ndarray) -> bool:
    """Whether arms and legs hang alike across a level spine, as a dog's do."""
    at = {role: poses[:, joint] for role, joint in roles.items()}
    spine = _unit(at["head"] - at["hips"])
    legs = [_unit(at[f"{s}_foot"] - at[f"{s}_upper_leg"]) for s in ("left", "right")]
    arms = [_unit(at[f"{s}_hand"] - at[f"{s}_upper_arm"]) for s in ("left", "right")]
    across = [np.abs(np.sum(spine * leg, axis=-1)) < 0.6 for leg in (*legs, *arms)]
    alike = [np.sum(a * b, axis=-1) > 0.8 for a, b in zip(legs, arms)]
    return bool(np.mean(np.all([*across, *alike], axis=0)) > 0.5)
