"""Fits: how a user corrected the roles and the rest pose of a character, remembered by what its file holds."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from kinematch.errors import KinematchError, unknown
from kinematch.folders import find_settings_folder
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion.kinematics import local_rotations, tpose
from kinematch.motion.roles import ROLES
from kinematch.motion.skeleton import Skeleton
from kinematch.writing import write_beside

FOLDER = "characters"  # in the settings folder
LARGEST_FIT = 100_000  # bytes
LARGEST_TURN = 180.0  # degrees
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CharacterFit:
    """What differs from what was found in a character's file."""

    roles: Mapping[str, str] = field(default_factory=dict)  # joint of a role; "" for none
    rest: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)  # degrees about the world's X, Y and Z


class _Sent(msgspec.Struct, forbid_unknown_fields=True):
    roles: dict[str, str] = {}
    rest: dict[str, tuple[float, float, float]] = {}


def parse_fit(text: bytes) -> CharacterFit:
    """A fit from JSON, as pages send it and files keep it."""
    try:
        sent = msgspec.json.decode(text, type=_Sent)
    except msgspec.MsgspecError as error:
        raise KinematchError(f"not a fit of a character: {error}") from None
    for role in (*sent.roles, *sent.rest):
        if role not in ROLES:
            raise KinematchError(unknown("role", role, ROLES))
    for role, turns in sent.rest.items():
        if not all(abs(turn) <= LARGEST_TURN for turn in turns):
            raise KinematchError(f"rest pose of {role}: {turns}, expected up to {LARGEST_TURN:g} degrees")
    return CharacterFit(sent.roles, {role: turns for role, turns in sent.rest.items() if any(turns)})


def find_digest(content: bytes) -> str:
    """What a character's file is known by, wherever it lies and whatever it is called."""
    return hashlib.sha256(content).hexdigest()


def load_fit(digest: str) -> CharacterFit:
    """The remembered fit of a file; one that cannot be read counts as none."""
    path = _find_path(digest)
    try:
        if path.stat().st_size > LARGEST_FIT:
            return CharacterFit()
        return parse_fit(path.read_bytes())
    except (OSError, KinematchError):
        return CharacterFit()


def save_fit(digest: str, fit: CharacterFit) -> None:
    """Remember a fit; an empty one is forgotten."""
    path = _find_path(digest)
    if not fit.roles and not fit.rest:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"roles": dict(fit.roles), "rest": {role: list(turns) for role, turns in fit.rest.items()}}
    write_beside(path, json.dumps(values, indent=2).encode())


def turn_rest_pose(skeleton: Skeleton, fit: CharacterFit) -> Skeleton:
    """The skeleton with its reference T-pose turned as a fit says, each joint with all that hangs on it."""
    if not fit.rest or skeleton.tpose is None:
        return skeleton
    rotations = tpose(skeleton)[1].astype(np.float64)
    for role in sorted(fit.rest, key=lambda role: skeleton.roles.get(role, -1)):  # parents first
        if role not in skeleton.roles:
            continue
        turn = quaternion.identity()
        for axis, degrees in zip(np.eye(3), fit.rest[role]):
            turn = quaternion.multiply(from_axis_angle(axis, np.radians(degrees)), turn)
        for joint in range(skeleton.joint_count):
            if skeleton.roles[role] in skeleton.chain(joint):
                rotations[joint] = quaternion.multiply(turn, rotations[joint])
    return skeleton.with_tpose(local_rotations(skeleton, rotations))


def _find_path(digest: str) -> Path:
    if not DIGEST.fullmatch(digest):
        raise KinematchError(f"no digest of a file: {digest[:80]!r}")
    return find_settings_folder() / FOLDER / f"{digest}.json"
