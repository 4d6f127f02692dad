"""Warming: on a new machine, a process beside this one compiles the step, while this one reads and builds.

python -m kinematch.studio.session.warming
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
from typing import Any

import numpy as np

from kinematch.character import Crowd
from kinematch.character.step.step import run_step
from kinematch.compile.code_cache import is_missing
from kinematch.control.command import move
from kinematch.database import storage
from kinematch.database.feature_database import build_features
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton

MAX_WAIT_SECONDS = 120.0  # s to wait for them; after that one compiles for oneself
USUAL = 40  # s that it takes
DT = 1 / 60
LOOK = 0.05  # s between looks at how far they are


@contextmanager
def warming(tell: Callable[[int, int], None] = lambda done, total: None) -> Iterator[None]:
    """Compile what is not kept from earlier runs while the work within is done, and wait for it at the end.

    `tell` gets the seconds waited, and how many it usually takes. A failure costs nothing but the time it saves;
    after an interruption the process runs to its end, and the step is compiled the next time.
    """
    process = _begin() if is_missing(run_step) and (os.cpu_count() or 1) > 1 else None
    yield
    if process is None:
        return
    begun = time.monotonic()
    while process.poll() is None and time.monotonic() - begun < MAX_WAIT_SECONDS:
        tell(min(int(time.monotonic() - begun), USUAL - 1), USUAL)
        time.sleep(LOOK)
    if process.poll() is None:
        process.kill()
    process.wait()


def _begin() -> subprocess.Popen[bytes] | None:
    quiet = subprocess.DEVNULL
    apart: dict[str, Any] = {
        "start_new_session": True,
        "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    }
    with suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-m", "kinematch.studio.session.warming"], stdin=quiet, stdout=quiet, stderr=quiet, **apart
        )
    return None


def compile_step() -> None:
    """Compile or load all that a character needs."""
    with tempfile.TemporaryDirectory(prefix="kinematch-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"small{storage.SUFFIX}"
        storage.save(path, _small())
        database = storage.load(path)  # as all are opened
    Crowd(database).step(move([0.0, 0.0, 1.0]), DT)


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
    poses = build_poses([ClipEntry(clip, np.zeros((frames, 0), bool))], nothing)
    trajectory = tuple(feature for feature in default_features() if feature.group == "trajectory")
    return Database(poses, build_features(poses, FeatureSchema(trajectory), warn=lambda _: None))


if __name__ == "__main__":
    gc.disable()  # a tenth of the time; this process ends soon
    compile_step()
