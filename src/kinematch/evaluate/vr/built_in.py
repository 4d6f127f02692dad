"""Users who need no data: random walks of the procedural walker, which stand in no database and no training set."""

import numpy as np

from kinematch.motion.clip import Clip
from kinematch.synth.gait import DEGREE, POSTURES, BodyCarriage
from kinematch.synth.path import Move, path_of_moves
from kinematch.synth.walker import walk

COUNT, SECONDS = 12, 20.0
FIRST_SEED = 7000  # the built-in motion and training use small seeds
TRIES = 12  # moves among which one stays in the room
SHARES = {"stand": 0.2, "walk": 0.35, "turn": 0.15, "strafe": 0.2, "backward": 0.1}


def make_clips(
    count: int = COUNT, *, seconds: float = SECONDS, seed: int = 0, rate: float = 60.0, room: float = np.inf
) -> list[Clip]:
    """Clips of users who stand, walk, turn, strafe and step back; every third one crouches or walks on tip-toe.

    `room`: how far (m) they go from where they start.
    """
    rngs = [np.random.default_rng([FIRST_SEED, seed, number]) for number in range(count)]
    return [_make_clip(number, seconds, rng, rate, room) for number, rng in enumerate(rngs)]


def _make_clip(number: int, seconds: float, rng: np.random.Generator, rate: float, room: float) -> Clip:
    posture: BodyCarriage = POSTURES[0] if number % 3 else POSTURES[1 + number // 3 % (len(POSTURES) - 1)]
    moves = [Move(1.0)]
    while sum(move.seconds for move in moves) < seconds - 1.0:
        moves.append(_choose_move(rng) if room == np.inf else _stay_in_room(moves, room, rng))
    path = path_of_moves([*moves, Move(1.0)], frame_rate=rate)
    return walk(path, posture, seed=[FIRST_SEED, number], name=f"user {number + 1}, {posture.name}").clip


def _stay_in_room(moves: list[Move], room: float, rng: np.random.Generator) -> Move:
    """The first of some moves that ends inside, or the one that ends nearest to the middle."""
    ends = []
    for move in (tried := [_choose_move(rng) for _ in range(TRIES)]):
        ends.append(np.linalg.norm(path_of_moves([*moves, move], frame_rate=30.0).positions[-1]))
        if ends[-1] < room:
            return move
    return tried[int(np.argmin(ends))]


def _choose_move(rng: np.random.Generator) -> Move:
    kind = rng.choice(list(SHARES), p=list(SHARES.values()))
    length = rng.uniform(1.0, 3.0)
    if kind == "stand":
        return Move(length)
    if kind == "turn":
        return Move(length, turn=rng.uniform(-75, 75) * length * DEGREE)
    if kind == "walk":
        return Move(length, rng.uniform(0.4, 1.4), turn=rng.uniform(-50, 50) * length * DEGREE)
    if kind == "strafe":
        return Move(length, rng.uniform(0.3, 0.7), direction=rng.choice([-1, 1]) * rng.uniform(60, 120) * DEGREE)
    return Move(length, rng.uniform(0.3, 0.7), direction=np.pi)
