"""Pose and feature databases: built from a recipe, kept in one file."""
