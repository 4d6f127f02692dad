"""Retargeting: the same motion on another rig."""
