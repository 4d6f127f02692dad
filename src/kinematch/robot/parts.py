"""Which link carries which part of a robot's body: by a file of roles, else by names, else by the shape of limbs."""

import re
from collections.abc import Mapping

from kinematch.errors import KinematchError, unknown
from kinematch.motion.role_names import SIDES
from kinematch.robot.limbs import PARTS, find_limb_roles
from kinematch.robot.model import RobotModel

# Words in the names of hinges and bodies; the last link so named carries the part.
SEGMENT_WORDS = {
    "upper_leg": r"hip|thigh|upper_?leg|upleg",
    "lower_leg": r"knee|shin|calf|lower_?leg|tibia",
    "foot": r"ankle|foot|sole",
    "upper_arm": r"shoulder|upper_?arm",
    "lower_arm": r"elbow|fore_?arm|lower_?arm",
    "hand": r"wrist|hand|palm",
    "head": r"head|neck",
}
ROLES = (*(f"{side}_{part}" for side in SIDES for part in SEGMENT_WORDS if part != "head"), "head")


def find_links(model: RobotModel, roles: Mapping[str, str] | None = None) -> dict[str, int]:
    """The link of each role: as `roles` says, else by names, else by the shape of limbs."""
    links, shaped = _find_by_names(model), find_limb_roles(model)
    arms_by_name = {link for role, link in links.items() if role.split("_", 1)[-1] in PARTS["arm"]}
    for kind, parts in PARTS.items():
        named = {role: links.pop(role) for role in [f"{side}_{part}" for side in SIDES for part in parts]
                 if role in links}  # fmt: skip
        mine = {role: link for role, link in shaped.items() if role.split("_", 1)[1] in parts}
        if kind == "leg" and arms_by_name & set(mine.values()):
            mine = {}  # the lowest limbs of a robot without legs
        if _is_whole(model, named, kind):  # with an ankle or a wrist of which names say nothing
            same = all(mine.get(role, link) == link for role, link in named.items())
            links |= mine | named if same else named
        else:
            links |= mine or named
    arms = [link for role, link in links.items() if role.endswith("_arm")]
    if any(links.get("head") in chain_to(model, link) for link in arms):
        del links["head"]  # a head that is welded to the chest
    everything = {name: k + 1 for k, name in enumerate(model.hinge_names)}
    everything |= {name: int(model.body_links[b]) for b, name in enumerate(model.body_names)}
    for role, name in (roles or {}).items():
        if role not in ROLES:
            raise KinematchError(unknown("role", role, ROLES))
        if name not in everything:
            raise KinematchError(f"role {role!r}: " + unknown("hinge or body", name, everything))
        links[role] = everything[name]
    return links


def _find_by_names(model: RobotModel) -> dict[str, int]:
    """Roles by the words in names of hinges and bodies; of several hinges the last."""
    links: dict[str, int] = {}
    bodies: dict[int, list[str]] = {}
    for body, link in enumerate(model.body_links):
        bodies.setdefault(int(link), []).append(model.body_names[body])
    for link in range(1, len(model.parents)):
        for name in (model.hinge_names[link - 1], *bodies.get(link, [])):
            role = _role_of(name)
            if role is not None:
                links[role] = max(link, links.get(role, 0))
                break
    return links


def _is_whole(model: RobotModel, links: Mapping[str, int], kind: str) -> bool:
    """Whether both limbs of a kind have an upper and a lower part, one below the other."""
    upper, lower, end = PARTS[kind]
    for side in SIDES:
        if f"{side}_{upper}" not in links or f"{side}_{lower}" not in links:
            return False
        chain = [links[f"{side}_{part}"] for part in (upper, lower, end) if f"{side}_{part}" in links]
        path = chain_to(model, chain[-1])
        if any(link not in path for link in chain) or sorted(set(chain)) != chain:
            return False
    return True


def _role_of(name: str) -> str | None:
    """left_hip_yaw_joint is left_upper_leg; names without a side have no role but head."""
    plain, side = _plain(name), find_side(name)
    for part, words in SEGMENT_WORDS.items():
        if re.search(words, plain):
            if part == "head":
                return "head"
            if side:
                return f"{side}_{part}"
    return None


def find_side(name: str) -> str | None:
    """left or right, by a name such as left_knee, knee_L or LeftKnee."""
    found = re.search(r"left|right|(?:^|[_\-.])([lr])(?=[_\-.]|$)", _plain(name))
    return {"l": "left", "r": "right"}[found.group(0).strip("_-.")[0]] if found else None


def _plain(name: str) -> str:
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def chain_to(model: RobotModel, link: int) -> list[int]:
    """The links from the base down to one."""
    path = [link]
    while model.parents[path[-1]] >= 0:
        path.append(int(model.parents[path[-1]]))
    return path[::-1]
