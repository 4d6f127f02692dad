"""Warming: on a new machine, what steps characters is compiled by a second process while the first builds a database.

python -m kinematch.studio.warming
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from kinematch.character import Command, Crowd
from kinematch.database import storage
from kinematch.database.feature_database import build_features
from kinematch.database.poses import Entry, build_poses
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.motion.root import add_root
from kinematch.search.matcher import Matches
from kinematch.synth import walk_along

LONGEST = 120.0  # s to wait for it; after that one compiles for oneself


@contextmanager
def warming(needed: bool, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Compile while the work within is done, and wait at its end; a failure costs nothing but the time it saves."""
    process: subprocess.Popen | None = None
    if needed and (os.cpu_count() or 1) > 1:
        quiet = subprocess.DEVNULL
        with suppress(OSError):
            process = subprocess.Popen(
                [sys.executable, "-m", "kinematch.studio.warming"], stdin=quiet, stdout=quiet, stderr=quiet
            )
    try:
        yield
        if process is not None:
            waiting()
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST)
    finally:
        if process is not None:
            process.kill()  # does nothing to one that has ended
            process.wait()


class Elsewhere:
    """A matcher that always finds another frame: the search itself is compiled by who waits for us."""

    weights = np.zeros(0, np.float32)

    def __init__(self, database: Database):
        self.space, self._frames = None, database.poses.frame_count

    def set_weights(self, weights: np.ndarray) -> None:
        """They do not matter."""

    def find(self, queries: np.ndarray, current: np.ndarray | None = None, **_) -> Matches:
        frames = np.full(len(queries), 0, np.int32) if current is None else (current + 40) % self._frames
        return Matches(frames.astype(np.int32), np.ones(len(queries), np.float32))


def compile_step() -> None:
    """Have a character walk and jump, on a database that was written and opened as all are."""
    clip = add_root(walk_along([(0, 0), (0, 3)]))
    skeleton = clip.skeleton
    toes = np.array([skeleton.roles["left_toes"], skeleton.roles["right_toes"]], np.int32)
    poses = build_poses([Entry(clip, np.zeros((clip.frame_count, 2), bool))], toes)
    features = build_features(poses, FeatureSchema(default_features()))
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"small{storage.SUFFIX}"
        storage.save(path, Database(poses, features))
        crowd = Crowd(storage.load(path), matcher=Elsewhere)  # type: ignore[arg-type]
        for speed in (0.0, 1.0, 0.0):
            velocities = np.array([[0.0, 0.0, speed]])
            for _ in range(8):
                crowd.step(Command(velocities, velocities), 1 / 60)
        del crowd


if __name__ == "__main__":
    compile_step()
