"""Reason: why a character searched."""

from enum import IntEnum

from kinematch.character.kernels import step as k


class Reason(IntEnum):
    """As numbers that kernels write."""

    NOT_YET = k.NOT_YET
    INTERVAL = k.INTERVAL
    VELOCITY = k.VELOCITY
    FACING = k.FACING
    END = k.END
    TAGS = k.TAGS
    DATABASE = k.DATABASE
