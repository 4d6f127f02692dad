"""Compiled stages between devices and a trajectory."""
