"""Trackers: where a user's head, hands and other tracked points are, however they are tracked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields

import numpy as np

from kinematch.avatar.kernels.points import drop_broken
from kinematch.errors import KinematchError

POINTS = ("head", "left_hand", "right_hand", "waist", "chest", "left_foot", "right_foot")
HEAD, LEFT_HAND, RIGHT_HAND, WAIST, CHEST, LEFT_FOOT, RIGHT_FOOT = range(len(POINTS))
HANDS = (LEFT_HAND, RIGHT_HAND)
# the point on the other side
MIRROR_POINTS = np.array([HEAD, RIGHT_HAND, LEFT_HAND, WAIST, CHEST, RIGHT_FOOT, LEFT_FOOT])
FINGER_JOINTS = 25  # of a hand, in the order of WebXR: wrist, thumb (4), index (5), middle (5), ring (5), little (5)


@dataclass(frozen=True, eq=False)
class Trackers:
    """Tracked points of N samples: N users at one moment, or one user at N moments.

    Devices and joints share the type: `Calibration.locate_joints` turns devices into the joints that they are worn on.
    A device's axes are those of a person that stands and faces +Z: +Y up, +Z forward, +X left. A joint's axes are the
    world's when the person stands in a T-pose facing +Z: the left hand then points along +X, both palms face down.
    """

    times: np.ndarray  # (N,) s
    positions: np.ndarray  # (N, 7, 3) m, in the order of POINTS
    rotations: np.ndarray  # (N, 7, 4)
    velocities: np.ndarray  # (N, 7, 3) m/s
    angular_velocities: np.ndarray  # (N, 7, 3) rad/s, rotation vectors in the world's axes
    valid: np.ndarray  # (N, 7) bool; the other fields of a point that is not tracked are zero, its rotation identity
    fingers: np.ndarray | None = None  # (N, 2, 25, 3) m, joints of tracked hands; NaN where a hand is not tracked

    def __post_init__(self) -> None:
        count = len(np.atleast_1d(self.times))
        shapes = {
            "times": (), "positions": (len(POINTS), 3), "rotations": (len(POINTS), 4), "velocities": (len(POINTS), 3),
            "angular_velocities": (len(POINTS), 3), "valid": (len(POINTS),), "fingers": (2, FINGER_JOINTS, 3),
        }  # fmt: skip
        for name, shape in shapes.items():
            given = getattr(self, name)
            if given is None and name == "fingers":
                continue
            try:
                array = np.array(given, bool if name == "valid" else np.float64, order="C")
            except (TypeError, ValueError):
                raise KinematchError(f"trackers: {name} are not numbers") from None
            if array.shape != (count, *shape):
                raise KinematchError(f"trackers: {name} of shape {array.shape}, expected {(count, *shape)}")
            object.__setattr__(self, name, array)
        drop_broken(self.positions, self.rotations, self.velocities, self.angular_velocities, self.valid)

    @classmethod
    def wrap(cls, *fields: np.ndarray | None) -> "Trackers":
        """The same of contiguous arrays of the right types and shapes, which are neither copied nor looked at but for
        broken points: for values that are made many times a second."""
        made = object.__new__(cls)
        made.__dict__.update(zip(FIELDS, fields))
        drop_broken(made.positions, made.rotations, made.velocities, made.angular_velocities, made.valid)
        return made

    def __len__(self) -> int:
        return len(self.times)

    def take(self, samples: np.ndarray | slice) -> "Trackers":
        """Some of the samples."""
        fingers = None if self.fingers is None else self.fingers[samples]
        return Trackers(
            self.times[samples], self.positions[samples], self.rotations[samples], self.velocities[samples],
            self.angular_velocities[samples], self.valid[samples], fingers,
        )  # fmt: skip

    def keep(self, points: tuple[str, ...]) -> "Trackers":
        """The same with only these points tracked."""
        for point in points:
            if point not in POINTS:
                raise KinematchError(f"no tracked point {point!r}; expected some of {', '.join(POINTS)}")
        return replace(self, valid=self.valid & np.isin(POINTS, points))


FIELDS = tuple(field.name for field in dataclass_fields(Trackers))
WITHOUT_FINGERS = FIELDS[:-1]


def take_moments(users: Sequence[Trackers], samples: np.ndarray) -> Trackers:
    """One sample (N,) of each of N users over time, as samples of N users at one moment; fingers are left out."""
    return Trackers(
        *(np.stack([getattr(user, name)[k] for user, k in zip(users, samples)]) for name in WITHOUT_FINGERS)
    )
