"""The course itself (learned MM 5.3, digital humans 4, thesis 5.1-5.2): every scenario, drawn by a seed."""

from dataclasses import replace

import numpy as np

from kinematch.control.path import Path
from kinematch.control.route import Keypoint
from kinematch.evaluate.course import SETTLING, CommandSpan, Need, Scenario, of_heading, of_legs
from kinematch.evaluate.gaits import BANDS, Gaits

DEGREE = np.pi / 180
TURNS = (45, 90, 135, 180)  # degrees
RUDE = "rude"  # the group of commands that no player would keep up
SPINS = 1.5  # turns a second of a stick that is spun
LEAST_STAND = 1.0  # s of standing in the source that make it worth asking for
SPOT = 0.5  # m/s up to which a turn is one in place


def course(gaits: Gaits, seed: int = 0, *, quick: bool = False) -> tuple[Scenario, ...]:
    """All scenarios; the seed moves their moments, so that turns fall on any phase of the gait, and the random stick.

    quick keeps one of each kind at the slowest and the fastest gait, where most targets are missed, and shortens the
    long ones.
    """
    random = np.random.default_rng(seed)
    names = list(gaits.forward)
    speeds = {name: gaits.forward[name] for name in (dict.fromkeys((names[0], names[-1])) if quick else names)}
    walk = next(iter(gaits.forward.values()))
    made: list[Scenario] = []
    for gait, speed in speeds.items():
        made.append(_start_and_stop(gait, speed, random))
        made += [_turns(gait, speed, degrees, random) for degrees in TURNS]
        made += _curves(gait, speed, random)
    made.append(_gait_changes(gaits, random))
    made.append(_strafe(gaits.strafe, random))
    made.append(_waggle(walk, random))
    made.append(_turning_in_place(random))
    made.append(_path(walk, random))
    made.append(_terrain(walk, random))
    made.append(_stand(walk, 10.0 if quick else 30.0, np.random.default_rng(seed)))
    made.append(_random_stick(gaits, 60.0 if quick else 120.0, random))
    made += [_spin(gait, speed, random) for gait, speed in speeds.items()]
    made.append(_run_and_strafe(gaits, random))
    return tuple(made)


def _about(seconds: float, random: np.random.Generator) -> float:
    return float(seconds * random.uniform(0.85, 1.15))


def _start_and_stop(gait: str, speed: float, random: np.random.Generator) -> Scenario:
    legs = [CommandSpan(1.0, 0.0)]
    for _ in range(3):
        legs += [CommandSpan(_about(2.6, random), speed), CommandSpan(_about(2.2, random), 0.0)]
    return of_legs(f"start and stop, {gait}", "start and stop", legs)


def _turns(gait: str, speed: float, degrees: int, random: np.random.Generator) -> Scenario:
    """Left, right, right, left, so that the way stays near."""
    angle = degrees * DEGREE
    legs, heading = [CommandSpan(0.5, 0.0), CommandSpan(_about(2.6, random), speed)], 0.0
    for sign in (1, -1, -1, 1):
        heading += sign * angle
        legs.append(CommandSpan(_about(2.6, random), speed, heading))
    made = of_legs(f"turn {degrees}, {gait}", f"turn {degrees}", [*legs, CommandSpan(1.5, 0.0)])
    return replace(made, need=Need(angle, *BANDS[gait]))


def _curves(gait: str, speed: float, random: np.random.Generator) -> list[Scenario]:
    start = _about(2.0, random)
    rate = 40 * DEGREE  # a camera turned by hand

    def gradual(times: np.ndarray) -> np.ndarray:
        since = np.maximum(times - start, 0)
        return rate * np.where(since < 5, since, 10 - np.minimum(since, 12))

    radius = max(1.5, speed**2 / 2.5)  # m; leans by at most 15 degrees

    def circle(times: np.ndarray) -> np.ndarray:
        return np.maximum(times - start, 0) * speed / radius

    period = _about(3.2, random)

    def slalom(times: np.ndarray) -> np.ndarray:
        return 45 * DEGREE * np.sin(2 * np.pi * np.maximum(times - start, 0) / period)

    round_trip = start + 2 * np.pi * radius / speed
    # how far each turns within a second
    turns = rate, speed / radius, 2 * 45 * DEGREE * np.sin(np.pi / period)
    made = [
        of_heading(f"gradual turns, {gait}", "gradual turns", start + 12, speed, gradual),
        of_heading(f"circle, {gait}", "circles", round_trip + 1, speed, circle),
        of_heading(f"slalom, {gait}", "slalom", start + 3 * period, speed, slalom),
    ]
    return [replace(one, need=Need(float(turn), *BANDS[gait])) for one, turn in zip(made, turns)]


def _gait_changes(gaits: Gaits, random: np.random.Generator) -> Scenario:
    speeds = list(gaits.forward.values())
    order = [*speeds, *speeds[-2::-1], speeds[-1], speeds[0]]
    legs = [CommandSpan(0.5, 0.0), *(CommandSpan(_about(3.0, random), speed) for speed in order), CommandSpan(2.0, 0.0)]
    return of_legs("gait changes", "gait changes", legs)


def _strafe(speed: float, random: np.random.Generator) -> Scenario:
    """Eight ways in an order that reverses often, facing +Z all the time."""
    legs = [CommandSpan(0.5, 0.0, facing=0.0)]
    for way in (0, 4, 2, 6, 1, 5, 3, 7):
        legs.append(CommandSpan(_about(2.2, random), speed, way * 45 * DEGREE, facing=0.0))
    made = of_legs("strafe eight ways", "strafing", [*legs, CommandSpan(1.5, 0.0, facing=0.0)], answers=False)
    return replace(made, need=Need(any_way=True))


def _waggle(speed: float, random: np.random.Generator) -> Scenario:
    """A stick thrown from side to side faster than any body can follow, then a straight way to recover on."""
    legs = [CommandSpan(0.5, 0.0), CommandSpan(2.0, speed)]
    for k in range(24):
        legs.append(CommandSpan(_about(0.3, random), speed, (90 if k % 2 else -90) * DEGREE))
    return of_legs(
        "stick waggle", "stick waggle", [*legs, CommandSpan(2.5, speed), CommandSpan(1.5, 0.0)], answers=False
    )


def _spin(gait: str, speed: float, random: np.random.Generator) -> Scenario:
    """A stick spun all the way around, to the left and then to the right."""
    start, spin = _about(2.0, random), 4.0

    def heading(times: np.ndarray) -> np.ndarray:
        since = np.maximum(times - start, 0)
        return 2 * np.pi * SPINS * np.where(since < spin, since, np.maximum(2 * spin - since, 0))

    return of_heading(f"stick spun, {gait}", RUDE, start + 2 * spin + 2, speed, heading)


def _run_and_strafe(gaits: Gaits, random: np.random.Generator) -> Scenario:
    """From the fastest gait straight into a strafe to either side, and back."""
    speed, legs = list(gaits.forward.values())[-1], [CommandSpan(0.5, 0.0, facing=0.0)]
    for way in (90, -90, 180, 135, -135):
        legs.append(CommandSpan(_about(2.0, random), speed, facing=0.0))
        legs.append(CommandSpan(_about(1.2, random), gaits.strafe, way * DEGREE, facing=0.0))
    made = of_legs("run and strafe", RUDE, [*legs, CommandSpan(1.5, 0.0, facing=0.0)], answers=False)
    return replace(made, need=Need(any_way=True))


def _turning_in_place(random: np.random.Generator) -> Scenario:
    legs, facing = [CommandSpan(1.0, 0.0, facing=0.0)], 0.0
    seconds = 2.8
    for degrees in (45, -90, 90, 135, -180, 170):
        facing += degrees * DEGREE
        legs.append(CommandSpan(_about(seconds, random), 0.0, facing=facing))
    return replace(of_legs("turn in place", "turning in place", legs), need=Need(180 * DEGREE / seconds, fastest=SPOT))


def _path(speed: float, random: np.random.Generator) -> Scenario:
    """Keypoints as in thesis 5.1.2: straights, square corners, a hairpin, a stop on the way and one at the end."""
    places = np.array([[0, 0], [0, 4], [3, 4], [4.5, 1.5], [6.5, 1.5], [6.5, 5.5], [8.5, 5.5], [8.5, 1.0]], float)
    places[1:] += random.uniform(-0.2, 0.2, (len(places) - 1, 2))
    keypoints = [Keypoint(x, z, speed=speed, stop=1.0 if n == 4 else 0.0) for n, (x, z) in enumerate(places.tolist())]
    length = float(np.linalg.norm(np.diff(places, axis=0), axis=-1).sum())

    def standing(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(times), 3)), np.zeros((len(times), 3))

    # slower around corners, a second for the stop, and two at the end
    seconds = 1.25 * length / speed + 4
    return Scenario("path", "path following", seconds, standing, steer=lambda: Path(keypoints))


def _terrain(speed: float, random: np.random.Generator) -> Scenario:
    legs = [CommandSpan(1.0, 0.0)]
    for k in range(7):
        legs.append(CommandSpan(_about(2.6, random), speed, float(random.uniform(-1, 1)) + k * 50 * DEGREE))
    return of_legs("uneven terrain", "uneven terrain", [*legs, CommandSpan(2.0, 0.0)], answers=False, terrain=True)


def _stand(speed: float, seconds: float, random: np.random.Generator) -> Scenario:
    """After a stop at any phase of the gait; a character that never moved stands as it began."""
    legs = [CommandSpan(0.5, 0.0), CommandSpan(_about(2.6, random), speed), CommandSpan(SETTLING + seconds, 0.0)]
    return replace(of_legs("stand", "standing", legs, answers=False), need=Need(stands=LEAST_STAND))


def _random_stick(gaits: Gaits, seconds: float, random: np.random.Generator) -> Scenario:
    """A restless player: any direction, any gait, sometimes a stop, sometimes strafing, where the source can."""
    speeds = list(gaits.forward.values())
    legs, time = [CommandSpan(0.5, 0.0)], 0.5
    while time < seconds:
        leg_seconds = float(np.clip(random.exponential(1.6), 0.3, 6.0))
        heading, kind = float(random.uniform(-np.pi, np.pi)), random.uniform()
        if kind < 0.12:
            legs.append(CommandSpan(leg_seconds, 0.0))
        elif kind < 0.25:
            facing = float(random.uniform(-np.pi, np.pi))
            legs.append(CommandSpan(leg_seconds, gaits.strafe, heading, facing=facing if gaits.any_way else None))
        else:
            # the first gait is asked for as often as all the faster ones together
            speed = speeds[0] if random.uniform() < 0.5 else float(random.choice(speeds))
            legs.append(CommandSpan(leg_seconds, speed, heading))
        time += leg_seconds
    return of_legs("random stick", "random stick", legs, answers=False)
