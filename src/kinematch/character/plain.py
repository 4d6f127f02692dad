"""PlainCrowd: a crowd that runs every stage in plain numpy, without compiled code: the reference for Crowd."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.pose import Pose
from kinematch.character.project import follow_plainly
from kinematch.character.source import MotionSource, Projection
from kinematch.character.step import step_plainly
from kinematch.database.storage import Database
from kinematch.search import Matcher, search_space
from kinematch.search.plain import NumpyMatcher


def make_numpy_matcher(database: Database) -> Matcher:
    return NumpyMatcher(search_space(database))


class PlainCrowd(Crowd):
    """A crowd that runs every stage in plain numpy: slow, readable, and the same as `km.Crowd` but for rounding."""

    def __init__(
        self,
        sources: Database | MotionSource | Sequence[Database | MotionSource],
        count: int = 1,
        *,
        matcher: Callable[[Database], Matcher] | None = make_numpy_matcher,
        **options: Any,
    ):
        super().__init__(sources, count, matcher=matcher, **options)

    def _start(self) -> None:
        """It has no kernels to prepare."""

    def _run_stages(self, dt: float, pose: Pose) -> None:
        step_plainly(self, dt, pose)

    def follow(self, number: int, target: int, characters: np.ndarray, found: Projection, pose: Pose) -> None:
        follow_plainly(self, number, target, characters, found, pose)
