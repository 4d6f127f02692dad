"""Reason: why a character searched."""

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
