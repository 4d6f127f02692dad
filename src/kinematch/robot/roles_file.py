"""Files that name the parts of a robot, for models whose names and limbs do not determine them."""

import tomllib
from pathlib import Path

import numpy as np

from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files.reading import opened
from kinematch.files.toml import parse_toml
from kinematch.math import quaternion
from kinematch.robot.model import TO_FILE, RobotModel
from kinematch.robot.parts import ROLES, find_links
from kinematch.robot.segments import REQUIRED_SEGMENTS
from kinematch.writing import write_beside

MAX_BYTES = 1 << 20
GUIDE = """\
# Parts of the robot {name}. Each line names the last hinge of a part, or a body that it carries; remove the # of
# lines to fill in. Needed: {needed}.
"""


def read_roles(path: Path) -> dict[str, str]:
    """Role -> name of a hinge or body."""
    with opened(path, "a file of roles") as (file, size):
        if size > MAX_BYTES:
            raise FileError(path, f"is {size / 1e6:.0f} MB long, expected at most {MAX_BYTES / 1e6:.0f}")
        content = file.read(MAX_BYTES)
    try:
        found = parse_toml(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(path, f'is not TOML: {error}; expected lines such as left_hand = "hinge"') from None
    for role, name in found.items():
        if role not in ROLES:
            raise FileError(path, unknown("role", role, ROLES))
        if not isinstance(name, str):
            raise FileError(path, f"role {role!r} is {name!r}, expected the name of a hinge or body")
    return found


def write_template(path: Path, model: RobotModel) -> None:
    """A file with what was found, and the tree of hinges to choose from."""
    try:
        links = find_links(model)
    except KinematchError:
        links = {}
    lines = [GUIDE.format(name=" ".join(model.name.split()), needed=", ".join(REQUIRED_SEGMENTS))]
    for role in ROLES:
        known = role in links and links[role] > 0
        value = model.hinge_names[links[role] - 1] if known else ""
        lines.append(f"{'' if known else '# '}{role} = {_quote(value)}")
    lines += ["", "# Hinges by what carries them; where each lies at angles zero, m (x ahead, y left, z up), and axis:"]
    lines += [f"# {line}" for line in describe_tree(model)]
    write_beside(path, ("\n".join(lines) + "\n").encode())


def describe_tree(model: RobotModel) -> list[str]:
    """A line for each hinge, indented by its depth."""
    positions, rotations = model.place_links(np.zeros(3), model.standing, np.zeros(model.hinge_count))
    axes = quaternion.rotate(rotations, model.axes)
    depths = [0] * len(model.parents)
    lines = []
    for link in range(1, len(model.parents)):
        depths[link] = depths[model.parents[link]] + 1
        place = " ".join(f"{value:.2f}" for value in positions[link][TO_FILE] + 0.0)
        axis = " ".join(f"{value:.1f}" for value in axes[link][TO_FILE] + 0.0)
        name = " ".join(model.hinge_names[link - 1].split())
        lines.append(f"{'  ' * (depths[link] - 1)}{name}  at {place}  about {axis}")
    return lines


def _quote(text: str) -> str:
    """A basic string of TOML."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'
