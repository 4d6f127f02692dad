"""Pure functions of arrays: quaternions, conversions, differences, springs, smoothing."""

from kinematch.math import quaternion, rotation

__all__ = ["quaternion", "rotation"]
