"""Kernels that stand in for runs of small numpy stages between devices and a trajectory."""
