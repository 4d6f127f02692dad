"""Lineup: further characters beside the first one, each with the same motion on its own body.

They show what the first one plays, retargeted to each, and travel as far as their legs take them: short ones fall
behind. Each has its own foot lock and stands on the ground under its own feet; layers are the first one's alone.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from kinematch.character import Crowd
from kinematch.character.pose import Pose
from kinematch.errors import KinematchError
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.layout import LINEUP, pack
from kinematch.stream.picture import XYZW
from kinematch.studio.session.avatar_mesh import OwnCharacter, fit_character
from kinematch.studio.session.companion import Companion

MOST_MEMBERS = 6
SPACING = 1.3  # m between neighbours


@dataclass(frozen=True, eq=False)
class Member:
    """A character beside the first one."""

    worn: OwnCharacter
    retargeting: Retargeting  # from the database's skeleton
    factor: float  # by which its file is scaled
    start: np.ndarray  # (3,) m where it began
    origin: np.ndarray  # (3,) m where the first one was then
    companion: Companion | None = None  # that shows it, once it is lined up


@dataclass(eq=False)
class Lineup:
    """All characters of a lineup, and the frame that shows them."""

    members: list[Member] = field(default_factory=list)
    frame: bytes = b""  # empty for none


def make_member(worn: OwnCharacter, source: Skeleton) -> Member:
    """A character, ready to be lined up, with compiled retargeting."""
    retargeting, factor = fit_character(worn, source)
    retargeting.apply(source.offsets[None], source.rotations[None])
    return Member(worn, retargeting, factor, np.zeros(3), np.zeros(3))


def add_member(lineup: Lineup, member: Member, crowd: Crowd) -> None:
    """Line up one more; places alternate to the left and right of where the first one faces."""
    members = lineup.members
    if len(members) >= MOST_MEMBERS:
        raise KinematchError(f"{MOST_MEMBERS} characters stand beside the first already")
    at = np.array(crowd.root_positions[0], np.float64)
    yaw, number = float(crowd.root_yaws[0]), len(members)
    aside = SPACING * (number // 2 + 1) * (1 if number % 2 == 0 else -1)
    start = at + aside * np.array([np.cos(yaw), 0.0, -np.sin(yaw)])
    # all start in line again, since characters with short legs have fallen behind
    lineup.members = [
        *(replace(one, start=at + (one.start - one.origin), origin=at) for one in members),
        replace(member, start=start, origin=at, companion=Companion(crowd, member.retargeting, start)),
    ]


def pack_lineup(lineup: Lineup, crowd: Crowd, pose: Pose, step: int, dt: float) -> None:
    """Pack the frame of a lineup after the step of a crowd that gave `pose`; all follow its first character."""
    lineup.frame = b""
    if not lineup.members:
        return
    root = crowd.root_positions[0].astype(np.float64)
    positions, rotations = [], []
    for member in lineup.members:
        assert member.companion is not None
        place = member.start + (root - member.origin) * (member.retargeting.scale / crowd.rig.scale)
        shown = member.companion.step(crowd, pose, (float(place[0]), float(place[2])), dt)
        positions.append(shown.positions[0])
        rotations.append(shown.rotations[0][:, XYZW])
    joints = sum(map(len, positions))
    arrays = {"positions": np.concatenate(positions), "rotations": np.concatenate(rotations)}
    lineup.frame = pack(LINEUP, {"step": step, "joints": joints}, arrays)
