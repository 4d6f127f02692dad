"""The built-in actions: jumps, steps up and down, a hop over a box, a duck, a seat and a wave, each with its events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from kinematch.motion.actions import FOOT, LANDING, PASS, SEAT, TAKE_OFF, Action, Event
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.synth.actions import jump, run_jump, stand, steps
from kinematch.synth.actions.puppet import Puppet, put_together, take_apart
from kinematch.synth.path import Move, path_of_moves
from kinematch.synth.skeleton import ANKLE_HEIGHT
from kinematch.synth.walker import walk

FIRST_SEED = 1000  # of the clips here, apart from those of the built-in motion
REST = 1.6  # s
LEAD, TRAIL = 0.35, 1.2  # s that a clip has before its entry and after its exit
RUN_ENTRY = 0.7, 0.1  # s before the take-off of a run: either foot may be ahead when a jump is asked for
SEAT_HEIGHT = 0.45  # m
Act = Callable[[Puppet, Skeleton], tuple[Puppet, Action]]


@dataclass(frozen=True)
class ActionMotion:
    """One line: what the body does before and after, and what is made of it."""

    name: str
    moves: tuple[Move, ...]
    act: Act


def list_actions() -> list[ActionMotion]:
    return [*_jumps(), *_steps(), *_others()]


def perform_action(number: int, *, seed: int = 0, frame_rate: float = 60.0) -> Clip:
    """One line as a clip with its action; like those of the built-in motion it has no ground root."""
    motion = list_actions()[number]
    path = path_of_moves(motion.moves, frame_rate=frame_rate)
    performed = walk(path, seed=[seed, FIRST_SEED + number])
    figure = performed.clip.skeleton
    puppet, action = motion.act(take_apart(performed), figure)
    clip = put_together(puppet, figure, name=motion.name, tags=frozenset({"action"}))
    first, last = (round(time * frame_rate) for time in (action.entry[0] - LEAD, action.exit + TRAIL))
    return clip.with_(actions=(action,)).frames(max(first, 0), min(last, clip.frame_count))


def _jumps() -> Iterator[ActionMotion]:
    leaps = {
        "jump_up": jump.Leap(),
        "jump_0.6": jump.Leap(0.6, 0.43, 0.26, 0.10),
        "jump_1.2": jump.Leap(1.2, 0.46, 0.28, 0.14),
    }
    for name, leap in leaps.items():
        yield ActionMotion(name, (Move(leap.ends + REST),), partial(_jump, leap=leap))
    for speed, flight, tuck in ((2.6, 0.36, 0.06), (3.6, 0.42, 0.08), (3.6, 0.48, 0.10)):
        moves = (Move(0.4), Move(4.2, speed), Move(2.8))
        name = f"jump_run_{speed:.1f}_{flight:.2f}"
        yield ActionMotion(name, moves, partial(_run_jump, name="jump", flight=flight, tuck=tuck))
    hop = partial(_run_jump, name="hop", flight=0.46, tuck=0.28)
    yield ActionMotion("hop_over_box", (Move(0.4), Move(4.2, 2.6), Move(2.8)), hop)


def _jump(puppet: Puppet, figure: Skeleton, *, leap: jump.Leap) -> tuple[Puppet, Action]:
    events = Event(TAKE_OFF, leap.leaves, "left_toes"), Event(LANDING, leap.lands)
    return jump.jump(puppet, figure, leap), Action(
        "jump", (leap.stands - 0.3, leap.stands + 0.25), leap.gives + 0.25, events, LANDING
    )


def _run_jump(puppet: Puppet, figure: Skeleton, *, name: str, flight: float, tuck: float) -> tuple[Puppet, Action]:
    made, stride = run_jump.jump(puppet, figure, flight, after=2.9, tuck=tuck)
    middle = (stride.leaves + stride.lands) / 2
    events = Event(TAKE_OFF, stride.leaves), Event(PASS, middle), Event(LANDING, stride.lands)
    entry = stride.leaves - RUN_ENTRY[0], stride.leaves - RUN_ENTRY[1]
    return made, Action(name, entry, stride.steps_off, events, PASS if name == "hop" else LANDING)


def _steps() -> Iterator[ActionMotion]:
    for height in (0.2, 0.4, -0.2, -0.4):
        way = "up" if height > 0 else "down"
        moves = (Move(0.8), Move(5.5, 1.1), Move(2.0))
        yield ActionMotion(f"step_{way}_{abs(height):.1f}", moves, partial(_step, height=height))


def _step(puppet: Puppet, figure: Skeleton, *, height: float) -> tuple[Puppet, Action]:
    made, lands, side = steps.walk_over_step(puppet, figure, height, after=3.4)
    name = "step_up" if height > 0 else "step_down"
    event = Event(FOOT, lands, f"{side}_foot", below=ANKLE_HEIGHT)
    return made, Action(name, (lands - 1.3, lands - 0.3), lands + 0.8, (event,), FOOT)


def _others() -> Iterator[ActionMotion]:
    yield ActionMotion("duck", (Move(0.8), Move(6.0, 1.0), Move(2.0)), _duck)
    yield ActionMotion("sit", (Move(8.4),), _sit)
    yield ActionMotion("wave", (Move(5.2),), _wave)


def _duck(puppet: Puppet, figure: Skeleton) -> tuple[Puppet, Action]:
    made = steps.duck(puppet, figure, 0.24, from_=3.6, to=4.7)
    return made, Action("duck", (2.2, 3.2), 5.2, (Event(PASS, 4.15),), PASS)


def _sit(puppet: Puppet, figure: Skeleton) -> tuple[Puppet, Action]:
    sits, rises = 2.1, 5.6
    made = stand.sit(puppet, figure, SEAT_HEIGHT, begins=1.0, sits=sits, rises=rises)
    event = Event(SEAT, sits, "hips", below=stand.HIPS_OVER_SEAT)
    return made, Action("sit", (0.5, 1.1), rises + 1.2, (event,), SEAT)


def _wave(puppet: Puppet, figure: Skeleton) -> tuple[Puppet, Action]:
    return stand.wave(puppet, figure, begins=1.0, ends=3.6), Action("wave", (0.5, 1.05), 3.6)
