"""Stick: a pad's stick or a few keys, seen from a camera, as wanted velocity and facing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.control.steering import directions, ground, per_body, shortened
from kinematch.errors import KinematchError, unknown

FACES = ("movement", "camera", "target")


@dataclass(frozen=True)
class Gait:
    """Top speeds in m/s; between forward, sideways and backward they follow two half ellipses."""

    forward: float
    sideways: float
    backward: float

    def __post_init__(self):
        if not all(0 < speed < np.inf for speed in (self.forward, self.sideways, self.backward)):
            raise KinematchError(f"top speeds {self.forward}, {self.sideways}, {self.backward}, expected positive ones")


GAITS: Mapping[str, Gait] = {"walk": Gait(1.4, 1.1, 1.0), "jog": Gait(2.8, 2.0, 1.7), "sprint": Gait(4.5, 2.6, 2.0)}


@dataclass(eq=False)
class Stick:
    """Set `axes` and whatever else changed, then ask for the command; each value is for all or one for each body."""

    axes: np.ndarray | Sequence[float] = (0.0, 0.0)  # (2,) or (N, 2): right and forward, -1 to 1
    camera_yaw: np.ndarray | float = 0.0  # rad about +Y, 0 looks along +Z
    gait: str | Sequence[str] = "walk"
    face: str = "movement"  # or "camera", or "target"
    target: np.ndarray | None = None  # (3,) or (N, 3) m, looked at with face "target"
    filter: str | Sequence[str] = ""
    database: int | Sequence[int] = 0
    gaits: Mapping[str, Gait] = field(default_factory=lambda: GAITS)

    def command(self, body: SimulatedBody, dt: float) -> Command:
        count = len(body.positions)
        axes = shortened(per_body(self.axes, (count, 2), "stick axes"), 1.0)
        yaws = per_body(self.camera_yaw, (count,), "camera yaw")
        sine, cosine = np.sin(yaws), np.cos(yaws)
        # with Y up and +X to the left, the right of one who looks along +Z is -X
        pushed = np.stack([-cosine * axes[:, 0] + sine * axes[:, 1], sine * axes[:, 0] + cosine * axes[:, 1]], axis=-1)
        facings = self._facings(body, pushed, np.stack([sine, cosine], axis=-1))
        velocities = pushed * top_speeds(self._limits(count), pushed, facings)[:, None]
        return Command(ground(velocities), ground(facings), self.filter, self.database)

    def _facings(self, body: SimulatedBody, pushed: np.ndarray, camera: np.ndarray) -> np.ndarray:
        if self.face == "movement":
            return directions(pushed)
        if self.face == "camera":
            return camera
        if self.face != "target":
            raise KinematchError(unknown("way to face", self.face, FACES))
        if self.target is None:
            raise KinematchError("the stick faces a target, but its target is not set")
        target = per_body(self.target, body.positions.shape, "target")
        return directions((target - body.positions)[:, [0, 2]])

    def _limits(self, count: int) -> np.ndarray:
        """Top speeds (N, 3) of the gaits."""
        names = [self.gait] if isinstance(self.gait, str) else list(self.gait)
        if len(names) not in (1, count):
            raise KinematchError(f"{len(names)} gaits for {count} bodies, expected 1 or {count}")
        for name in names:
            if name not in self.gaits:
                raise KinematchError(unknown("gait", name, self.gaits))
        chosen = [self.gaits[name] for name in names]
        return np.array([[gait.forward, gait.sideways, gait.backward] for gait in chosen])


def top_speeds(limits: np.ndarray, moves: np.ndarray, facings: np.ndarray) -> np.ndarray:
    """Top speed (N,) of bodies that move one way (N, 2) and face another (N, 2); facing nowhere is facing forward.

    limits (N, 3) or (1, 3) are forward, sideways, backward: the radius of an ellipse that is another one behind.
    """
    moves, facings = directions(moves), directions(facings)
    along = (moves * facings).sum(axis=-1)
    across = moves[:, 0] * facings[:, 1] - moves[:, 1] * facings[:, 0]
    along = np.where((along == 0) & (across == 0), 1.0, along)
    ahead = np.where(along > 0, limits[:, 0], limits[:, 2])
    return 1 / np.hypot(along / ahead, across / limits[:, 1])
