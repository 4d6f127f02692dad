"""A procedural four-legged walker: paws that stay where they are put, knees, a bending spine, neck, head and tail."""

from dataclasses import dataclass

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.motion.skeleton import skeleton as build
from kinematch.synth.gait import ramp

RATE = 60.0  # Hz
BONE = 0.235  # m, of both bones of a leg
PAW = np.array([0.0, -0.085, 0.05])  # m, from the wrist or hock to the toes
TOE_HEIGHT = 0.015  # m above the floor, of the toe joint
MARGIN = 1.5  # s before and after a clip, so that it neither begins nor ends in the middle of a thought
REACH = 0.985  # share of a leg's length that is never passed
EASE = 0.8  # s over which one way to move becomes the next
LIFT = 0.07  # m, of a paw in the middle of a long step

# name, parent, offset (m); legs: left ones, whose x changes sign for the right
TRUNK = (
    ("Pelvis", "", (0.0, 0.56, 0.0)),
    ("Spine", "Pelvis", (0.0, 0.01, 0.23)),
    ("Chest", "Spine", (0.0, 0.0, 0.23)),
    ("Neck", "Chest", (0.0, 0.06, 0.13)),
    ("Head", "Neck", (0.0, 0.12, 0.1)),
    ("Tail", "Pelvis", (0.0, 0.03, -0.09)),
    ("TailTip", "Tail", (0.0, -0.04, -0.15)),
)
PARTS = ("Upper", "Lower", "Foot", "Toe")
LEGS = ("HindLeft", "HindRight", "FrontLeft", "FrontRight")
WALK, TROT = np.array([0.0, 0.5, 0.25, 0.75]), np.array([0.0, 0.5, 0.5, 1.0])  # cycles by which each leg is ahead
TROTS = (1.3, 1.9)  # m/s over which a walk becomes a trot
ROLES = {"Hind": ("upper_leg", "lower_leg", "foot", "toes"), "Front": ("upper_arm", "lower_arm", "hand", "")}
UP, ASIDE = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Stint:
    """A way to move for a while; the next one follows smoothly."""

    seconds: float
    ahead: float = 0.0  # m/s
    left: float = 0.0  # m/s
    turn: float = 0.0  # rad/s, to the left


# each of these is one clip
REPERTOIRE: dict[str, tuple[Stint, ...]] = {
    "idle": (Stint(5.0),),
    **{f"ahead_{speed:g}": (Stint(1.5), Stint(4.5, speed), Stint(2.0)) for speed in (0.5, 0.9, 1.35, 1.9, 2.6)},
    **{f"arc_{speed:g}": (Stint(1.0), Stint(4.5, speed, turn=0.9), Stint(3.5, speed, turn=-0.9), Stint(1.0))
       for speed in (0.5, 0.9, 1.35)},
    "back": (Stint(1.0), Stint(3.5, -0.4), Stint(1.5), Stint(2.5, -0.7), Stint(1.0)),
    "aside": (Stint(1.0), Stint(3.0, 0.0, 0.4), Stint(1.0), Stint(2.5, 0.0, 0.7), Stint(1.0)),
    "askew": (Stint(1.0), Stint(3.5, 0.5, 0.35), Stint(3.0, -0.35, 0.3), Stint(1.0)),
    "turn": (Stint(1.0), Stint(3.0, turn=0.8), Stint(1.0), Stint(2.5, turn=1.6), Stint(1.0)),
    "turn_ahead": (Stint(1.0), Stint(2.0, turn=1.2), Stint(2.0, 0.9), Stint(1.5, 0.4, turn=1.4), Stint(1.5)),
}  # fmt: skip


def make_skeleton() -> Skeleton:
    """A large dog, 56 cm high at the back, that looks along +Z on straight legs in the rest pose."""
    joints = list(TRUNK)
    for leg in LEGS:
        x = 0.075 if leg.endswith("Left") else -0.075
        parent, first = ("Pelvis", (x, -0.05, -0.02)) if leg.startswith("Hind") else ("Chest", (x, -0.06, 0.03))
        offsets = (first, (0.0, -BONE, 0.0), (0.0, -BONE, 0.0), tuple(PAW))
        above = (parent, *(leg + part for part in PARTS))
        joints += [(leg + part, above[k], offsets[k]) for k, part in enumerate(PARTS)]
    index = {name: k for k, (name, _, _) in enumerate(joints)}
    ends = [(index[leg + "Toe"], (0.0, 0.0, 0.05)) for leg in LEGS]
    ends += [(index["Head"], (0.0, -0.03, 0.16)), (index["TailTip"], (0.0, -0.05, -0.12))]
    return build(
        index, [index.get(parent, -1) for _, parent, _ in joints], np.array([o for *_, o in joints]), ends=ends
    )


def find_roles() -> dict[str, str]:
    """Roles of the legs: the forelegs of an animal are arms."""
    return {
        f"{side}_{role}": f"{end}{side.title()}{part}"
        for end, roles in ROLES.items() for side in ("left", "right") for part, role in zip(PARTS, roles) if role
    }  # fmt: skip


def walk_quadruped(stretches: tuple[Stint, ...], *, name: str = "", seed: int = 0) -> Clip:
    """A clip of the walker that does one thing after another, standing before and after."""
    body, drift = TrunkMotion.along(stretches), np.random.default_rng(seed).uniform(0, 2 * np.pi, 3)
    skeleton = make_skeleton()
    count, index = len(body.yaws), {name: k for k, name in enumerate(skeleton.names)}
    turns = np.tile(quaternion.identity(()), (count, skeleton.joint_count, 1))  # global
    places = np.zeros((count, skeleton.joint_count, 3))

    def put(joint: str, turn: np.ndarray) -> None:
        k = index[joint]
        parent = int(skeleton.parents[k])
        turns[:, k] = turn
        if parent >= 0:
            places[:, k] = places[:, parent] + quaternion.rotate(turns[:, parent], skeleton.offsets[k].astype(float))

    time, bob = np.arange(count) / RATE, body.effort * np.cos(4 * np.pi * body.phases)
    places[:, 0] = body.places + UP * (0.545 - 0.012 * body.speeds[:, None] + 0.006 * bob[:, None])
    put("Pelvis", tilt(body.yaws, 0.015 * body.effort * np.sin(4 * np.pi * body.phases), 0.04 * body.sway))
    put("Spine", tilt(body.yaws + body.bends / 2, -0.03, 0.0))
    put("Chest", tilt(body.yaws + body.bends, 0.01 * bob, -0.03 * body.sway))
    look = 0.12 * np.sin(0.7 * time + drift[0]) * np.sin(0.23 * time + drift[1])
    put("Neck", tilt(body.yaws + 1.3 * body.bends + look / 2, -0.1 + 0.05 * bob, 0.0))
    put("Head", tilt(body.yaws + 1.5 * body.bends + look, 0.1, 0.0))
    wag = 0.25 * np.sin(2.2 * time + drift[2]) + 0.15 * body.sway
    put("Tail", tilt(body.yaws - body.bends + wag, 0.35, 0.0))
    put("TailTip", tilt(body.yaws - 1.5 * body.bends + 2 * wag, 0.1, 0.0))
    for number, leg in enumerate(LEGS):
        parent = "Pelvis" if leg.startswith("Hind") else "Chest"
        put(leg + "Upper", turns[:, index[parent]])
        hip, yaws = places[:, index[leg + "Upper"]], body.yaws + (0 if parent == "Pelvis" else body.bends)
        toes, toe_yaws, lift = step_leg(body, number, hip, yaws)
        bones = bend_leg(hip, toes, toe_yaws, lift, forward=parent == "Pelvis")
        for part, turn in zip(PARTS, bones):
            put(leg + part, turn)
    inside = slice(round(MARGIN * RATE), count - round(MARGIN * RATE))
    parents = np.maximum(skeleton.parents, 0)
    local = quaternion.multiply(quaternion.inverse(turns[:, parents]), turns)
    local[:, 0] = turns[:, 0]
    positions = np.tile(skeleton.offsets.astype(float), (count, 1, 1))
    positions[:, 0] = places[:, 0]
    return Clip(skeleton, positions[inside], local[inside], RATE, name=name)


def tilt(yaws: np.ndarray, pitch: np.ndarray | float, roll: np.ndarray | float) -> np.ndarray:
    """Rotations (F, 4): turned to the left, nose down, left side up."""
    x, z = np.broadcast_to(pitch, yaws.shape), np.broadcast_to(roll, yaws.shape)
    return quaternion.multiply(
        rotation.from_axis_angle(UP, yaws),
        quaternion.multiply(rotation.from_axis_angle(ASIDE, x), rotation.from_axis_angle(np.array([0.0, 0, 1]), z)),
    )


@dataclass(frozen=True, eq=False)
class TrunkMotion:
    """How the trunk moves, over F frames."""

    places: np.ndarray  # (F, 3) m, of the pelvis on the ground
    yaws: np.ndarray  # (F,) rad
    bends: np.ndarray  # (F,) rad, by which the chest is turned against the pelvis
    speeds: np.ndarray  # (F,) m/s
    effort: np.ndarray  # (F,) 0 at rest, 1 at a walk
    phases: np.ndarray  # (F,) cycles of the legs

    @property
    def sway(self) -> np.ndarray:
        return self.effort * np.sin(2 * np.pi * self.phases)

    @classmethod
    def along(cls, stretches: tuple[Stint, ...]) -> "TrunkMotion":
        """Integrate smooth speeds."""
        padded = (Stint(MARGIN), *stretches, Stint(MARGIN))
        rows = [np.tile([s.ahead, s.left, s.turn], (round(s.seconds * RATE), 1)) for s in padded]
        window = np.hanning(round(EASE * RATE) // 2 * 2 + 3)[1:-1]
        wanted = np.pad(np.concatenate(rows), [(len(window) // 2,) * 2, (0, 0)], mode="edge")
        window /= window.sum()
        ahead, left, turn = (np.convolve(column, window, "valid") for column in wanted.T)
        yaws = np.cumsum(turn) / RATE
        forward = np.stack([np.sin(yaws), 0 * yaws, np.cos(yaws)], axis=-1)
        aside = np.stack([np.cos(yaws), 0 * yaws, -np.sin(yaws)], axis=-1)
        places = np.cumsum(forward * ahead[:, None] + aside * left[:, None], axis=0) / RATE
        speeds = np.hypot(ahead, left)
        busy = speeds + 0.35 * np.abs(turn)
        cadence = np.clip(1.0 + 0.72 * busy, 1.2, 3.0)  # strides a second
        bends = np.clip(0.3 * turn, -0.5, 0.5)
        return cls(places, yaws, bends, speeds, ramp(busy, 0.05, 0.5), np.cumsum(cadence) / RATE)


def step_leg(
    body: TrunkMotion, number: int, hip: np.ndarray, yaws: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (F, 3) of a leg's toes, their yaws (F,), and how far through the air (F,) 0 to 1 a paw is lifted.

    A paw stands where the hip is above it in the middle of its stance; in between it swings from print to print.
    """
    trots = ramp(body.speeds, *TROTS)
    cycles = body.phases + WALK[number] + trots * (TROT - WALK)[number]
    stands = cycles % 1.0 < 0.68 - 0.14 * trots
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(int)))
    starts, stops = edges[::2], edges[1::2]
    middles = (starts + stops) // 2
    prints = hip[middles] * [1, 0, 1] + UP * TOE_HEIGHT
    places, turns, lift = np.empty_like(hip), np.empty(len(hip)), np.zeros(len(hip))
    places[: starts[0]], turns[: starts[0]] = prints[0], yaws[middles[0]]
    places[stops[-1] :], turns[stops[-1] :] = prints[-1], yaws[middles[-1]]
    for k, (start, stop) in enumerate(zip(starts, stops)):
        places[start:stop], turns[start:stop] = prints[k], yaws[middles[k]]
        if k + 1 == len(starts):
            break
        u = np.arange(1, starts[k + 1] - stop + 1) / (starts[k + 1] - stop + 1)
        eased = (1 - np.cos(np.pi * u)) / 2
        way, swing = prints[k + 1] - prints[k], slice(stop, starts[k + 1])
        length = float(np.linalg.norm(way))
        # an animal that goes nowhere lifts no paw
        high = min(LIFT, 0.02 + 0.2 * length) * ramp(length, 0.01, 0.05)
        lift[swing] = np.sin(np.pi * u) * ramp(length, 0.01, 0.05)
        places[swing] = prints[k] + eased[:, None] * way + UP * high * np.sin(np.pi * u)[:, None]
        turns[swing] = turns[stop - 1] + eased * (yaws[middles[k + 1]] - turns[stop - 1])
    return places, turns, lift


def bend_leg(
    hip: np.ndarray, toes: np.ndarray, yaws: np.ndarray, lift: np.ndarray, *, forward: bool
) -> tuple[np.ndarray, ...]:
    """Global rotations (F, 4) of the four parts of a leg whose knee bends forward, or whose elbow bends backward."""
    facing = rotation.from_axis_angle(UP, yaws)
    behind = quaternion.rotate(quaternion.inverse(facing), hip - toes)[:, 2]
    # the paw rolls over the toes as the body passes over it, and hangs while it is in the air
    pitches = np.clip(1.1 * behind, -0.2, 0.6) + 0.7 * lift
    feet = quaternion.multiply(facing, rotation.from_axis_angle(ASIDE, pitches))
    ankles = toes - quaternion.rotate(feet, PAW)
    along = ankles - hip
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    short = np.minimum(length, 2 * BONE * REACH)
    along = along / length
    aside = quaternion.rotate(facing, ASIDE)
    hinge = quaternion.unit(aside - along * np.sum(aside * along, -1, keepdims=True))
    ahead = np.cross(hinge, -along) * (1 if forward else -1)
    cosine = short / (2 * BONE)
    upper = along * cosine + ahead * np.sqrt(1 - cosine**2)
    lower = quaternion.unit(along * short - BONE * upper)
    bones = [rotation.from_matrix(np.stack([hinge, -bone, np.cross(hinge, -bone)], -1)) for bone in (upper, lower)]
    return bones[0], bones[1], feet, facing
