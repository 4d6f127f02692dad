"""The `[[feature]]` tables of a recipe: the papers' and the hands' for people, by joint names for animals."""

import tomllib

from kinematch.database.features import Feature
from kinematch.database.schema import default_features
from kinematch.doctor.quoting import quoted

HAND_WEIGHT = 0.3  # of a hand's velocity against a foot's: jumps are smoother by a quarter, places coarser by a cm


def humanoid_features() -> str:
    """The default features, and velocities of the hands before the trajectory's."""
    features = list(default_features())
    ahead = next(k for k, feature in enumerate(features) if feature.group == "trajectory")
    features[ahead:ahead] = [Feature("velocity", f"{side}_hand", weight=HAND_WEIGHT) for side in ("left", "right")]
    text = ""
    for one in features:
        times = ", ".join(f"{time:.6g}" for time in one.times)
        what = f"times = [{times}]\ndimensions = {one.dimensions}" if one.times else f"joint = {quoted(one.joint)}"
        weight = f"weight = {one.weight:g}\n" if one.weight != 1 else ""
        text += f'\n[[feature]]\nkind = "{one.kind}"\n{what}\n{weight}'
    return text


def animal_features(lines: list[str]) -> str:
    """Features by joint names, for rigs without roles, from the recipe lines of their source."""
    fixes = dict(line.split(" = ", 1) for line in lines if " = " in line)
    text = ""
    feet = tomllib.loads(f"joints = {fixes.get('contact_joints', '[]')}")["joints"]
    weight = f"weight = {2 / len(feet):g}\n" if len(feet) > 2 else ""  # against the trajectory, as much as two feet
    for joint in feet:
        for kind in ("position", "velocity"):
            text += f'\n[[feature]]\nkind = "{kind}"\njoint = {quoted(joint)}\n{weight}'
    if "root_joint" in fixes:
        text += f'\n[[feature]]\nkind = "velocity"\njoint = {fixes["root_joint"]}\n'
    for kind in ("trajectory_position", "trajectory_direction"):
        text += f'\n[[feature]]\nkind = "{kind}"\ntimes = [0.33, 0.67, 1.0]\n'
    return text
