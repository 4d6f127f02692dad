"""Footsteps along a path: which foot leaves the floor when, when it lands, where, and how it is turned."""

from dataclasses import dataclass

import numpy as np

from kinematch.synth import gait
from kinematch.synth.gait import DEGREE, GRAVITY, BodyCarriage
from kinematch.synth.path import GroundPath, directions
from kinematch.synth.skeleton import BALL_AHEAD, HEEL_BEHIND, HIP_HALF_WIDTH, HIPS_HEIGHT

LEFT, RIGHT = 0, 1
SIDES = np.array([1.0, -1.0])  # of the two feet along +X

MOVING_SPEED, MOVING_TURN = 0.06, 0.12  # m/s and rad/s: below, a person stands
SHORTEST_REST = 0.7  # s: a shorter pause between two movements is walked through
SHORTEST_STANCE = 0.1  # s
TOE_OUT, IDLE_TOE_OUT = 6 * DEGREE, 9 * DEGREE
SIDESTEP_TOE_OUT = 16 * DEGREE  # added at 1 m/s aside, so that the knees bend outward over the feet
FOOT_AHEAD = -0.03  # m: a standing person's hips are a little ahead of the ankles
LAND_REACH, LEAVE_REACH = 0.40, 0.46  # m from the hip over the floor
RUN_LESS = 0.09  # m: a runner's foot lands nearer
LEAN_PLACEMENT = 0.7  # share of the lean that shows in where the feet are put; the trunk does the rest
CLEARANCE = 0.09  # m that ankles keep apart sideways at a walk: the width of a foot


@dataclass(frozen=True)
class Footsteps:
    """Steps in the order in which they land, and the stand before the first."""

    feet: np.ndarray  # (S,) 0 left, 1 right
    lifts: np.ndarray  # (S,) s
    lands: np.ndarray  # (S,) s
    positions: np.ndarray  # (S, 2) m, floor below the ankle of the flat foot
    yaws: np.ndarray  # (S,) rad
    stand_positions: np.ndarray  # (2, 2) m
    stand_yaws: np.ndarray  # (2,) rad


@dataclass(frozen=True)
class Stances:
    """The times one foot is on the floor, end to end with its swings; the first starts before the clip, the last ends
    after it."""

    lands: np.ndarray  # (N,) s
    lifts: np.ndarray  # (N,) s
    positions: np.ndarray  # (N, 2) m
    yaws: np.ndarray  # (N,) rad


def bouts(path: GroundPath) -> list[tuple[int, int]]:
    """Frame ranges in which the body moves or turns."""
    speeds = np.linalg.norm(path.velocities, axis=-1)
    moving = (speeds > MOVING_SPEED) | (np.abs(path.turn_rates) > MOVING_TURN)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], moving, [False]]).astype(int)))
    ranges: list[tuple[int, int]] = []
    for start, stop in edges.reshape(-1, 2):
        if ranges and start - ranges[-1][1] < SHORTEST_REST * path.frame_rate:
            ranges[-1] = (ranges[-1][0], int(stop))
        else:
            ranges.append((int(start), int(stop)))
    return ranges


def plan(path: GroundPath, posture: BodyCarriage, rng: np.random.Generator) -> Footsteps:
    """All steps of a path, with small natural variation."""
    stand = _stand(path, 0, rng)
    steps = [(np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros((0, 2)), np.zeros(0))]
    now = stand
    for start, stop in bouts(path):
        soon = round(0.8 * path.frame_rate)
        leading = _leading(path, start, min(stop, start + soon))
        closing = _leading(path, max(start, stop - soon), stop)
        first = int(rng.integers(2)) if leading is None else leading
        # a sidestep or a turn ends with the foot that follows
        last = None if closing is None else 1 - closing
        lift, land, middle = _timing(path, posture, start, stop, rng, odd=None if last is None else first == last)
        foot = (first + np.arange(len(lift))) % 2
        place, yaw = _placement(path, foot, middle, rng)
        _keep_in_reach(path, foot, land, lift, place)
        final = _stand(path, min(stop + round(0.3 * path.frame_rate), len(path.facings) - 1), rng)
        place[-2:], yaw[-2:] = final[0][foot[-2:]], final[1][foot[-2:]]
        _keep_apart(path, now[0], foot, land, place)
        _leave_in_time(path, now[0], foot, land, lift, place)
        steps.append((foot, lift, land, place, yaw))
        now = place[-2:][np.argsort(foot[-2:])], final[1]
    feet, lifts, lands, positions, yaws = (np.concatenate(column) for column in zip(*steps))
    return Footsteps(feet, lifts, lands, positions, yaws, stand[0], stand[1])


def stances(steps: Footsteps, foot: int) -> Stances:
    """What one foot does, from the list of all steps."""
    mine = steps.feet == foot
    before, after = -10.0, 1e6  # s: outside of any clip, so that the first and last stances never roll
    return Stances(
        lands=np.concatenate([[before], steps.lands[mine]]),
        lifts=np.concatenate([steps.lifts[mine], [after]]),
        positions=np.concatenate([steps.stand_positions[foot][None], steps.positions[mine]]),
        yaws=np.concatenate([steps.stand_yaws[foot][None], steps.yaws[mine]]),
    )


def _stand(path: GroundPath, frame: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both feet of a person who stands where the path is at a frame: positions (2, 2) and yaws (2,)."""
    ahead, left = directions(path.facings[frame])
    along = FOOT_AHEAD + rng.normal(0.0, 0.008, 2)
    across = SIDES * (gait.IDLE_WIDTH + rng.normal(0.0, 0.008, 2)) / 2
    yaws = path.facings[frame] + SIDES * (IDLE_TOE_OUT + rng.normal(0.0, 1.5 * DEGREE, 2))
    return path.positions[frame] + along[:, None] * ahead + across[:, None] * left, yaws


def _leading(path: GroundPath, start: int, stop: int) -> int | None:
    """The foot on the side to which the body moves or turns in these frames, where it clearly does."""
    left = path.local_velocities[start:stop, 1].mean() / 0.15 + path.turn_rates[start:stop].mean() / 0.3
    return None if abs(left) < 1 else (LEFT if left > 0 else RIGHT)


def _timing(
    path: GroundPath, posture: BodyCarriage, start: int, stop: int, rng: np.random.Generator, *, odd: bool | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lift, landing and mid-stance times (s) of the steps of one bout, odd or even in number where that matters.

    Cadence integrates to a phase that counts landings; it is stretched a little to end on a whole step.
    """
    dt = 1 / path.frame_rate
    stop = min(stop + round(0.12 * path.frame_rate), len(path.facings))
    part = slice(start, stop)
    forward, left = path.local_velocities[part].T
    change = np.linalg.norm(path.accelerations[part], axis=-1)
    pace = gait.cadence(forward, left, path.turn_rates[part], running=path.running[part]) * posture.cadence
    pace = np.maximum(
        pace, gait.SLOWEST_CADENCE + (gait.TRANSIENT_CADENCE - gait.SLOWEST_CADENCE) * gait.ramp(change, 0.2, 1.0)
    )
    clock = np.arange(start, stop + 1) * dt
    phase = np.concatenate([[0.0], np.cumsum(pace / 60 * dt)])
    count = max(2, round(phase[-1]) if odd is None else 2 * round((phase[-1] - odd) / 2) + odd)
    count += int(odd is not None and count % 2 != odd)
    phase *= count / phase[-1]
    landing = np.arange(1, count + 1) + np.concatenate([rng.normal(0.0, 0.012, count - 1), [0.0]])
    lands = np.interp(landing, phase, clock)
    speeds = np.hypot(forward, left)
    at = np.clip(np.round(lands / dt).astype(int) - start, 0, len(speeds) - 1)
    before = np.clip(at - round(0.25 * path.frame_rate), 0, None)
    slow = np.minimum(speeds[at], speeds[before])
    share = gait.duty(slow, path.running[part][before])
    runs = path.running[part][before] > 0.5
    lift_phase = landing - 2 * (1 - share)
    lift_phase[1:] = np.where(runs[1:], lift_phase[1:], np.maximum(lift_phase[1:], landing[:-1] + 0.06))
    lifts = np.interp(np.maximum(lift_phase, 0.12), phase, clock)
    lifts[2:] = np.maximum(lifts[2:], lands[:-2] + SHORTEST_STANCE)
    middles = np.interp(landing + share, phase, clock)
    middles[:-2] = (lands[:-2] + lifts[2:]) / 2
    return lifts, lands, middles


def _placement(
    path: GroundPath, feet: np.ndarray, middles: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Where feet are put: the body passes over each at the middle of its stance, leaning as it accelerates."""
    clock = path.times

    def sample(x: np.ndarray) -> np.ndarray:
        return np.interp(middles, clock, x)

    body = np.stack([sample(path.positions[:, 0]), sample(path.positions[:, 1])], -1)
    pull = np.stack([sample(path.accelerations[:, 0]), sample(path.accelerations[:, 1])], -1)
    facings = sample(path.facings)
    forward, left = (sample(x) for x in path.local_velocities.T)
    running = sample(path.running)
    pace = gait.cadence(forward, left, sample(path.turn_rates), running=running)
    # a sideways step adds to the width what the body moves in its time, so that the closing foot stays on its side
    width = gait.step_width(forward, left, running) + np.abs(left) * 60 / pace
    width = width + rng.normal(0.0, 0.007, len(feet))
    ahead, leftward = directions(facings)
    along = FOOT_AHEAD - 0.05 * np.clip(forward / 1.2, 0.0, 1.0) - 0.075 * running + rng.normal(0.0, 0.006, len(feet))
    sides = SIDES[feet]
    place = (
        body - pull * (0.7 * HIPS_HEIGHT / GRAVITY) + along[:, None] * ahead + (sides * width / 2)[:, None] * leftward
    )
    toe_out = IDLE_TOE_OUT + (TOE_OUT - IDLE_TOE_OUT) * gait.ramp(np.hypot(forward, left), 0.0, 1.0)
    toe_out = toe_out + SIDESTEP_TOE_OUT * np.abs(left)
    return place, facings + sides * (toe_out * (1 - 0.6 * running) + rng.normal(0.0, 1.0 * DEGREE, len(feet)))


def _hip(path: GroundPath, times: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Floor positions (N, 2) below the hip joints of these sides."""
    _, left = directions(np.interp(times, path.times, path.facings))
    body = np.stack([np.interp(times, path.times, path.positions[:, axis]) for axis in (0, 1)], -1)
    return body + np.expand_dims(HIP_HALF_WIDTH * sides, -1) * left


def _stray(place: np.ndarray, yaw: np.ndarray, hip: np.ndarray) -> np.ndarray:
    """How far (N, 2) the point on which a foot leaves is from its hip: the ball when behind, else the heel.

    A foot ahead can give much less than one behind, so its way counts for more.
    """
    ahead, _ = directions(yaw)
    behind = np.sum((hip - place) * ahead, -1, keepdims=True) > 0
    return (place + np.where(behind, BALL_AHEAD, -HEEL_BEHIND) * ahead - hip) * np.where(behind, 1.0, 1.5)


def _keep_in_reach(path: GroundPath, feet: np.ndarray, lands: np.ndarray, lifts: np.ndarray, place: np.ndarray) -> None:
    """Draw a foot in that would stay behind too far, or land too far from its hip: the body would have to sink."""
    yaws = np.interp(lands, path.times, path.facings)
    _, across = directions(yaws)
    leave = np.concatenate([lifts[2:], lands[-2:] + 0.5])
    land_reach = LAND_REACH - RUN_LESS * np.interp(lands, path.times, path.running)[:, None]
    for when, reach in ((leave, LEAVE_REACH), (lands, land_reach)):
        hip = _hip(path, when, SIDES[feet])
        away = place - hip if when is lands else _stray(place, yaws, hip)
        # the legs spread less to the side than they do ahead
        far = np.hypot(np.linalg.norm(away, axis=-1), 0.75 * np.sum(away * across, -1))[:, None]
        place -= away * np.clip(1 - reach / np.maximum(far, reach), 0.0, 1.0)


def _leave_in_time(
    path: GroundPath, standing: np.ndarray, feet: np.ndarray, lands: np.ndarray, lifts: np.ndarray, place: np.ndarray
) -> None:
    """Lift a foot earlier that is still left behind too far; at a walk not before the other one stands."""
    for k, foot in enumerate(feet):
        spot, since = (place[k - 2], lands[k - 2]) if k >= 2 else (standing[foot], lifts[k] - 0.4)
        when = np.linspace(lifts[k], since, 24)
        hip = _hip(path, when, SIDES[foot])
        stray = _stray(spot, np.interp(when, path.times, path.facings), hip)
        far = np.linalg.norm(stray, axis=-1) > 1.04 * LEAVE_REACH
        if not far[0] or k == 0:
            continue
        earlier = when[int(np.argmin(far))] if not far.all() else since
        runs = np.interp(lifts[k], path.times, path.running) > 0.5
        lifts[k] = min(lifts[k], max(earlier, since + SHORTEST_STANCE, 0.0 if runs else lands[k - 1] + 0.02))


def _keep_apart(path: GroundPath, standing: np.ndarray, feet: np.ndarray, lands: np.ndarray, place: np.ndarray) -> None:
    """Push a landing foot outward where it would come too near to the line of the other one."""
    spots = standing.copy()
    for k, foot in enumerate(feet):
        frame = min(round(lands[k] * path.frame_rate), len(path.facings) - 1)
        _, left = directions(path.facings[frame])
        outward = left * SIDES[foot]
        apart = CLEARANCE * (1 - 0.6 * path.running[frame])
        lack = apart - float((place[k] - spots[1 - foot]) @ outward)
        if lack > 0:
            place[k] += lack * outward
        spots[foot] = place[k]
