"""Pure functions of arrays: quaternions, conversions, differences, springs, smoothing."""
