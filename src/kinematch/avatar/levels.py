"""Height levels: which part of a motion fits how high the head is carried, from tip-toe to crouch (MMVR 5.5)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from kinematch.avatar.kernels.following import choose_levels, find_offsets
from kinematch.character.describe import Motion, describe_motion
from kinematch.database.description import SourceDescription
from kinematch.database.filters import tag_mask
from kinematch.database.storage import Database
from kinematch.database.tags import Tags
from kinematch.errors import KinematchError
from kinematch.motion import kinematics

# share of its height that a head may be low before a lower level is taken: heights are measured so well
HEIGHT_SLACK = 0.02
LEVEL_TAG = re.compile(r"level\d+|tiptoe")
# share of the way to the next level at which it is taken: more than half, so that walking changes none
SWITCH_SHARE = 0.7
UPRIGHT_LEVEL = "level0"
# tags that are added
HEIGHT_TAGS = ("height_lying", "height_kneeling", "height_crouched", "height_bent", "height_upright")
HEIGHT_EDGES = (0.45, 0.65, 0.8, 0.92)  # shares of the standing height of the head between them
HEIGHT_OVERLAP = 0.02  # share by which they overlap
MIN_LEVEL_SECONDS = 3.0  # s of motion that make a level
# of the way from below the head to where the motion has its root: trackers know the head alone
HEAD_TO_ROOT_SHARE = 0.5
EXAMPLE_POSES = 500  # poses of a level that are averaged for its height


@dataclass(frozen=True, eq=False)
class Levels:
    """Filters of a motion by rising height of the head, as a share of its height in an upright stand."""

    filters: tuple[str | None, ...]  # tag expressions; None is the motion's own
    ratios: np.ndarray  # (L,) rising
    heads: np.ndarray  # (L, 3) m, the head in the root's axes: a crouching body has it in front
    upright: int  # the level at which people stand

    def __post_init__(self) -> None:
        ratios = np.array(self.ratios, np.float64)
        if len(self.filters) != len(ratios) or not len(ratios) or not (np.diff(ratios) > 0).all():
            raise KinematchError(f"levels {self.filters} at ratios {ratios.tolist()}, expected one rising ratio each")
        object.__setattr__(self, "ratios", ratios)
        object.__setattr__(self, "heads", np.array(self.heads, np.float64))

    def find_offsets(self, ratios: np.ndarray) -> np.ndarray:
        """From the root to the point below the head (N, 3) m, by the head's share (N,) of its standing height."""
        offsets = np.empty((len(ratios), 3))
        find_offsets(ratios, self.ratios, self.heads, HEAD_TO_ROOT_SHARE, offsets)
        return offsets

    def choose(self, ratios: np.ndarray, current: np.ndarray) -> np.ndarray:
        """The level (N,) of users, by the head's share (N,) of its standing height.

        A user stays at the current level (N,) until well past the middle to the next one; -1 has none yet.
        """
        levels = np.array(current, np.int64)
        choose_levels(ratios, self.ratios, levels, SWITCH_SHARE, HEIGHT_SLACK)
        return levels


def find_levels(motion: Motion, filters: Sequence[str] | None = None) -> Levels:
    """The levels of a motion: by given filters, or by its tags level0, level1, ... and tiptoe; else a single one."""
    about = describe_motion(motion)
    poses = about.poses
    given = list(filters) if filters is not None else find_level_tags(poses.tags.names)
    heads = {one: np.median(places, axis=0) for one in given if len(places := _find_heads(about, one))}
    if len(heads) < 2:
        filter_ = about.filter if poses.tags.names else ""  # examples have no tags to filter by
        return Levels((None,), np.ones(1), _measure_stance(about, filter_)[None], 0)
    upright = UPRIGHT_LEVEL if UPRIGHT_LEVEL in heads else max(heads, key=lambda one: heads[one][1])
    ordered = sorted(heads, key=lambda one: heads[one][1])
    places = np.array([heads[one] for one in ordered])
    return Levels(tuple(ordered), places[:, 1] / heads[upright][1], places, ordered.index(upright))


def find_level_tags(names: Sequence[str]) -> list[str]:
    """The tags that name levels of height."""
    return [name for name in names if LEVEL_TAG.fullmatch(name) or name in HEIGHT_TAGS]


def tag_heights(motion: Motion) -> Motion:
    """The same motion with tags for how high the head is carried, if it has no levels; else as it is.

    Without them, a database with crouching and walking lets a standing user crouch. A source of your own may have
    `with_tags(tags)`: the same source with other tags on the poses of its description. Else it stays as it is.
    """
    about = describe_motion(motion)
    poses = about.poses
    if find_level_tags(poses.tags.names) or not _can_be_tagged(motion):
        return motion
    heights = _find_heads(about, "", everything=True)[:, 1]
    standing = np.quantile(heights, 0.95)
    ratios = heights / np.median(heights[heights > HEIGHT_EDGES[-1] * standing])
    lows, highs = np.array([0.0, *HEIGHT_EDGES]) - HEIGHT_OVERLAP, np.array([*HEIGHT_EDGES, np.inf]) + HEIGHT_OVERLAP
    inside = (ratios[:, None] >= lows) & (ratios[:, None] < highs)
    kept = inside.sum(axis=0) >= MIN_LEVEL_SECONDS * poses.frame_rate
    return _add_tags(motion, tuple(name for name, keep in zip(HEIGHT_TAGS, kept) if keep), inside[:, kept])


def _can_be_tagged(motion: Motion) -> bool:
    """Whether `_add_tags` can give the motion other tags."""
    return isinstance(motion, Database) or hasattr(motion, "with_tags")


def _add_tags(motion: Motion, names: tuple[str, ...], marks: np.ndarray) -> Motion:
    """The same motion with further tags, of which `marks` (S, T) says which of its poses have them."""
    tags = describe_motion(motion).poses.tags
    more = Tags((*tags.names, *names), np.concatenate([tags.frames, marks], axis=1))
    if isinstance(motion, Database):
        return replace(motion, poses=replace(motion.poses, tags=more))
    return cast("Any", motion).with_tags(more)


def _measure_stance(about: SourceDescription, filter_: str) -> np.ndarray:
    """Where the head is above the root (3,) m in an upright stand or walk, of a motion without levels."""
    heads = _find_heads(about, filter_)
    return np.median(heads[heads[:, 1] >= np.median(heads[:, 1])], axis=0)


def _find_heads(about: SourceDescription, filter_: str, *, everything: bool = False) -> np.ndarray:
    """Places of the head (E, 3) in the root's axes, in some or all poses that a filter admits."""
    skeleton, poses = about.skeleton, about.poses
    if "head" not in skeleton.roles:
        raise KinematchError("the skeleton has no head; an avatar needs a humanoid")
    chosen = np.flatnonzero(tag_mask(filter_, poses.tags.names, poses.tags.frames))
    chosen = chosen if everything else chosen[:: max(1, len(chosen) // EXAMPLE_POSES)]
    positions, rotations = poses.positions[chosen].copy(), poses.rotations[chosen].copy()
    positions[:, 0], rotations[:, 0] = 0.0, [1, 0, 0, 0]
    return kinematics.forward(skeleton, positions, rotations)[0][:, skeleton.roles["head"]]
