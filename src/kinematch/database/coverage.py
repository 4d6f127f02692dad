"""What motion a database covers: speed against turn rate and against direction, and what is worth recording next."""

from dataclasses import dataclass

import numpy as np

from kinematch.database.measures import BLOCK
from kinematch.database.poses import PoseDatabase
from kinematch.math import quaternion

SPEEDS = np.arange(0, 6.01, 0.25)  # m/s
TURNS = np.radians(np.arange(-187.5, 188, 15))  # rad/s, the middle cell goes straight
SECTOR = np.radians(22.5)  # rad, width of a direction
MIN_MOVING_SPEED = 0.15  # m/s; below, the direction of movement is noise
EVENT = 0.8  # m/s; a start goes from MIN_MOVING_SPEED to this speed, a stop the other way


@dataclass(frozen=True, eq=False)
class Coverage:
    """Seconds of motion in each cell; values beyond the last edge count in the last cell."""

    speed_turn: np.ndarray  # (S, T) s, over SPEEDS and TURNS; positive turns are to the left
    speed_direction: np.ndarray  # (S, 16) s, over SPEEDS and directions 0, 22.5 ... degrees from forward to the left
    standing: float  # s, slower than MIN_MOVING_SPEED
    fastest: float  # m/s, reached for half a second in all
    starts: int
    stops: int


@dataclass(frozen=True)
class Gap:
    """A motion that the database has too little of."""

    motion: str
    seconds: float
    wanted: float


def measure_root_motion(poses: PoseDatabase) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed (F,) m/s, direction (F,) rad from forward to the left, turn rate (F,) rad/s to the left."""
    velocity, turn = np.empty((poses.frame_count, 3), np.float32), np.empty(poses.frame_count, np.float32)
    for start in range(0, poses.frame_count, BLOCK):  # frames may be on disk
        own = slice(start, start + BLOCK)
        velocity[own] = quaternion.rotate(quaternion.inverse(poses.rotations[own][:, 0]), poses.velocities[own][:, 0])
        turn[own] = poses.angular_velocities[own][:, 0, 1]
    return np.hypot(velocity[:, 0], velocity[:, 2]), np.arctan2(velocity[:, 0], velocity[:, 2]), turn


def find_cells(poses: PoseDatabase) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The speed row, turn column and direction of each frame (F,), and whether it moves at all."""
    speed, direction, turn = measure_root_motion(poses)
    row = np.clip(np.searchsorted(SPEEDS, speed, side="right") - 1, 0, len(SPEEDS) - 2)
    column = np.clip(np.searchsorted(TURNS, turn, side="right") - 1, 0, len(TURNS) - 2)
    return row, column, np.round(direction / SECTOR).astype(int) % 16, speed >= MIN_MOVING_SPEED


def measure_coverage(poses: PoseDatabase) -> Coverage:
    """Seconds of motion by speed, turn rate and direction, with the number of starts and stops."""
    speed, _, _ = measure_root_motion(poses)
    dt = 1 / poses.frame_rate
    row, column, sector, moving = find_cells(poses)
    speed_turn = np.zeros((len(SPEEDS) - 1, len(TURNS) - 1))
    speed_direction = np.zeros((len(SPEEDS) - 1, 16))
    np.add.at(speed_turn, (row, column), dt)
    np.add.at(speed_direction, (row[moving], sector[moving]), dt)
    starts, stops = _events(poses, speed)
    held = max(1, round(poses.frame_rate / 2))
    fastest = float(np.sort(speed)[-min(held, len(speed))])
    return Coverage(speed_turn, speed_direction, float((~moving).sum() * dt), fastest, starts, stops)


def _events(poses: PoseDatabase, speed: np.ndarray) -> tuple[int, int]:
    """The number of starts and stops: changes between rest and movement within one clip."""
    starts = stops = 0
    for c in range(poses.clip_count):
        own = speed[poses.clip_frames(c)]
        # -1 at rest, 1 moving; speeds in between are ignored
        state = np.where(own < MIN_MOVING_SPEED, -1, np.where(own > EVENT, 1, 0))
        changes = np.diff(state[state != 0])
        starts += int((changes > 0).sum())
        stops += int((changes < 0).sum())
    return starts, stops


GAIT_SPEEDS = {  # m/s
    "walking": (0.8, 1.8),
    "walking slowly": (0.3, 0.8),
    "jogging": (1.8, 3.0),
    "running": (3.0, 5.0),
}
WAYS = (  # each an eighth of a turn further to the left
    "forward",
    "forward left",
    "to the left",
    "backward left",
    "backward",
    "backward right",
    "to the right",
    "forward right",
)
BENDS = {  # rad/s
    "": (np.radians(-20), np.radians(20)),
    " while turning left": (np.radians(20), np.radians(90)),
    " while turning right": (np.radians(-90), np.radians(-20)),
    " while turning sharply left": (np.radians(90), np.inf),
    " while turning sharply right": (-np.inf, np.radians(-90)),
}


def find_gaps(poses: PoseDatabase) -> list[Gap]:
    """Motions of a locomotion database (thesis 3.2.1) that are missing or short, the emptiest first."""
    speed, direction, turn = measure_root_motion(poses)
    dt = 1 / poses.frame_rate
    found = [Gap("standing still", float((speed < MIN_MOVING_SPEED).sum() * dt), 10.0)]
    for side, sign in (("left", 1), ("right", -1)):
        on_the_spot = (speed < 0.4) & (sign * turn > np.radians(45))
        found.append(Gap(f"turning on the spot to the {side}", float(on_the_spot.sum() * dt), 3.0))
    for gait, way, bend, wanted in _card():
        slow, fast = GAIT_SPEEDS[gait]
        low, high = BENDS[bend]
        apart = np.abs((direction - WAYS.index(way) * np.pi / 4 + np.pi) % (2 * np.pi) - np.pi)
        here = (speed >= slow) & (speed < fast) & (apart <= np.pi / 8) & (turn >= low) & (turn < high)
        found.append(Gap(f"{gait} {way}{bend} ({slow:g} to {fast:g} m/s)", float(here.sum() * dt), wanted))
    short = [gap for gap in found if gap.seconds < gap.wanted]
    return sorted(short, key=lambda gap: gap.seconds / gap.wanted)


def _card() -> list[tuple[str, str, str, float]]:
    """Gait, way, bend and the seconds worth having, most needed first: forward, then the other ways of walking."""
    card = [(gait, "forward", bend, 2.0 if "sharply" in bend else 5.0) for gait in GAIT_SPEEDS for bend in BENDS]
    for gait in ("walking", "walking slowly"):
        card += [(gait, way, "", 3.0) for way in WAYS[1:]]
        card += [(gait, "backward", bend, 3.0) for bend in BENDS if bend and "sharply" not in bend]
    return card


def measure_contact_shares(poses: PoseDatabase) -> dict[str, float]:
    """The share of the time that each contact joint is planted."""
    names = [poses.skeleton.names[joint] for joint in poses.contact_joints]
    return {name: float(share) for name, share in zip(names, poses.contacts.mean(axis=0))}
