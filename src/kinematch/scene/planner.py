"""Planner: looks ahead along a command, requests the action that fits an obstacle, or leads around it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from kinematch.control.body import SimulatedBody
from kinematch.control.command import Command
from kinematch.control.request import Request
from kinematch.control.steering import find_rest_points
from kinematch.database.action_clears import ROOM
from kinematch.database.storage import Database
from kinematch.scene.abilities import SEAT_DEPTH, Abilities, find_abilities
from kinematch.scene.objects import BOTTOM, COSINE, HALF_X, HALF_Z, SINE, Scene, Thing, X, Z

SPACING = 0.05  # m between the points of a profile
LOOK = 4.6  # m ahead that obstacles are looked for
FAR_SIDE = 3.0  # m beyond that for the far side of a gap or box
LOOK_INTERVAL = 0.1  # s between two looks of a character; the last result is reused in between
SAME_WAY = 0.99  # cosine between two directions, above which the last result is reused
EDGE = 0.1  # m of a rise or drop; lower ones are left to the feet
BODY_HEIGHT = 1.8  # m, below which a bar is in the way
MARGIN = 0.06  # m of air before and behind feet that jump
FOOTHOLD = 0.16  # m behind an edge at which an ankle comes down
MIN_TOP = 0.45  # m of a box along the way to stand on
KEEP_AWAY = 0.4  # m from walls and from obstacles that no action fits
SLOWING = 0.25  # s: time constant with which a body slows down before an obstacle
HEED = 0.6  # s before an obstacle at which a way around is looked for
SIDES = np.radians([25, -25, 50, -50, 75, -75])  # rad from the commanded direction
FREE_WAY = 1.3  # m of free ground that a way around needs
MIN_SPEED = 0.15  # m/s, below which a command counts as standing
SEAT_REACH = 0.43  # m from the middle of a seat to where a character stands before sitting
ARRIVED = 0.22  # m from there at which it sits down
EDGE_ROOM = 0.3  # m before an edge at which a character waits for an action


class Planned(Protocol):
    """What the planner reads of a crowd."""

    @property
    def count(self) -> int: ...
    @property
    def database(self) -> Database: ...
    @property
    def root_positions(self) -> np.ndarray: ...
    @property
    def body(self) -> SimulatedBody: ...
    @property
    def settings(self) -> Any: ...
    @property
    def acting(self) -> np.ndarray: ...
    @property
    def state(self) -> Any: ...


@dataclass(frozen=True)
class Plan:
    """What the planner decided for one character, and why."""

    action: str = ""
    why: str = ""
    distance: float = np.inf  # m to what is ahead


@dataclass(frozen=True)
class Obstacle:
    """An obstacle ahead, and the request that passes it, if any does."""

    distance: float
    what: str
    request: Request | None = None


@dataclass
class PathView:
    """What a character saw when it last looked."""

    obstacle: Obstacle | None
    way: np.ndarray  # (2,)
    place: np.ndarray  # (3,) m
    age: float = 0.0  # s


class Planner:
    """Acts on a scene, which is the crowd's terrain too: `crowd.step(planner.plan(command, crowd, dt), dt)`."""

    def __init__(self, scene: Scene, abilities: Abilities):
        """`abilities`: what the actions of the database can do, by `Planner.of`."""
        self.scene, self.abilities = scene, abilities
        self.plans: list[Plan] = []  # of the last step, one for each character
        self._sides: dict[int, float] = {}
        self._seen: dict[int, PathView] = {}
        self._acting: dict[int, int] = {}  # stretches of the last step
        self._targets: dict[int, np.ndarray] = {}  # (3,) m that was asked for last
        self._seats: dict[int, Thing] = {}  # that characters go to and sit on

    @classmethod
    def of(cls, scene: Scene, crowd: Planned) -> "Planner":
        """For a crowd whose first source is a database with actions."""
        return cls(scene, find_abilities(crowd.database))

    def use(self, thing: Thing | None, character: int = 0) -> None:
        """Have a character go to a seat and sit on it; None ends that."""
        self._seats.pop(character, None)
        if thing is not None:
            self._seats[character] = thing

    def plan(self, command: Command, crowd: Planned, dt: float) -> Command:
        """The command with the actions that the scene needs, and with detours around other obstacles."""
        velocities, facings = command.velocities.copy(), command.facings.copy()
        given = command.request
        requests: list[Request | None]
        requests = list(given) if isinstance(given, Sequence) else [given] * crowd.count
        self.plans = []
        rests = find_rest_points(crowd.body, crowd.settings.velocity_halflife) - crowd.root_positions[:, [0, 2]]
        for n in range(crowd.count):
            place = self._find_place(n, crowd)
            if n in self._seats:
                requests[n], plan = self._go_to_seat(n, crowd, velocities, facings)
            elif place is None:
                plan = Plan("", "acts")
            elif requests[n] is None:
                ahead, plan = self._look_ahead(n, place, velocities, facings, rests[n], dt)
                requests[n] = ahead
                if ahead is not None:
                    self._targets[n] = np.asarray(ahead.target)
            else:
                plan = Plan()
            self.plans.append(plan)
        request = requests if any(one is not None for one in requests) else None
        return replace(command, velocities=velocities, facings=facings, request=request)

    def _find_place(self, n: int, crowd: Planned) -> np.ndarray | None:
        """Where a character looks ahead from: its root, or the target that its action has met; None before that."""
        own = int(crowd.state.acting.stretches[n])
        if own != self._acting.get(n, -1):
            self._acting[n] = own
            self._seen.pop(n, None)
        if own < 0:
            return crowd.root_positions[n]
        on_the_way = np.isfinite(crowd.state.acting.goals[n]).all()
        return None if on_the_way else self._targets.get(n)

    def _look_ahead(
        self, n: int, place: np.ndarray, velocities: np.ndarray, facings: np.ndarray, rest: np.ndarray, dt: float
    ) -> tuple[Request | None, Plan]:
        """`rest` (2,) m: from the root to where its body would come to rest."""
        speed = float(np.hypot(velocities[n, 0], velocities[n, 2]))
        if speed < MIN_SPEED:
            return None, Plan()
        way = velocities[n, [0, 2]] / speed
        obstacle = self._see(n, place, way, dt)
        ahead = float(rest @ way)
        if obstacle is None:
            self._sides.pop(n, None)
            return None, Plan()
        if obstacle.request is not None:
            # a character that is refused all the way stops at the edge
            self._slow_down(n, velocities, speed, obstacle.distance - EDGE_ROOM - ahead)
            return obstacle.request, Plan(obstacle.request.action, obstacle.what, obstacle.distance)
        room = obstacle.distance - KEEP_AWAY - ahead
        if room > HEED * speed:
            return None, Plan("", obstacle.what, obstacle.distance)
        for side in sorted(SIDES, key=lambda angle: abs(angle - self._sides.get(n, 0.0))):
            sine, cosine = np.sin(side), np.cos(side)
            turned = np.array([way[0] * cosine + way[1] * sine, way[1] * cosine - way[0] * sine])
            other = self.find_obstacle(place, turned, reach=FREE_WAY + KEEP_AWAY)
            if other is None or other.distance > FREE_WAY:
                self._sides[n] = float(side)
                # and it slows down before the obstacle
                share = min(max(room, 0.0) / (SLOWING * speed * max(float(cosine), 0.05)), 1.0)
                velocities[n, [0, 2]] = share * speed * turned
                if np.dot(facings[n, [0, 2]], way) > 0:
                    facings[n, [0, 2]] = turned
                return None, Plan("", f"around {obstacle.what}", obstacle.distance)
        self._slow_down(n, velocities, speed, room)
        return None, Plan("", f"stops before {obstacle.what}", obstacle.distance)

    def _see(self, n: int, place: np.ndarray, way: np.ndarray, dt: float) -> Obstacle | None:
        """The obstacle ahead, looked for again every LOOK_INTERVAL."""
        sight = self._seen.get(n)
        if sight is None or sight.age >= LOOK_INTERVAL or float(sight.way @ way) < SAME_WAY:
            sight = self._seen[n] = PathView(self.find_obstacle(place, way), way, place.copy())
        sight.age += dt
        if sight.obstacle is None:
            return None
        gone = float((place - sight.place)[[0, 2]] @ sight.way)
        return replace(sight.obstacle, distance=sight.obstacle.distance - gone)

    @staticmethod
    def _slow_down(n: int, velocities: np.ndarray, speed: float, room: float) -> None:
        allowed = max(room, 0.0) / SLOWING
        if allowed < speed:
            velocities[n] *= allowed / speed

    def find_obstacle(self, place: np.ndarray, way: np.ndarray, reach: float = LOOK) -> Obstacle | None:
        """The first obstacle from a place (3,) in a direction (2,), and how to pass it."""
        along = np.arange(SPACING, reach + FAR_SIDE, SPACING)
        points = place[[0, 2]] + along[:, None] * way
        rises = self.scene.heights(points) - place[1]
        changes = np.diff(rises, prepend=0.0)
        edges = np.flatnonzero(np.abs(changes) > EDGE)
        if len(edges) and along[edges[0]] > reach:
            edges = edges[:0]
        first = int(edges[0]) if len(edges) else round(reach / SPACING)
        bar = self._find_bar(place, way, along[min(first, len(along) - 1)])
        if bar is not None:
            return bar
        if not len(edges):
            return None
        edge, level = float(along[first]) - SPACING / 2, float(rises[first])
        ends = [k for k in edges[1:] if abs(changes[k]) > EDGE]
        stop = float(along[ends[0]]) - SPACING / 2 if ends else np.inf
        after = float(rises[ends[0]]) if ends else level
        return self._find_way_on(place, way, edge, stop, level, after)

    def _find_way_on(
        self, place: np.ndarray, way: np.ndarray, edge: float, stop: float, level: float, after: float
    ) -> Obstacle:
        """How to pass a change of the ground to a level (m above here) from an edge to a stop."""
        able, depth = self.abilities, stop - edge

        def point(distance: float, height: float) -> np.ndarray:
            return np.array([place[0] + distance * way[0], place[1] + height, place[2] + distance * way[1]])

        facing = np.array([way[0], 0.0, way[1]])
        if level < 0 and abs(after) <= EDGE:  # a gap
            what = f"a gap of {depth:.2f} m"
            if able.can_jump(depth + 2 * MARGIN):
                for clear in able.clears[able.lands & (able.clears[:, :ROOM].sum(axis=1) >= depth + 2 * MARGIN)]:
                    beyond = MARGIN - min(float(clear[1]), 0.1)  # m behind the far edge that the root lands
                    needs = depth + beyond + MARGIN, MARGIN - beyond, np.nan
                    if clear[0] >= needs[0] and clear[1] >= needs[1]:
                        return Obstacle(edge, what, Request("jump", point(stop + beyond, 0.0), clear=needs))
            return Obstacle(edge, what)
        what = f"{'a step' if level > 0 else 'a drop'} of {abs(level):.2f} m"
        if level > 0 and abs(after) <= EDGE and depth < MIN_TOP:
            action = able.can_hop(level, depth + 2 * MARGIN)
            if action is not None:
                half = depth / 2 + MARGIN
                clear = half, half, level
                return Obstacle(edge, what, Request(action, point(edge + depth / 2, 0.0), facing, clear=clear))
        action = able.can_climb(level)
        if action is not None and (depth >= MIN_TOP or level < 0):
            return Obstacle(edge, what, Request(action, point(edge + FOOTHOLD, level), facing))
        return Obstacle(edge, what)

    def _find_bar(self, place: np.ndarray, way: np.ndarray, reach: float) -> Obstacle | None:
        """The first bar ahead that is in the way of a body."""
        rows = self.scene.bars
        if not len(rows):
            return None
        low = rows[:, BOTTOM] - place[1]
        x, z = place[0] - rows[:, X], place[2] - rows[:, Z]
        start = x * rows[:, COSINE] - z * rows[:, SINE], x * rows[:, SINE] + z * rows[:, COSINE]
        step = way[0] * rows[:, COSINE] - way[1] * rows[:, SINE], way[0] * rows[:, SINE] + way[1] * rows[:, COSINE]
        enters, leaves = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
        for begin, go, half in zip(start, step, (rows[:, HALF_X], rows[:, HALF_Z])):
            with np.errstate(divide="ignore", invalid="ignore"):
                near, far = (-half - begin) / go, (half - begin) / go
            still = np.abs(go) < 1e-9
            near = np.where(still, np.where(np.abs(begin) <= half, -np.inf, np.inf), near)
            far = np.where(still, np.inf, far)
            enters, leaves = np.maximum(enters, np.minimum(near, far)), np.minimum(leaves, np.maximum(near, far))
        ahead = (enters < leaves) & (enters > 0) & (enters <= reach) & (low < BODY_HEIGHT) & (low > 0)
        if not ahead.any():
            return None
        k = int(np.flatnonzero(ahead)[np.argmin(enters[ahead])])
        what, middle = f"a bar at {low[k]:.2f} m", 0.5 * (enters[k] + leaves[k])
        action = self.abilities.can_pass_below(float(low[k]))
        if action is None:
            return Obstacle(float(enters[k]), what)
        target = np.array([place[0] + middle * way[0], place[1], place[2] + middle * way[1]])
        clear = np.nan, np.nan, -float(low[k])
        return Obstacle(float(enters[k]), what, Request(action, target, np.array([way[0], 0.0, way[1]]), clear=clear))

    def _go_to_seat(
        self, n: int, crowd: Planned, velocities: np.ndarray, facings: np.ndarray
    ) -> tuple[Request | None, Plan]:
        """Walk to the front of a seat, turn, and sit down for as long as it is used."""
        seat = self._seats[n]
        target, facing = seat.top, seat.facing
        before = np.asarray(seat.place) + facing * SEAT_REACH
        away = (before - crowd.root_positions[n])[[0, 2]]
        distance = float(np.hypot(*away))
        velocities[n], request = 0.0, Request("sit", target, facing, clear=(np.nan, np.nan, -SEAT_DEPTH))
        if not crowd.acting[n]:
            if distance > ARRIVED:
                velocities[n, [0, 2]] = away / distance * min(1.2, 0.3 + distance)
                facings[n, [0, 2]] = away / distance if distance > 0.8 else facing[[0, 2]]
            else:
                facings[n] = facing
        return request, Plan("sit", seat.label, distance)
