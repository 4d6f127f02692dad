"""`kinematch evaluate`: what can be scored, one subcommand each; a character where none is named."""

from kinematch.cli.evaluate_actions import actions
from kinematch.cli.evaluate_avatar import avatar
from kinematch.cli.evaluate_camera import camera
from kinematch.cli.evaluate_character import character
from kinematch.cli.evaluate_learned import learned
from kinematch.cli.evaluate_retarget import retarget
from kinematch.cli.evaluate_robot import robot
from kinematch.errors import KinematchError

evaluate = {
    "character": character,
    "avatar": avatar,
    "camera": camera,
    "retarget": retarget,
    "robot": robot,
    "learned": learned,
    "actions": actions,
}
# what used to be options of one long command
OLD_OPTIONS = {
    "--vr": "avatar", "--camera": "camera", "--retarget": "retarget", "--robot": "robot", "--learned": "learned",
}  # fmt: skip


def find_subcommand(arguments: list[str]) -> list[str]:
    """The arguments with the subcommand in front."""
    first = arguments[0] if arguments else ""
    if first in evaluate or first in ("-h", "--help"):
        return arguments
    for option, name in OLD_OPTIONS.items():
        if any(one.split("=")[0] == option for one in arguments):
            raise KinematchError(f"{option} is now a subcommand: `kinematch evaluate {name}` (--help explains it)")
    return ["character", *arguments]
