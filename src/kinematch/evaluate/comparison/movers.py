"""Movers of the comparison: crowds whose offsets are watched, since they must not accumulate (*learned MM* 5.3.3)."""

from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.pose import Pose
from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command


class WatchedCrowd:
    """A crowd that remembers the largest offset of any joint in each step, and plays by its source's own filter."""

    def __init__(self, source: Any, count: int, *, filter: str | None, **options: Any):
        self.crowd, self.filter = Crowd(source, count, **options), filter
        self.computed = self.crowd.sources[0].table is None
        self.offsets: list[float] = []  # rad

    @property
    def body(self) -> SimulatedBody:
        return self.crowd.body

    @property
    def root_yaws(self) -> np.ndarray:
        return self.crowd.root_yaws

    @property
    def frames(self) -> np.ndarray:
        """Computed poses have no frame."""
        frames = self.crowd.frames
        return np.full_like(frames, -1) if self.computed else frames

    def step(self, command: Command, dt: float) -> Pose:
        pose = self.crowd.step(replace(command, filter=self.filter), dt)
        turns = self.crowd.state.offsets.rotations[:, :3]
        self.offsets.append(float(np.sqrt((turns.astype(np.float64) ** 2).sum(axis=1).max(initial=0.0))))
        return pose
