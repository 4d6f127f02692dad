"""Robots in MuJoCo: what their motion would take, and environments in which policies learn to follow a reference."""
