"""Arms of a character that plays the built-in motion: up through the turns of a run, at the sides after a stop."""

import numpy as np
import pytest

from kinematch.character.crowd import Crowd
from kinematch.control.command import Command
from kinematch.database.storage import Database
from kinematch.motion.clip import Clip
from kinematch.motion.record import record
from kinematch.synth.measure import SIDES, elbow, hand_asymmetry

DT = 1 / 60
COUNT = 8
RUN = 3.6  # m/s


@pytest.fixture(scope="module")
def running(built_of) -> Database:
    clips = "idle", "walk_1.35", "walk_turn_*_180", "stand_turn_*", "starts_and_stops_*", "run_3.6", "run_turn_*"
    return built_of(*clips).database


def run_until(database: Database, then: np.ndarray, seconds: float) -> tuple[list[Clip], np.ndarray]:
    """Clips of characters that run along +Z, and from 4 s on, each 4 frames later than the last, at `then` (N, 3)."""
    crowd, changes = Crowd(database, COUNT), 240 + 4 * np.arange(COUNT)
    poses = []
    for step in range(changes[-1] + round(seconds / DT)):
        velocities = np.where((step < changes)[:, None], [0.0, 0.0, RUN], then)
        poses.append(crowd.step(Command(velocities, velocities / RUN, "level0"), DT))
    return [record(poses, crowd.skeleton, 60, character=k) for k in range(COUNT)], changes


def test_elbows_stay_bent_as_a_running_character_turns_round(running: Database):
    clips, changes = run_until(running, np.tile([0.0, 0.0, -RUN], (COUNT, 1)), 2.0)
    flexion = np.array(
        [[elbow(clip, side)[change : change + 120] for side in SIDES] for clip, change in zip(clips, changes)]
    )  # (N, 2, T)
    assert flexion.mean() > 75
    assert (flexion < 45).mean() < 0.11


def test_hands_hang_alike_after_a_running_character_has_stopped(running: Database):
    clips, changes = run_until(running, np.zeros((COUNT, 3)), 3.5)
    for clip, change in zip(clips, changes):
        root = clip.positions[:, 0]
        speeds = np.linalg.norm(np.gradient(root, DT, axis=0), axis=-1)[change:]
        still = change + int(np.argmax(speeds < 0.08))
        assert hand_asymmetry(clip)[still + 36 :].max() < 0.06
