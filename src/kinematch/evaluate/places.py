"""Places that actions are scored at: gaps, boxes, bars, benches and stairs, drawn by a seed."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.action_clears import ROOM
from kinematch.scene.abilities import Abilities
from kinematch.scene.objects import BAR, BOX, GAP, SEAT, Thing
from kinematch.scene.planner import FOOTHOLD, MARGIN, MIN_TOP

COUNTS = {"gap": 12, "box": 12, "bar": 6, "bench": 5, "stairs": 5}
START_DISTANCE = 7.0  # m from the start
WALK, RUN = 1.3, 3.4  # m/s
HURDLE = 0.3  # m of depth of a box to hop over


@dataclass(frozen=True)
class Place:
    kind: str
    size: float  # m: width of a gap, height of anything else
    speed: float  # m/s of the way there
    things: tuple[Thing, ...]
    depth: float = 0.0  # m along the way

    @property
    def label(self) -> str:
        return f"{self.kind} of {self.size:.2f} m at {self.speed:g} m/s"


def draw_places(seed: int) -> list[Place]:
    """40 places, always the same for a seed."""
    random = np.random.default_rng(seed)
    places = []
    for _ in range(COUNTS["gap"]):
        width, speed = random.uniform(0.5, 2.5), (WALK, RUN)[int(random.integers(2))]
        gap = Thing(GAP, (0, -1.5, START_DISTANCE + width / 2), (8, 1.5, width))
        places.append(Place("gap", float(width), speed, (gap,), float(width)))
    for _ in range(COUNTS["box"]):
        height, flat = random.uniform(0.2, 1.2), bool(random.integers(2))
        depth = 2.4 if flat else HURDLE
        box = Thing(BOX, (0, 0, START_DISTANCE + depth / 2), (3, height, depth))
        places.append(Place("box", float(height), WALK if flat else 2.6, (box,), depth))
    for _ in range(COUNTS["bar"]):
        height = random.uniform(1.0, 1.6)
        places.append(Place("bar", float(height), WALK, (Thing(BAR, (0, height, START_DISTANCE), (4, 0.1, 0.1)),), 0.1))
    for _ in range(COUNTS["bench"]):
        height = random.uniform(0.3, 0.7)
        places.append(Place("bench", float(height), 0.0, (Thing(SEAT, (0.4, 0, -1.8), (1.2, height, 0.4)),), 0.4))
    for _ in range(COUNTS["stairs"]):
        rise = random.uniform(0.12, 0.3)
        steps = tuple(Thing(BOX, (0, 0, START_DISTANCE + 0.5 + k), (3, rise * (k + 1), 1.0)) for k in range(2))
        landing = Thing(BOX, (0, 0, START_DISTANCE + 4.0), (3, rise * 3, 4.0))
        places.append(Place("stairs", float(rise), WALK, (*steps, landing), 3.0))
    return places


def find_fit(place: Place, able: Abilities) -> str:
    """The action whose clips have the height and the length of a place, within the limits of the warp; or nothing."""
    if place.kind == "gap":
        return able.can_jump(place.size + 2 * MARGIN) or ""
    if place.kind == "bar":
        return able.can_pass_below(place.size) or ""
    if place.kind == "bench":
        return "sit" if able.can_sit(place.size) else ""
    if place.depth < MIN_TOP:
        return able.can_hop(place.size, place.depth + 2 * MARGIN) or ""
    return able.can_climb(place.size) or "" if place.depth > FOOTHOLD else ""


def find_nearest(place: Place, able: Abilities) -> int:
    """The stretch whose own size is nearest to that of a place which one fits."""
    sizes = able.climbs
    if place.kind == "gap":
        sizes = np.where(able.lands, able.clears[:, :ROOM].sum(axis=1) - 2 * MARGIN, np.nan)
    elif place.kind == "bar":
        sizes = np.where(np.isfinite(able.heads), able.heads, np.nan)
    elif place.kind == "bench":
        sizes = able.seats
    elif place.depth < MIN_TOP:
        sizes = np.where(able.heights > 0, able.heights, np.nan)
    return int(np.nanargmin(np.abs(sizes - place.size)))
