"""Scene: the things around characters. It is terrain too: what stands on the ground, and the gaps in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kinematch.copies import Unchanging
from kinematch.errors import KinematchError, unknown
from kinematch.scene.terrain import Terrain, check_points

KINDS = BOX, GAP, BAR, SEAT, WALL = ("box", "gap", "bar", "seat", "wall")
MOST_THINGS = 4096  # of a scene: every step looks at all of them
MAX_DISTANCE = 1e5  # m from the origin


@dataclass(frozen=True, eq=False)
class Thing(Unchanging):
    """A block that is turned about the vertical: a box to step on or hop over, a gap in the ground, a bar to duck
    under, a seat, or a wall, which no character gets onto."""

    kind: str  # one of KINDS
    place: ArrayLike  # (3,) m, the middle of its lower face; of a gap, of its bottom
    size: ArrayLike  # (3,) m: width along x, height, and depth along z, before it is turned
    yaw: float = 0.0  # rad; a character on a seat faces its +Z
    name: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise KinematchError(unknown("kind of thing", str(self.kind), KINDS))
        for name in ("place", "size"):
            try:
                vector = np.array(getattr(self, name), np.float64)
            except (TypeError, ValueError):
                vector = np.zeros(0)
            if vector.shape != (3,) or not (np.abs(vector) < MAX_DISTANCE).all():
                raise KinematchError(f"{self.label}: {name} {getattr(self, name)!r}, expected three numbers in m")
            vector.flags.writeable = False
            object.__setattr__(self, name, vector)
        if not (np.asarray(self.size) > 0).all():
            raise KinematchError(f"{self.label}: size {np.asarray(self.size).tolist()}, expected more than zero")
        if not abs(self.yaw) < MAX_DISTANCE:
            raise KinematchError(f"{self.label}: yaw {self.yaw!r}, expected a number")

    @property
    def label(self) -> str:
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    @property
    def top(self) -> np.ndarray:
        """(3,) m, the middle of its upper face: where one sits on a seat."""
        return np.asarray(self.place) + [0.0, np.asarray(self.size)[1], 0.0]

    @property
    def facing(self) -> np.ndarray:
        """(3,) direction that a seated character faces."""
        return np.array([np.sin(self.yaw), 0.0, np.cos(self.yaw)])


@dataclass(frozen=True, eq=False)
class Scene(Unchanging):
    """Things, and the ground that they are on; give it to a crowd as its terrain."""

    things: Sequence[Thing] = ()
    ground: Terrain | None = None  # flat at height 0 without one
    _solid: np.ndarray = field(init=False, repr=False)  # (S, 8), see `_make_rows`
    _gaps: np.ndarray = field(init=False, repr=False)
    bars: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        things = tuple(self.things)
        if len(things) > MOST_THINGS:
            raise KinematchError(f"a scene of {len(things)} things, expected at most {MOST_THINGS}")
        for thing in things:
            if not isinstance(thing, Thing):
                raise KinematchError(f"a scene with a {type(thing).__name__}, expected things")
        object.__setattr__(self, "things", things)
        object.__setattr__(self, "_solid", _make_rows(one for one in things if one.kind in (BOX, SEAT, WALL)))
        object.__setattr__(self, "_gaps", _make_rows(one for one in things if one.kind == GAP))
        object.__setattr__(self, "bars", _make_rows(one for one in things if one.kind == BAR))

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Heights (M,) m of what one stands on at points (M, 2) of x and z."""
        points = check_points(points)
        heights = np.zeros(len(points)) if self.ground is None else self.ground.heights(points).copy()
        for rows, combine in ((self._gaps, np.minimum), (self._solid, np.maximum)):
            inside, columns = find_inside(rows, points)
            levels = rows[columns, BOTTOM if combine is np.minimum else TOP]
            combine.at(heights, inside, levels)
        return heights

    def normals(self, points: np.ndarray) -> np.ndarray:
        """Unit normals (M, 3): up on things, the ground's elsewhere."""
        points = check_points(points)
        normals = np.tile([0.0, 1.0, 0.0], (len(points), 1)) if self.ground is None else self.ground.normals(points)
        inside, _ = find_inside(np.concatenate([self._gaps, self._solid]), points)
        normals[inside] = [0.0, 1.0, 0.0]
        return normals

    def find_thing(self, name: str) -> Thing:
        """The thing of a name."""
        for thing in self.things:
            if thing.name == name:
                return thing
        raise KinematchError(unknown("thing", name, [thing.name for thing in self.things if thing.name]))

    def find_seat(self, place: ArrayLike, within: float = 3.0) -> Thing | None:
        """The nearest seat to a place (3,), within a distance in m."""
        seats = [thing for thing in self.things if thing.kind == SEAT]
        here = np.asarray(place, np.float64)
        far = [float(np.hypot(*(np.asarray(one.place) - here)[[0, 2]])) for one in seats]
        return seats[int(np.argmin(far))] if far and min(far) <= within else None


X, Z, COSINE, SINE, HALF_X, HALF_Z, BOTTOM, TOP = range(8)  # columns of rows


def _make_rows(things: Iterable[Thing]) -> np.ndarray:
    """(S, 8): middle, cosine and sine of the yaw, half sizes, lowest and highest."""
    rows = []
    for one in things:
        (x, y, z), (wide, tall, deep) = np.asarray(one.place), np.asarray(one.size)
        rows.append((x, z, np.cos(one.yaw), np.sin(one.yaw), wide / 2, deep / 2, y, y + tall))
    return np.array(rows, np.float64).reshape(-1, 8)


def to_local(rows: np.ndarray, x: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Offsets (M, S) or points along x and z in the axes of things (S, 8)."""
    return x * rows[:, COSINE] - z * rows[:, SINE], x * rows[:, SINE] + z * rows[:, COSINE]


def find_inside(rows: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which points (M, 2) are over which things (S, 8): both numbers of every pair."""
    if not len(rows):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    along, across = to_local(rows, points[:, :1] - rows[:, X], points[:, 1:] - rows[:, Z])
    inside = np.nonzero((np.abs(along) <= rows[:, HALF_X]) & (np.abs(across) <= rows[:, HALF_Z]))
    return inside[0], inside[1]
