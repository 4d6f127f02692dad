"""Built-in locomotion: the motions that a database needs (thesis 3.2.1, "dance card"), each with a stop at its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from kinematch.motion.clip import Clip
from kinematch.synth.gait import DEGREE, POSTURES, RUN_ABOVE, UPRIGHT, BodyCarriage
from kinematch.synth.path import RUN_ACCELERATION, WALK_ACCELERATION, Move, path_of_moves
from kinematch.synth.walker import SynthClip, walk

REST = 1.6  # s, more than the second of future that motion matching looks ahead
SIDES = (("left", 1.0), ("right", -1.0))
WALK, JOG, RUN = 1.35, 2.6, 3.6  # m/s
EIGHT_WAYS = tuple(k * 45 * DEGREE for k in range(8))


@dataclass(frozen=True)
class Motion:
    """A motion to be performed: its moves, in order."""

    name: str
    tags: frozenset[str]
    moves: tuple[Move, ...]
    posture: BodyCarriage = UPRIGHT


def make_locomotion(seed: int = 0, frame_rate: float = 60.0) -> list[Clip]:
    """All clips; like mocap they have no ground root, their first joint is the hips."""
    return [synth.clip for synth in make_locomotion_with_truth(seed, frame_rate)]


def make_locomotion_with_truth(seed: int = 0, frame_rate: float = 60.0) -> list[SynthClip]:
    """The clips with their exact contacts and root paths."""
    return [perform(motion, seed=[seed, k], frame_rate=frame_rate) for k, motion in enumerate(motions())]


def perform(motion: Motion, *, seed: int | list[int] = 0, frame_rate: float = 60.0) -> SynthClip:
    """Perform one motion as a clip."""
    path = path_of_moves(motion.moves, frame_rate=frame_rate)
    return walk(path, motion.posture, seed=seed, name=motion.name, tags=motion.tags)


def motions() -> list[Motion]:
    """All motions: upright first, then each height level."""
    found = list(_upright())
    for posture in POSTURES[1:]:
        found += _at_level(posture)
    return found


def _motion(name: str, tags: str, *moves: Move, posture: BodyCarriage = UPRIGHT) -> Motion:
    return Motion(name, frozenset(tags.split()) | {posture.name}, (Move(REST), *moves, _stop(moves[-1].speed)), posture)


def _stop(speed: float) -> Move:
    """Time to slow down from a speed, and the rest after it."""
    return Move(REST + max(speed - RUN_ABOVE, 0.0) / RUN_ACCELERATION + min(speed, RUN_ABOVE) / WALK_ACCELERATION)


def _upright() -> Iterator[Motion]:
    yield _motion("idle", "idle", Move(24))
    for speed in (0.5, 0.8, 1.1, WALK, 1.8):
        yield _motion(f"walk_{speed:.2f}", "walk start stop", Move(7, speed))
    for speed in (JOG, RUN, 4.5):
        yield _motion(f"run_{speed:.1f}", "run start stop", Move(6, speed))
    yield _motion(
        "starts_and_stops_walk", "walk start stop", *_starts(WALK, 2.2), *_starts(WALK, 1.2), *_starts(0.8, 2)
    )
    yield _motion("starts_and_stops_run", "run start stop", *_starts(JOG, 2.6), *_starts(RUN, 3.2))
    yield _motion("speed_changes", "walk run speed", *(Move(3, v) for v in (0.8, WALK, JOG, RUN, JOG, WALK, RUN, 0.9)))
    yield from _turns()
    yield from _curves()
    yield from _strafes(UPRIGHT, (0.5, 0.8), "strafe")
    yield _motion("backward", "walk backward", *_backward(0.5), *_backward(0.9))
    yield _turning_in_place(UPRIGHT)


def _starts(speed: float, seconds: float) -> tuple[Move, ...]:
    return Move(seconds, speed), _stop(speed)


def _backward(speed: float) -> tuple[Move, ...]:
    return Move(4, speed, direction=np.pi), _stop(speed)


def _turns() -> Iterator[Motion]:
    for side, sign in SIDES:
        for degrees in (45, 90, 135, 180):
            angle = sign * degrees * DEGREE
            sharp = degrees / 180
            walk_turn = Move(0.5 + 0.8 * sharp, WALK - 0.95 * sharp, turn=angle)
            yield _motion(f"walk_turn_{side}_{degrees}", "walk turn", Move(2.6, WALK), walk_turn, Move(2.4, WALK))
            yield _motion(f"run_turn_{side}_{degrees}", "run turn", Move(2.6, RUN), *_run_turn(angle), Move(2.6, RUN))
        from_stand = (
            (Move(0.35 + degrees / 200, 0.5, turn=sign * degrees * DEGREE), Move(1.8, WALK), _stop(WALK))
            for degrees in (45, 90, 135, 180)
        )
        yield _motion(f"stand_turn_{side}", "walk turn start stop", *(move for group in from_stand for move in group))


def _run_turn(angle: float) -> tuple[Move, ...]:
    """Slow down, turn, and out of a sharp turn speed up before it is over."""
    sharp = abs(angle) / np.pi
    turn, seconds = RUN - 2.7 * sharp, 0.4 + 0.9 * sharp
    if sharp < 0.6:
        return Move(0.3 + 0.7 * sharp, RUN - 2.9 * sharp), Move(seconds, turn, turn=angle)
    return (
        Move(0.85, RUN - 2.9 * sharp),
        Move(0.75, turn, turn=0.6 * angle),
        Move(seconds - 0.75, RUN, turn=0.4 * angle),
    )


def _curves() -> Iterator[Motion]:
    for side, sign in SIDES:
        for speed, radius in ((1.0, 0.7), (WALK, 1.5), (WALK, 3.0), (JOG, 3.0), (RUN, 6.0)):
            seconds = min(2 * np.pi * radius / speed, 9.0)
            tags = "circle " + ("run" if speed > 2.2 else "walk")
            circle = Move(seconds, speed, turn=sign * seconds * speed / radius)
            yield _motion(f"circle_{side}_{speed:.1f}_{radius:.1f}", tags, Move(1.5, speed), circle)
    for speed, bend in ((WALK, 75), (JOG, 60)):
        weave = (Move(1.5, speed, turn=(1 if k % 2 else -1) * bend * DEGREE) for k in range(6))
        yield _motion(f"slalom_{speed:.1f}", "slalom " + ("run" if speed > 2.2 else "walk"), Move(1.5, speed), *weave)


def _strafes(posture: BodyCarriage, speeds: tuple[float, ...], name: str) -> Iterator[Motion]:
    for speed in speeds:
        ways = [(Move(2.6, speed, direction=way), _stop(speed)) for way in EIGHT_WAYS]
        label = f"{name}_{speed:.1f}"
        yield _motion(label, "strafe", *(move for pair in ways for move in pair), posture=posture)
        changes = (Move(1.7, speed, direction=EIGHT_WAYS[k]) for k in (2, 6, 1, 5, 0, 4, 3, 7, 2, 0, 6, 4))
        yield _motion(f"{label}_changes", "strafe", *changes, posture=posture)


def _turning_in_place(posture: BodyCarriage) -> Motion:
    moves: list[Move] = []
    for degrees in (45, 90, 180):
        for sign in (1, -1):
            moves += [Move(0.5 + degrees / 110, turn=sign * degrees * DEGREE), Move(1.8)]
    for sign in (1, -1):
        moves += [Move(6, turn=sign * 400 * DEGREE), Move(1.8)]
    return _motion("turn_in_place" + _suffix(posture), "turn in_place", *moves, posture=posture)


def _at_level(posture: BodyCarriage) -> list[Motion]:
    """A small card for one height of the body: what the height-ratio databases of VR need."""
    make = partial(_motion, posture=posture)
    end = _suffix(posture)
    kind = "tiptoe" if posture.heel < 0 else f"crouch{posture.name[-1]}"
    slow, quick = 0.5, 0.9
    line = make(f"walk{end}", f"walk start stop {kind}", Move(4, slow), _stop(slow), Move(5, quick), Move(4, slow))
    turns: list[Move] = [Move(1.5, quick)]
    for degrees in (45, -45, 90, -90, 180, -180):
        turns += [Move(0.5 + abs(degrees) / 120, 0.4, turn=degrees * DEGREE), Move(1.5, quick)]
    curves = (Move(5, quick, turn=sign * 300 * DEGREE) for sign in (1, -1))
    strafe = next(_strafes(posture, (0.5,), "strafe" + end))
    spin = _turning_in_place(posture)
    return [
        make(f"idle{end}", f"idle {kind}", Move(10)),
        line,
        make(f"walk_turns{end}", f"walk turn {kind}", *turns),
        make(f"circles{end}", f"walk circle {kind}", Move(1, quick), *curves),
        Motion(strafe.name, strafe.tags | {kind}, strafe.moves, posture),
        Motion(spin.name, spin.tags | {kind}, spin.moves, posture),
    ]


def _suffix(posture: BodyCarriage) -> str:
    return "" if posture is UPRIGHT else f"_{posture.name}"
