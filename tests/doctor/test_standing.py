"""Characters of a database that `init` and `build` made of raw takes stand like people, not in calibration poses."""

import re
from pathlib import Path

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.cli.main import main
from kinematch.control.command import Command
from kinematch.database.build import build
from kinematch.database.storage import Database
from kinematch.motion.kinematics import tpose
from kinematch.motion.skeleton import Skeleton

COUNT = 24  # characters
DT = 1 / 60
SLOW = 0.2  # m/s over a quarter of a second; slower is standing
SHORT = ["fallAndGetUp3_subject1", "multipleActions1_subject1", "push1_subject2"]


def init_takes(takes: list[Path], folder: Path) -> Path:
    for path in takes:
        (folder / path.name).symlink_to(path)
    assert main(["init", str(folder)]) == 0
    return folder / "recipe.toml"


def walk_and_stop(seed: int, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and facings (steps, N, 3): each character walks and stands by turns, for 2 to 6 s each."""
    rng = np.random.default_rng(seed)
    steps = round(seconds / DT)
    velocities, facings = np.zeros((2, steps, COUNT, 3))
    for character in range(COUNT):
        step, walks, yaw = 0, bool(rng.integers(2)), rng.uniform(0, 2 * np.pi)
        while step < steps:
            stop = step + round(rng.uniform(2, 6) / DT)
            yaw += rng.uniform(-2, 2) if walks else 0
            way = np.array([np.sin(yaw), 0, np.cos(yaw)])
            facings[step:stop, character] = way
            velocities[step:stop, character] = way * (rng.uniform(0.8, 3.0) if walks else 0)
            step, walks = stop, not walks
    return velocities, facings


def shares_of_standing(database: Database, seed: int, seconds: float) -> dict[str, float]:
    """Shares of the time that characters stand: in a T-pose, in something like it, and with the head low."""
    velocities, facings = walk_and_stop(seed, seconds)
    places = np.arange(COUNT)[:, None] * np.array([3.0, 0, 0])
    crowd = Crowd(database, COUNT, positions=places, yaws=np.zeros(COUNT))
    positions = np.array(
        [crowd.step(Command(v, f), DT).global_positions.copy() for v, f in zip(velocities, facings)], np.float64
    )
    skeleton = database.poses.skeleton
    hips = positions[:, :, skeleton.roles["hips"]] * [1, 0, 1]
    steps = round(0.25 / DT)
    speeds = np.linalg.norm(hips[steps:] - hips[:-steps], axis=-1) / (steps * DT)
    standing = (np.abs(velocities).max(axis=-1)[steps:] == 0) & (speeds < SLOW)
    assert standing.mean() > 0.2
    arms, elbows = arm_angles(skeleton, positions[steps:][standing])
    head = skeleton.roles["head"]
    heights = positions[steps:][standing][:, head, 1] / tpose(skeleton)[0][head, 1]
    return {
        "T-pose": float(((arms < 25) & (elbows < 45)).mean()),
        "arms out": float(((arms < 45) & (elbows < 90)).mean()),
        "head low": float((heights < 0.88).mean()),
        "crouching": float((heights < 0.85).mean()),
    }


def arm_angles(skeleton: Skeleton, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angle (N,) of the worse arm from horizontally sideways, and bend of the worse elbow, in degrees."""
    at = {role: positions[:, joint] for role, joint in skeleton.roles.items()}
    left = (at["left_upper_leg"] - at["right_upper_leg"]) * [1, 0, 1]
    angles, bends = [], []
    for side, sign in (("left", 1), ("right", -1)):
        shoulder, elbow, hand = (at[f"{side}_{part}"] for part in ("upper_arm", "lower_arm", "hand"))
        angles.append(degrees_between(hand - shoulder, left * sign))
        bends.append(degrees_between(hand - elbow, elbow - shoulder))
    return np.max(angles, axis=0), np.max(bends, axis=0)


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cosines = np.sum(a * b, axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
    return np.degrees(np.arccos(cosines.clip(-1, 1)))


def test_nobody_stands_in_a_t_pose_unless_takes_keep_theirs(data, tmp_path):
    recipe = init_takes([data / "lafan1-takes" / f"{name}.bvh" for name in SHORT], tmp_path)
    cleaned = shares_of_standing(build(recipe).database, seed=0, seconds=12)
    assert cleaned["T-pose"] == 0, cleaned
    assert cleaned["arms out"] < 0.01, cleaned
    assert cleaned["head low"] < 0.01, cleaned
    # where only the pose at the start is dropped, characters settle in the one at the end
    text = re.sub(r"drop = \[(\[0\.0, [\d.]+\]).*", r"drop = [\1]", recipe.read_text())
    text = re.sub(r"\[\[source\.range\]\]\n([^\[\n].*\n)*", "", text)
    text = re.sub(r"filter = .*\n", "", text)
    (tmp_path / "kept.toml").write_text(text.replace(".kinematch", "-kept.kinematch"))
    kept = shares_of_standing(build(tmp_path / "kept.toml").database, seed=0, seconds=12)
    assert kept["T-pose"] > 0.2, kept


@pytest.mark.slow
def test_nobody_stands_in_a_t_pose_in_a_database_of_all_takes(data, tmp_path):
    recipe = init_takes(sorted((data / "lafan1-takes").glob("*.bvh")), tmp_path)
    database = build(recipe).database
    for seed in range(2):
        shares = shares_of_standing(database, seed, seconds=60)
        print(seed, shares)
        assert shares["T-pose"] == 0, shares
        assert shares["arms out"] < 0.01, shares
        assert shares["head low"] < 0.005, shares
        assert shares["crouching"] == 0, shares
