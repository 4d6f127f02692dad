"""The fields of databases and models in files: names, types, shapes and ranges, as all readers check them.

Sizes: F frames, J joints, E chain ends, C clips, K contacts, T tags, D feature columns, M joints that move in their
parent's space, R runs of equal cost factors, S segments, P root places, N clips that are no mirror images, B entries of
a codebook, Z latents, L clips of a codebook. Other sizes have their names in full.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kinematch.database.features import AXES, BUILT_IN, LARGEST_WEIGHT, LONGEST_TIME, Feature
from kinematch.database.file_checks import (
    ArrayRule,
    FieldRules,
    ListOf,
    Number,
    Sizes,
    TableOf,
    Text,
    check_arrays,
    check_value,
)
from kinematch.database.schema import FeatureSchema
from kinematch.errors import KinematchError
from kinematch.motion.clip import MAX_FRAME_RATE, MIN_FRAME_RATE
from kinematch.motion.skeleton import LARGEST_LENGTH, Skeleton

FASTEST_DATABASE = 1e4  # frames per second: ten times what a recipe may say
FASTEST_MOTION = LARGEST_LENGTH * MAX_FRAME_RATE  # m/s
FASTEST_TURN = 4 * MAX_FRAME_RATE  # rad/s: half a turn a frame
LARGEST_FEATURE = 1e15  # squares of float32 stay far from overflow
SMALLEST_SCALE = 1e-15  # of a feature; what is divided by it stays finite
LARGEST_FACTOR = 1e30  # of a cost: marks that overlap multiply theirs
LARGEST_WIDTH = 1e6  # columns of one feature
LONGEST_TAIL = 1e9  # s, the most that a recipe may say

WEIGHT = Number(0, LARGEST_WEIGHT)
FEATURE = FieldRules(
    {"kind": Text()},
    {
        "joint": Text(), "times": ListOf(Number(-LONGEST_TIME, LONGEST_TIME)), "dimensions": Number(2, 3, whole=True),
        "axis": Text(AXES), "weight": WEIGHT, "name": Text(), "width": Number(0, LARGEST_WIDTH, whole=True),
        "group": Text(("pose", "trajectory")),
    },
)  # fmt: skip
SHARED_VALUES = {
    "skeleton": FieldRules({"names": ListOf(Text(), least=1), "roles": TableOf(Number(0, 1e6, whole=True))}, {}),
    "frame_rate": Number(MIN_FRAME_RATE, FASTEST_DATABASE),
    "schema": ListOf(FEATURE, least=1),
    "tags": ListOf(Text(), unique=True),
}
DATABASE_VALUES = FieldRules(
    {
        **SHARED_VALUES,
        "clips": ListOf(Text(), least=1),
        "normalisation": Text(("block", "column", "none")),
        "tail": Number(0, LONGEST_TAIL),
        "weights": FieldRules({"features": TableOf(WEIGHT), "responsiveness": WEIGHT, "quality": WEIGHT}, {}),
        "more": FieldRules({}, {"warnings": ListOf(Text()), "recipe": Text()}, strict=False),
    },
    {
        "filter": Text(),  # files written before there was a filter have none
        "packed": FieldRules({"pace_step": Number(0, FASTEST_MOTION)}, {"layout": Number(1, 100, whole=True)}),
        "transport": TableOf(),
        "actions": ListOf(Text(), unique=True),  # and files without actions
    },
    strict=False,
)
_LAYERS = FieldRules({"layers": Number(1, 100, whole=True)}, {})
MODEL_VALUES = FieldRules(
    {
        **SHARED_VALUES,
        "filter": Text(),
        "networks": FieldRules({"decompressor": _LAYERS, "stepper": _LAYERS}, {"projector": _LAYERS}),
        "scores": TableOf(),
        "trained": TableOf(),
    },
    {},
    strict=False,
)

LENGTH = (-LARGEST_LENGTH, LARGEST_LENGTH)
FEATURES = (-LARGEST_FEATURE, LARGEST_FEATURE)
SKELETON = {
    "skeleton.parents": ArrayRule("i4", "J", -1, below="J"),
    "skeleton.offsets": ArrayRule("f4", "J 3", *LENGTH),
    "skeleton.rotations": ArrayRule("f4", "J 4", unit=True),
    "skeleton.end_parents": ArrayRule("i4", "E", 0, below="J"),
    "skeleton.end_offsets": ArrayRule("f4", "E 3", *LENGTH),
    "skeleton.file_order": ArrayRule("i4", "J", 0, below="J"),
    "skeleton.tpose": ArrayRule("f4", "J 4", unit=True, optional=True),
}
CLIPS = {  # what all forms of a database keep as it is
    "poses.contact_joints": ArrayRule("i4", "K", 0, below="J"),
    "poses.clip_starts": ArrayRule("i4", "C", 0),
    "poses.clip_stops": ArrayRule("i4", "C", 1),
    "poses.clip_loops": ArrayRule("?", "C"),
    "poses.loop_positions": ArrayRule("f4", "C 3", *LENGTH),
    "poses.loop_rotations": ArrayRule("f4", "C 4", unit=True),
    "features.offset": ArrayRule("f4", "D", *FEATURES),
    "features.scale": ArrayRule("f4", "D", SMALLEST_SCALE, LARGEST_FEATURE),
}
ACTIONS = {  # where a database has some; their numbers are checked as it is made
    "actions.stretches": ArrayRule("i4", "stretches 4", 0),
    "actions.targets": ArrayRule("i4", "stretches", -1),
    "actions.events": ArrayRule("i4", "events 3", 0),
    "actions.points": ArrayRule("f4", "events 3", *LENGTH),
}
# each form has these besides, and the skeleton
PLAIN = {
    "poses.positions": ArrayRule("f4", "F J 3", *LENGTH),
    "poses.rotations": ArrayRule("f4", "F J 4", unit=True),
    "poses.velocities": ArrayRule("f4", "F J 3", -FASTEST_MOTION, FASTEST_MOTION),
    "poses.angular_velocities": ArrayRule("f4", "F J 3", -FASTEST_TURN, FASTEST_TURN),
    "poses.contacts": ArrayRule("?", "F K"),
    "poses.tags": ArrayRule("?", "F T"),
    "poses.no_entry": ArrayRule("?", "F"),
    "poses.no_exit": ArrayRule("?", "F"),
    "poses.cost_factor": ArrayRule("f4", "F", 0, LARGEST_FACTOR),
    "features.values": ArrayRule("f4", "F D", *FEATURES),
    "features.targets": ArrayRule("?", "F"),
}
PACKED = {
    "packed.data": ArrayRule("u1", "bytes"),
    "packed.raw": ArrayRule("?", "S"),
    "packed.offsets": ArrayRule("i4", "S+1", 0),
    "packed.moving": ArrayRule("i4", "M", 1, below="J"),
    "packed.rest": ArrayRule("f4", "J 3", *LENGTH),
    "packed.centres": ArrayRule("f4", "S M 3", *LENGTH),
    "packed.roots": ArrayRule("u2", "P 3"),
    "packed.root_heights": ArrayRule("f4", "F", *LENGTH, optional=True),  # of actions
    "packed.root_bases": ArrayRule("f4", "S 3", *LENGTH),
    "packed.root_steps": ArrayRule("f4", "S 3", *LENGTH),
    "packed.originals": ArrayRule("i4", "C", -1, below="C"),
    "packed.features": ArrayRule("u2", "F D"),
    "packed.feature_bases": ArrayRule("f4", "D", *FEATURES),
    "packed.feature_steps": ArrayRule("f4", "D", *FEATURES),
    "packed.flags": ArrayRule("u1", "F flag_bytes"),
    "packed.contact_left": ArrayRule("u1", "F K"),
    "packed.toe_heights": ArrayRule("u2", "F K"),
    "packed.toe_bases": ArrayRule("f4", "K", *LENGTH),
    "packed.toe_steps": ArrayRule("f4", "K", *LENGTH),
    "packed.paces": ArrayRule("u2", "F"),
    "mirror.partners": ArrayRule("i4", "J", 0, below="J"),
    "mirror.left": ArrayRule("f4", "J 4", unit=True),
    "mirror.right": ArrayRule("f4", "J 4", unit=True),
    "mirror.place_maps": ArrayRule("f4", "M 3 4", *LENGTH),
    "marks.bits": ArrayRule("u1", "F mark_bytes"),
    "marks.factor_starts": ArrayRule("i4", "R", 0, below="F"),
    "marks.factors": ArrayRule("f4", "R", 0, LARGEST_FACTOR),
}
TRANSPORT = {
    "transport.small": ArrayRule("u1", "small_bytes"),
    "transport.large": ArrayRule("u1", "large_bytes"),
    "transport.flags": ArrayRule("u1", "flag_bytes"),
    "transport.originals": ArrayRule("i4", "C", -1, below="C"),
    "transport.shares": ArrayRule("f4", "N", 1e-6, 1e6),
    "transport.centres": ArrayRule("u1", "N J-1 4"),
    "transport.moving": ArrayRule("i4", "M", 1, below="J"),
    "transport.rest": ArrayRule("f4", "J 3", *LENGTH),
    "transport.error": ArrayRule("f8", "1", 1e-9, 1e3),
    "transport.factor_starts": ArrayRule("i4", "R", 0, below="F"),
    "transport.factors": ArrayRule("f4", "R", 0, LARGEST_FACTOR),
}
MODEL = {
    "contact_joints": ArrayRule("i4", "K", 0, below="J"),
    "feature_offset": ArrayRule("f4", "D", *FEATURES),
    "feature_scale": ArrayRule("f4", "D", SMALLEST_SCALE, LARGEST_FEATURE),
    "feature_weights": ArrayRule("f4", "D", 0, LARGEST_WEIGHT**2),
    "rest": ArrayRule("f4", "J 3", *LENGTH),
    "moving": ArrayRule("i4", "M", 1, below="J"),
    "codebook.frames": ArrayRule("i4", "B", 0),
    "codebook.features": ArrayRule("u1", "B D"),
    "codebook.latents": ArrayRule("u1", "B Z"),
    "codebook.tags": ArrayRule("u1", "B tag_bytes"),
    "codebook.cost_factor": ArrayRule("f2", "B", 0),
    "codebook.lowest": ArrayRule("f4", "D+Z", *FEATURES),
    "codebook.step": ArrayRule("f4", "D+Z", 0, LARGEST_FEATURE),
    "codebook.clip_starts": ArrayRule("i4", "L", 0, below="B"),
    "codebook.clip_stops": ArrayRule("i4", "L", 1),
    "limits": ArrayRule("f4", "2 D+Z", *FEATURES),
}


def list_layers(name: str, layers: int, inputs: str, outputs: str) -> dict[str, ArrayRule]:
    """The rows of a network of a model; between its layers are as many numbers as its weights say."""
    widths = [inputs, *(f"{name}_{number}" for number in range(1, layers)), outputs]
    rows = {f"{name}.weight.{n}": ArrayRule("f2", f"{widths[n]} {widths[n + 1]}") for n in range(layers)}
    rows |= {f"{name}.bias.{n}": ArrayRule("f2", widths[n + 1]) for n in range(layers)}
    return rows | {f"{name}.skip": ArrayRule("f2", f"{name}_skip {outputs}", optional=True)}


def read_values(
    about: dict[str, Any], values: FieldRules, arrays: Mapping[str, np.ndarray]
) -> tuple[Skeleton, FeatureSchema, Sizes]:
    """What all readers begin with: plain values are checked, then the skeleton and the schema are made of them."""
    check_value(about, values, "")
    sizes = {"J": len(about["skeleton"]["names"]), "T": len(about["tags"])}
    check_arrays(arrays, SKELETON, sizes)
    skeleton = Skeleton(
        names=tuple(about["skeleton"]["names"]), roles=about["skeleton"]["roles"],
        **{name.removeprefix("skeleton."): arrays[name] for name in SKELETON if name in arrays},
    )  # fmt: skip
    schema = FeatureSchema(tuple(Feature(**{**one, "times": tuple(one.get("times", ()))}) for one in about["schema"]))
    _check_limbs(skeleton)
    for feature in schema.features:
        if feature.joint and feature.kind in BUILT_IN:
            skeleton.joint(feature.joint)
    return skeleton, schema, {**sizes, "D": schema.width}


def _check_limbs(skeleton: Skeleton) -> None:
    """Raise where a limb's joints stand in one chain, but not in its order: kernels walk from its end to its start."""
    for side in ("left", "right"):
        for parts in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")):
            joints = [skeleton.roles[role] for part in parts if (role := f"{side}_{part}") in skeleton.roles]
            chain = skeleton.chain(max(joints, default=0))
            if set(joints) <= set(chain) and any(below <= above for above, below in pairwise(joints)):
                raise KinematchError(f"{side} {', '.join(parts)} are joints {joints}, expected parents first")
