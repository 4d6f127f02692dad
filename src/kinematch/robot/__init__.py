"""Robots with hinge joints: model files, joint angles under limits, and the files that trainers read."""
