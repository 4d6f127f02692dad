"""Acting: characters are led to places, and what they do there is scored: success, error, penetration, slip, pops."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.reason import Refusal
from kinematch.control.command import move
from kinematch.control.request import Request
from kinematch.database.actions import FRAME, STRETCH, Actions
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.feet import Floor, feet, floor_of
from kinematch.evaluate.places import Place, draw_places, find_fit, find_nearest
from kinematch.evaluate.smoothness import Limits, excess, find_body_joints, limits_of, pops
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.motion.heading import yaw_of
from kinematch.motion.kinematics import forward
from kinematch.scene.abilities import Abilities, find_abilities
from kinematch.scene.objects import BAR, BOTTOM, TOP, Scene, Thing, find_inside
from kinematch.scene.planner import Planner

RATE = 60.0
MAX_SECONDS = 14.0  # s at a place
SITTING = 2.0  # s that a seat is held
AROUND = 1.0  # s before and after an action in which stances are looked at
DEEP = 0.02  # m within an obstacle
DONE = 0.1, 20.0  # m and degrees of error, up to which an action was done


@dataclass
class Visit:
    """What happened at one place."""

    place: Place
    fit: str  # the action that fits, or nothing
    entered: str = ""
    error: float = np.inf  # m, of the event's point
    turn: float = np.inf  # degrees
    waited: float = np.nan  # s from the first request to the entry
    deep: int = 0  # frames
    frames: int = 0
    pops: int = 0
    slips: list[float] = field(default_factory=list)  # m/s of toes on the ground
    refusals: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return bool(self.entered and self.error <= DONE[0] and self.turn <= DONE[1])


@dataclass(frozen=True)
class Judge:
    """What motions are compared with: of the source."""

    limits: Limits
    floor: Floor


@dataclass(frozen=True)
class ActionScore:
    visits: list[Visit]
    unwarped: list[Visit]
    pinned: list[Visit]  # by the clip whose own size is nearest, and without the warp
    source_slip: float  # m/s
    cost: float  # times a step without a scene


def score_actions(
    database: Database, seed: int = 0, progress: Callable[[int, int], None] = lambda done, total: None
) -> ActionScore:
    """Visit 40 places: with the warp, without, and with the one clip whose own size is nearest to each place."""
    poses = database.poses
    if not poses.actions.names:
        raise KinematchError("the database has no actions: a recipe lists them as [[source.action]]")
    able, places = find_abilities(database), draw_places(seed)
    clips = [poses.clip(c) for c in range(poses.clip_count)]
    moved = [forward(clip.skeleton, clip.positions, clip.rotations)[0] for clip in clips]
    limits = limits_of(moved, poses.frame_rate, joints=find_body_joints(poses.skeleton), parents=poses.skeleton.parents)
    level = [positions - positions[:, :1] * [0, 1, 0] for positions in moved]  # above the ground of the root
    judge = Judge(limits, floor_of(level, poses.contact_joints))
    visits: list[Visit] = []
    for number, place in enumerate(places):
        progress(number, 3 * len(places))
        visits.append(visit(database, able, place, find_fit(place, able), judge))
    unwarped, pinned = [], []
    for number, one in enumerate(visits):
        progress(len(places) + 2 * number, 3 * len(places))
        if one.fit:
            unwarped.append(visit(database, able, one.place, one.fit, judge, warped=False))
            lone = pin_stretch(database, find_nearest(one.place, able))
            pinned.append(visit(lone, find_abilities(lone), one.place, one.fit, judge, warped=False))
    slips = np.concatenate([feet(positions, poses.frame_rate, judge.floor).speeds for positions in level])
    return ActionScore(visits, unwarped, pinned, float(slips.mean()), measure_cost(database, able))


def pin_stretch(database: Database, row: int) -> Database:
    """A database whose only action is one stretch."""
    actions = database.poses.actions
    own = np.flatnonzero(actions.events[:, STRETCH] == row)
    events = actions.events[own] * [0, 1, 1]
    target = np.searchsorted(own, actions.targets[[row]])
    lone = Actions(
        actions.names, actions.stretches[[row]], target.astype(np.int32), events.astype(np.int32), actions.points[own]
    )
    return replace(database, poses=replace(database.poses, actions=lone), features=replace(database.features))


def visit(database: Database, able: Abilities, place: Place, fit: str, judge: Judge, *, warped: bool = True) -> Visit:
    """Lead a character to a place, by the planner; without the warp an action plays as it is."""
    scene = Scene(place.things)
    crowd = Crowd(database, terrain=scene)
    planner, out = Planner(scene, able), Visit(place, fit)
    seat = place.things[0] if place.kind == "bench" else None
    planner.use(seat)
    actions, poses = database.poses.actions, []
    asked, request, began, ended = np.nan, None, -1, -1
    for step in range(round(MAX_SECONDS * RATE)):
        command = planner.plan(move([0.0, 0.0, place.speed]), crowd, 1 / RATE)
        wanted = command.request[0] if isinstance(command.request, list) else None
        if wanted is not None and np.isnan(asked):
            asked = step / RATE
        if wanted is not None and began < 0:
            request = wanted
        pose = crowd.step(command, 1 / RATE)
        own = int(pose.acting[0])
        poses.append(pose.global_positions[0].astype(np.float64))
        if pose.refusals[0]:
            name = Refusal(int(pose.refusals[0])).name
            if name not in out.refusals:
                out.refusals.append(name)
        if own >= 0 and began < 0:
            began, out.waited = step, step / RATE - asked
            out.entered = actions.names[actions.stretches[own, 0]]
        if own >= 0 and not warped:
            crowd.state.acting.goals[:] = np.nan
        yaw = float(crowd.root_yaws[0])
        if own >= 0 and request is not None and np.isinf(out.error):
            event = actions.targets[own]
            if pose.frames[0] >= actions.events[event, FRAME]:
                _measure_event(out, crowd, request, find_contact_point(database, event, pose.global_positions[0], yaw))
                if seat is not None:
                    seated = step + round(SITTING * RATE)
        if seat is not None and np.isfinite(out.error) and step > seated:
            planner.use(None)
        if began >= 0 and own < 0 and ended < 0:
            ended = step
        if ended >= 0 and step > ended + AROUND * RATE:
            break
    _measure_way(out, scene, np.array(poses), judge, (began, ended))
    return out


def find_contact_point(database: Database, event: int, shown: np.ndarray, yaw: float) -> np.ndarray:
    """Where the point (3,) of an event is on a body that is shown with joints (J, 3): as far from the joint next to it
    as in the clip."""
    poses, actions = database.poses, database.poses.actions
    frame, point = int(actions.events[event, FRAME]), actions.points[event].astype(np.float64)
    positions, _ = forward(poses.skeleton, poses.positions[[frame]], poses.rotations[[frame]])
    local = rotate_about_y(positions[0].astype(np.float64) - positions[0, 0], -float(yaw_of(poses.rotations[frame, 0])))
    joint = int(np.argmin(np.linalg.norm(local - point, axis=-1)))
    return shown[joint] + rotate_about_y(point - local[joint], yaw)


def _measure_event(out: Visit, crowd: Crowd, request: Request, place: np.ndarray) -> None:
    yaw = float(crowd.root_yaws[0])
    out.error = float(np.linalg.norm(place - np.asarray(request.target)))
    facing = request.facing
    wanted = yaw if facing is None else float(np.arctan2(np.asarray(facing)[0], np.asarray(facing)[2]))
    out.turn = float(abs(np.degrees(wrap_angle(np.array(yaw - wanted)))))


def _measure_way(out: Visit, scene: Scene, positions: np.ndarray, judge: Judge, action: tuple[int, int]) -> None:
    out.frames, out.deep = len(positions), count_deep(scene, positions)
    out.pops = len(pops(excess(positions, RATE, judge.limits), RATE))
    began, ended = action
    if began < 0 or ended < 0:
        return
    around, toes = round(AROUND * RATE), positions[:, judge.floor.joints]
    ground = scene.heights(toes[..., [0, 2]].reshape(-1, 2)).reshape(toes.shape[:2])
    for own in (slice(max(began - around, 0), began), slice(ended, ended + around)):
        out.slips += feet(positions[own], RATE, judge.floor, ground[own]).speeds.tolist()


def count_deep(scene: Scene, positions: np.ndarray) -> int:
    """Frames in which a joint is more than DEEP within a thing; the lower face of a box and a seat's top count not."""
    solid = [thing for thing in scene.things if thing.kind != "gap"]
    deep = np.zeros(len(positions), bool)
    for thing in solid:
        rows = _shrink(thing)
        points = positions[:, 1:].reshape(-1, 3)
        inside, _ = find_inside(rows, points[:, [0, 2]])
        low = rows[0, BOTTOM] if thing.kind == BAR else -np.inf
        hits = inside[(points[inside, 1] > low) & (points[inside, 1] < rows[0, TOP])]
        deep[hits // (positions.shape[1] - 1)] = True
    return int(deep.sum())


def _shrink(thing: Thing) -> np.ndarray:
    """The row of a thing that is smaller by DEEP all around; feet may be in its top by their shoes."""
    size, place = np.asarray(thing.size), np.asarray(thing.place)
    less = np.minimum(2 * DEEP, 0.5 * size)
    smaller = Thing(BAR, place + [0, less[1] / 2, 0], size - less, thing.yaw)
    return Scene((smaller,)).bars


def measure_cost(database: Database, able: Abilities, rounds: int = 5, steps: int = 120) -> float:
    """How much longer a step takes with ten things near, of the fastest of some rounds taken in turn."""
    random = np.random.default_rng(0)
    things = tuple(
        Thing("box", (float(x), 0.0, float(z)), (0.5, 0.4, 0.5)) for x, z in random.uniform(-4, 4, (10, 2)) + [5.0, 6.0]
    )
    scene = Scene(things)
    flat, near = Crowd(database, terrain=Scene()), Crowd(database, terrain=scene)
    planner, command = Planner(scene, able), move([0.0, 0.0, 1.3])
    best = [np.inf, np.inf]
    for _ in range(rounds):
        for which in (0, 1):
            crowd = (flat, near)[which]
            crowd.start_over(np.zeros((1, 3)), np.zeros(1))
            begun = perf_counter()
            for _ in range(steps):
                crowd.step(planner.plan(command, crowd, 1 / RATE) if which else command, 1 / RATE)
            best[which] = min(best[which], perf_counter() - begun)
    return best[1] / best[0]
