"""The built-in motion: a procedural walker, so that everything runs with no download."""

from kinematch.synth import quadruped
from kinematch.synth.gait import POSTURES, BodyCarriage
from kinematch.synth.locomotion import Motion, make_locomotion, make_locomotion_with_truth, motions, perform
from kinematch.synth.path import GroundPath, Move, path_of_moves, path_through
from kinematch.synth.skeleton import skeleton
from kinematch.synth.walker import SynthClip, walk, walk_along

__all__ = [
    "POSTURES",
    "BodyCarriage",
    "GroundPath",
    "Motion",
    "Move",
    "SynthClip",
    "make_locomotion",
    "make_locomotion_with_truth",
    "motions",
    "path_of_moves",
    "path_through",
    "perform",
    "quadruped",
    "skeleton",
    "walk",
    "walk_along",
]
