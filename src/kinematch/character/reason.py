"""Reason: why a character searched, or why it refused an action."""

from enum import IntEnum


class Reason(IntEnum):
    """As the numbers of `Pose.reasons`."""

    NONE = 0  # it did not search
    INTERVAL = 1
    VELOCITY = 2
    FACING = 3
    END = 4  # of its clip
    TAGS = 5
    SOURCE = 6
    FIRST = 7  # it had not searched before


class Refusal(IntEnum):
    """As the numbers of `Pose.refusals`."""

    NONE = 0  # nothing was asked for, or it was entered
    BUSY = 1  # another action plays
    NO_ACTION = 2  # the source has none of this name, or the controller itself says where bodies go
    TOO_FAR = 3  # the target is beyond what clips reach
    TOO_NEAR = 4
    TURN = 5  # it is too far aside, or is to be faced from another side
    HEIGHT = 6
    EARLY = 7  # the character is on its way, and better placed later
    TIME = 8  # no clip gets there in the given time
    SPEED = 9  # the character is too slow or too fast for it, or moves another way
    CLEAR = 10  # no clip is in the air for as long
