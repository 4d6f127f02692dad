"""Jumps out of a run: one flight of the run lasts longer, with the push before it and the landing after it."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.math import quaternion
from kinematch.motion.skeleton import Skeleton
from kinematch.synth.actions.puppet import Puppet, along_floor, curve, lean, move_arm
from kinematch.synth.gait import DEGREE, GRAVITY
from kinematch.synth.legs import Leg

LANDING_SLOWER = 1.25  # times that the stance after the landing takes, which has more to stop
TRAILS = 1.6  # flights that a foot is drawn up for
LEVEL_TUCK = 0.25  # m of tuck with which feet are level
TUCK = 0.10  # m that the feet are drawn up in a high jump


@dataclass(frozen=True)
class JumpFlight:
    """The flight of a run that becomes the jump, in seconds of the clip."""

    steps_on: float  # the foot that takes off is put down
    leaves: float
    lands: float
    steps_off: float  # the foot that landed leaves


def find_stride(puppet: Puppet, after: float) -> JumpFlight:
    """The first flight that starts after a time."""
    flying = ~(puppet.contacts[:, 0] | puppet.contacts[:, 1])
    edges = np.flatnonzero(np.diff(flying.astype(int))) + 1  # takes off, lands, takes off, ...
    k = next(k for k in range(2, len(edges) - 3) if flying[edges[k]] and edges[k] > after * puppet.frame_rate)
    return JumpFlight(*(float(edge) / puppet.frame_rate for edge in edges[k - 1 : k + 3]))


def jump(
    puppet: Puppet, figure: Skeleton, flight: float, *, after: float, tuck: float = TUCK
) -> tuple[Puppet, JumpFlight]:
    """Have a running body jump: with a flight of a given duration (s); its moments in the new clip."""
    old = find_stride(puppet, after)
    new = JumpFlight(old.steps_on, old.leaves, old.leaves + flight, 0.0)
    new = replace(new, steps_off=new.lands + LANDING_SLOWER * (old.steps_off - old.lands))
    ends = puppet.times[-1]
    then = np.arange(0.0, new.steps_off + ends - old.steps_off, 1 / puppet.frame_rate)
    # times of the run that these times show
    shown = np.interp(
        then,
        [0.0, new.leaves, new.lands, new.steps_off, new.steps_off + ends - old.steps_off],
        [0.0, old.leaves, old.lands, old.steps_off, ends],
    )
    made = sample(puppet, shown, airborne=(then > new.leaves) & (then < new.lands))
    made = keep_pace(made, puppet, then, shown, old)
    height, added = rise(made, puppet, old, new)
    share = np.clip((then - new.leaves) / flight, 0.0, 1.0)
    trailing = int(np.argmax(puppet.contacts[np.searchsorted(puppet.times, old.leaves) - 2]))
    begins = new.leaves - (TRAILS - 1) * flight
    legs = []
    for foot in (0, 1):
        # planted feet stay down: what the hips rise, a foot rises only while it is in the air
        free = np.interp(then, *weigh_air(made.contacts[:, foot], then))
        # the foot that took off passes what is jumped over last, the other one first; toes are drawn up with feet
        since = then - (new.leaves if foot == trailing else begins)
        drawn = np.sin(np.pi * np.clip(since / (TRAILS * flight), 0.0, 1.0)) ** 2 * free
        lifted = np.where((share > 0) & (share < 1), np.maximum(added, -0.05), 0.0) * free + tuck * drawn
        ankles = made.legs[foot].ankles + lifted[:, None] * [0, 1, 0]
        pitches = made.legs[foot].pitches * (1 - min(tuck / LEVEL_TUCK, 1.0) * drawn)
        legs.append(replace(made.legs[foot], ankles=ankles, pitches=pitches))
    made = made.with_(hips=made.hips + (height - made.hips[:, 1])[:, None] * [0, 1, 0], legs=(legs[0], legs[1]))
    bow = curve(
        then,
        [(new.steps_on, 0.0), (new.leaves, -6 * DEGREE), ((new.leaves + new.lands) / 2, 6 * DEGREE),
         (new.lands, 10 * DEGREE), (new.lands + 0.12, 14 * DEGREE), (new.steps_off + 0.35, 0.0)],
    )  # fmt: skip
    made = lean(made, figure, bow)
    spread = curve(
        then,
        [(new.steps_on, 0.0), ((new.leaves + new.lands) / 2, 1.0), (new.lands, 0.8), (new.steps_off + 0.25, 0.0)],
    )
    for side in (0, 1):
        made = move_arm(made, figure, side, out=28 * DEGREE * spread, raised=14 * DEGREE * spread)
    return made, new


def sample(puppet: Puppet, times: np.ndarray, *, airborne: np.ndarray) -> Puppet:
    """The puppet at other times; between two frames it is blended."""
    frames = np.clip(times * puppet.frame_rate, 0, len(puppet.hips) - 1)
    first = np.minimum(frames.astype(int), len(puppet.hips) - 2)
    t = frames - first

    def mix(values: np.ndarray) -> np.ndarray:
        share = t.reshape(-1, *[1] * (values.ndim - 1))
        return values[first] * (1 - share) + values[first + 1] * share

    def turn(values: np.ndarray) -> np.ndarray:
        return quaternion.unit(mix(quaternion.unroll(values)), quaternion.IDENTITY)

    legs = [Leg(*(mix(getattr(leg, name)) for name in ("ankles", "yaws", "pitches", "bends"))) for leg in puppet.legs]
    contacts = puppet.contacts[np.round(frames).astype(int)] & ~airborne[:, None]
    return Puppet(
        puppet.frame_rate, mix(puppet.facings), mix(puppet.hips), turn(puppet.pelvis), (legs[0], legs[1]),
        turn(puppet.rotations), contacts,
    )  # fmt: skip


def keep_pace(made: Puppet, puppet: Puppet, then: np.ndarray, shown: np.ndarray, old: JumpFlight) -> Puppet:
    """Shift everything ahead in the longer flight, so that the hips keep the speed that they left with."""
    own = np.interp([old.leaves, old.lands], puppet.times, puppet.hips[:, 2])
    speed = (own[1] - own[0]) / (old.lands - old.leaves)
    flown = (shown > old.leaves) & (shown <= old.lands)
    slower = np.gradient(shown, then)
    extra = np.cumsum(np.where(flown, speed * (1 - slower), 0.0)) / puppet.frame_rate
    shift = along_floor(made.facings, extra)
    legs = [replace(leg, ankles=leg.ankles + shift) for leg in made.legs]
    return made.with_(hips=made.hips + shift, legs=(legs[0], legs[1]))


def rise(made: Puppet, puppet: Puppet, old: JumpFlight, new: JumpFlight) -> tuple[np.ndarray, np.ndarray]:
    """The height (F,) of the hips through push, flight and landing, and how much higher they are than in the run."""
    own, rates = puppet.hips[:, 1], np.gradient(puppet.hips[:, 1], 1 / puppet.frame_rate)
    flight = new.lands - new.leaves
    at = dict(zip(("on", "up", "down", "off"), np.interp(list(old.__dict__.values()), puppet.times, own)))
    drift, pull = (at["down"] - at["up"]) / flight, GRAVITY * flight / 2
    ends = np.interp([old.steps_on, old.steps_off], puppet.times, rates)
    height = curve(
        made.times,
        [(new.steps_on, at["on"], ends[0]), (new.leaves, at["up"], drift + pull),
         (new.lands, at["down"], drift - pull), (new.steps_off, at["off"], ends[1])],
    )  # fmt: skip
    inside = (made.times >= new.steps_on) & (made.times <= new.steps_off)
    height = np.where(inside, height, made.hips[:, 1])
    return height, height - made.hips[:, 1]


def weigh_air(contacts: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys of a weight that is 1 in the middle of a swing, and 0 while the foot is down."""
    edges = np.flatnonzero(np.diff(contacts.astype(int))) + 1
    places, values = [times[0]], [0.0 if contacts[0] else 1.0]
    for k, edge in enumerate(edges):
        length = (edges[k + 1] if k + 1 < len(edges) else len(times)) - edge
        if not contacts[edge] and length > 2:
            ease = min(0.08, length / 3 * (times[1] - times[0]))
            last = times[min(edge + length, len(times) - 1)]
            places += [times[edge], times[edge] + ease, last - ease, last]
            values += [0.0, 1.0, 1.0, 0.0]
    order = np.argsort(places, kind="stable")
    return np.array(places)[order], np.array(values)[order]
