"""Compiled stages of retargeting to robots."""
