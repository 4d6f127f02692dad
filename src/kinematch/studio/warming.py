"""Warming: on a new machine, processes beside this one compile what plays characters, while this one reads and builds.

python -m kinematch.studio.warming PART
"""

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from kinematch.character import Command, Crowd
from kinematch.character.kernels import animation, jumps
from kinematch.compile.jit import is_missing
from kinematch.database import storage
from kinematch.database.feature_database import build_features
from kinematch.database.poses import Entry, build_poses
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.search import WideMatcher
from kinematch.search.matcher import Matches
from kinematch.search.space import plain_space, search_space

LONGEST = 120.0  # s to wait for them; after that one compiles for oneself
DT = 1 / 60
LOOK = 0.05  # s between looks at how far they are


@contextmanager
def warming(tell: Callable[[int, int], None] = lambda done, total: None) -> Iterator[None]:
    """Compile what is not kept from earlier runs while the work within is done, and wait for it at the end.

    `tell` is told then how many parts are done, and of how many. A failure costs nothing but the time it saves.
    """
    missing = [name for name, (kernel, _) in PARTS.items() if is_missing(kernel)]
    processes: list[subprocess.Popen] = []
    quiet = subprocess.DEVNULL
    if (os.cpu_count() or 1) > 1:
        with suppress(OSError):
            for name in missing:
                command = [sys.executable, "-m", "kinematch.studio.warming", name]
                processes.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))
    try:
        yield
        latest = time.monotonic() + LONGEST
        while processes and time.monotonic() < latest:
            done = sum(process.poll() is not None for process in processes)
            tell(done, len(processes))
            if done == len(processes):
                break
            time.sleep(LOOK)
    finally:
        for process in processes:
            process.kill()  # does nothing to one that has ended
            process.wait()


class Elsewhere:
    """A matcher that always finds another frame, so that characters jump."""

    weights = np.zeros(0, np.float32)

    def __init__(self, database: Database):
        self.space, self._frames = search_space(database), database.poses.frame_count

    def set_weights(self, weights: np.ndarray) -> None:
        """They do not matter."""

    def find(self, queries: np.ndarray, current: np.ndarray | None = None, **_) -> Matches:
        frames = np.full(len(queries), 0, np.int32) if current is None else (current + 40) % self._frames
        return Matches(frames.astype(np.int32), np.ones(len(queries), np.float32))


def compile_search() -> None:
    """All that finds frames and goes there."""
    WideMatcher(plain_space(np.zeros((1, 1), np.float32)))
    crowd, command = _prepare()
    crowd.runner.animate = lambda dt, stages, characters=None: None  # type: ignore[method-assign]
    crowd.step(command, DT)


def compile_animation() -> None:
    """All that moves a character on: it takes as long as everything else together."""
    crowd, _ = _prepare()
    crowd.prepare_pose()
    crowd.runner.animate(DT, animation.EVERYTHING)


PARTS: dict[str, tuple[Callable, Callable[[], None]]] = {  # by name: the kernel that is compiled last, and how
    "animation": (animation.animate, compile_animation),
    "search": (jumps.jump, compile_search),
}


def _prepare() -> tuple[Crowd, Command]:
    """A small crowd, on a database that was written and opened as all are, and its command."""
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"small{storage.SUFFIX}"
        storage.save(path, _small())
        crowd = Crowd(storage.load(path), matcher=Elsewhere)
    velocities = np.array([[0.0, 0.0, 1.0]])
    return crowd, Command(velocities, velocities)


def _small() -> Database:
    """Two joints that go straight on for two seconds."""
    nothing, joints, frames = np.zeros(0, np.int32), 2, 120
    skeleton = Skeleton(
        ("root", "hips"), np.array([-1, 0]), np.zeros((joints, 3)), quaternion.identity((joints,)), nothing,
        np.zeros((0, 3)), np.arange(joints), roles={"root": 0, "hips": 1},
    )  # fmt: skip
    positions = np.zeros((frames, joints, 3))
    positions[:, 0, 2] = np.linspace(0, 2, frames)
    clip = Clip(skeleton, positions, quaternion.identity((frames, joints)), 60.0)
    poses = build_poses([Entry(clip, np.zeros((frames, 0), bool))], nothing)
    trajectory = tuple(feature for feature in default_features() if feature.group == "trajectory")
    return Database(poses, build_features(poses, FeatureSchema(trajectory), warn=lambda _: None))


if __name__ == "__main__":
    gc.disable()  # a tenth of the time; this process ends soon
    PARTS[sys.argv[1]][1]()
