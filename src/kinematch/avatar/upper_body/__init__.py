"""The upper body: head and wrists exactly where they are tracked, everything between them as bodies do it."""

from kinematch.avatar.upper_body.layer import UpperBody

__all__ = ["UpperBody"]
