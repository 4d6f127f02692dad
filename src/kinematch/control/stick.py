"""Stick: the stick of a gamepad, or keys, as velocity and facing relative to a camera."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.control.steering import expand_per_body, find_directions, limit_lengths, to_ground_vectors
from kinematch.errors import KinematchError, unknown

FACES = ("movement", "camera", "target")


@dataclass(frozen=True)
class Gait:
    """Top speeds in m/s; in directions between, two half ellipses through them."""

    forward: float
    sideways: float
    backward: float

    def __post_init__(self) -> None:
        if not all(0 < speed < np.inf for speed in (self.forward, self.sideways, self.backward)):
            raise KinematchError(f"top speeds {self.forward}, {self.sideways}, {self.backward}, expected positive ones")


GAITS: Mapping[str, Gait] = {"walk": Gait(1.4, 1.1, 1.0), "jog": Gait(2.8, 2.0, 1.7), "sprint": Gait(4.5, 2.6, 2.0)}


@dataclass(eq=False)
class Stick:
    """A controller for a gamepad stick or keys, relative to a camera.

    Set `axes`, and what else has changed, before each command. Every value is one for all bodies or one per body.
    """

    axes: np.ndarray | Sequence[float] = (0.0, 0.0)  # (2,) or (N, 2): right and forward, -1 to 1
    camera_yaw: np.ndarray | float = 0.0  # rad about +Y, 0 looks along +Z
    gait: str | Sequence[str] = "walk"  # which of `gaits` limits the speed
    face: str = "movement"  # what characters face: "movement", "camera" or "target"
    target: np.ndarray | None = None  # (3,) or (N, 3) m, faced with face "target"
    filter: str | Sequence[str] | None = None  # as in Command
    source: int | Sequence[int] = 0  # as in Command
    gaits: Mapping[str, Gait] = field(default_factory=lambda: GAITS)  # top speeds by name

    def command(self, body: SimulatedBody, dt: float) -> Command:
        count = len(body.positions)
        axes = limit_lengths(expand_per_body(self.axes, (count, 2), "stick axes"), 1.0)
        yaws = expand_per_body(self.camera_yaw, (count,), "camera yaw")
        sine, cosine = np.sin(yaws), np.cos(yaws)
        # facing +Z with Y up, right is -X
        pushed = np.stack([-cosine * axes[:, 0] + sine * axes[:, 1], sine * axes[:, 0] + cosine * axes[:, 1]], axis=-1)
        facings = self._facings(body, pushed, np.stack([sine, cosine], axis=-1))
        velocities = pushed * find_top_speeds(self._limits(count), pushed, facings)[:, None]
        return Command(to_ground_vectors(velocities), to_ground_vectors(facings), self.filter, self.source)

    def _facings(self, body: SimulatedBody, pushed: np.ndarray, camera: np.ndarray) -> np.ndarray:
        if self.face == "movement":
            return find_directions(pushed)
        if self.face == "camera":
            return camera
        if self.face != "target":
            raise KinematchError(unknown("way to face", self.face, FACES))
        if self.target is None:
            raise KinematchError("the stick faces a target, but its target is not set")
        target = expand_per_body(self.target, body.positions.shape, "target")
        return find_directions((target - body.positions)[:, [0, 2]])

    def _limits(self, count: int) -> np.ndarray:
        """Top speeds (N, 3), or (1, 3) for all: forward, sideways, backward."""
        names = [self.gait] if isinstance(self.gait, str) else list(self.gait)
        if len(names) not in (1, count):
            raise KinematchError(f"{len(names)} gaits for {count} bodies, expected 1 or {count}")
        for name in names:
            if name not in self.gaits:
                raise KinematchError(unknown("gait", name, self.gaits))
        chosen = [self.gaits[name] for name in names]
        return np.array([[gait.forward, gait.sideways, gait.backward] for gait in chosen])


def find_top_speeds(limits: np.ndarray, moves: np.ndarray, facings: np.ndarray) -> np.ndarray:
    """Top speeds (N,) of bodies that move in directions (N, 2) while facing others (N, 2); zero faces the movement.

    limits (N, 3) or (1, 3) are the speeds forward, sideways and backward: half axes of one ellipse for the front half
    and another one for the back half.
    """
    moves, facings = find_directions(moves), find_directions(facings)
    along = (moves * facings).sum(axis=-1)
    across = moves[:, 0] * facings[:, 1] - moves[:, 1] * facings[:, 0]
    along = np.where((along == 0) & (across == 0), 1.0, along)
    ahead = np.where(along > 0, limits[:, 0], limits[:, 2])
    return 1 / np.hypot(along / ahead, across / limits[:, 1])
