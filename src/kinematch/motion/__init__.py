"""Skeletons, clips, and what can be done to them."""
