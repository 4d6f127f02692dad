"""The character: from a command to a full-body pose, for one or many at once."""

from kinematch.character.crowd import Crowd
from kinematch.character.pose import Pose
from kinematch.character.settings import Settings
from kinematch.character.warm_up import warm_up
from kinematch.control.command import Command

__all__ = ["Command", "Crowd", "Pose", "Settings", "warm_up"]
