"""The verdict on a model: good, usable or bad, why, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.control.command import move
from kinematch.learned.model import Model
from kinematch.learned.scoring import find_joints, measure_distance
from kinematch.learned.source import LearnedSource

Grade = Literal["good", "usable", "bad"]
GRADES: tuple[Grade, ...] = ("good", "usable", "bad")
STICK_CHARACTERS = 4
STICK_SECONDS = 150.0  # of each: ten minutes in all
RATE = 60.0
FROZEN_SECONDS = 1.5  # that a character stands although it is commanded to move
MAX_STANDING_SPEED, MIN_COMMAND_SPEED = 0.1, 0.6  # m/s: a root below stands; a command above means to move
MIN_BODY_SPEED = 5.0  # cm/s, mean over joints seen from the root, below which a body does not move
LOOK_STEPS = 6  # steps between two looks at the body
COMMAND_SECONDS = (0.5, 3.0)  # s between new commands
REFERENCE_COUNT = 3000  # entries of the codebook that poses are compared with


@dataclass(frozen=True)
class Limit:
    """What a score may be at most."""

    score: str
    text: str
    good: float
    usable: float
    advice: str


LONGER_ADVICE = "train longer (--minutes)"
CAPACITY_ADVICE = "give the networks more capacity, or train longer (--minutes)"
SNAP_ADVICE = "use the design 'snap' (--design snap)"  # for models that project by a network
CODEBOOK_ADVICE = "use a larger codebook (--capacity large), or train longer (--minutes)"  # for those that have it
GLITCH_ADVICE = "look for glitches and wrong contacts with `kinematch doctor`, then train longer"
VERDICT_LIMITS = (
    Limit("database_mean", "cm, decoded against recorded joints", 0.5, 1.5, CAPACITY_ADVICE),
    Limit("database_p95", "cm, 95 of 100 joints are nearer", 1.5, 4.0, CAPACITY_ADVICE),
    Limit("held_mean", "cm, on stretches it never saw", 0.9, 2.5, "add motion of the same kinds"),
    Limit("held_clip_mean", "cm, on whole clips it never saw", 0.9, 2.5, "add motion of the same kinds"),
    Limit("run_10", "cm from the clip after 10 frames alone", 1.5, 4.0, LONGER_ADVICE),
    Limit("run_20", "cm from the clip after 20 frames alone", 2.5, 6.0, LONGER_ADVICE),
    Limit("run_60", "cm from the clip after 60 frames alone", 4.5, 10.0, LONGER_ADVICE),
    Limit("project_exact", "cm from the pose that exact search finds", 3.0, 6.0, SNAP_ADVICE),
    Limit("project_nearest", "cm from the nearest recorded pose", 1.5, 3.0, CAPACITY_ADVICE),
    Limit("toe_slide", "cm/s that standing toes slide more than the recorded ones", 6.0, 20.0, GLITCH_ADVICE),
    Limit("stick_off", "cm from the nearest recorded pose under a random stick, 95 of 100", 6.0, 12.0, LONGER_ADVICE),
    Limit("stick_frozen", "times that it froze in ten minutes of random stick", 0.0, 2.0, LONGER_ADVICE),
    Limit("stick_restarts", "times that it was not finite in ten minutes of random stick", 0.0, 0.0, LONGER_ADVICE),
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    grade: Grade
    reasons: tuple[str, ...]  # scores that are not good, in words
    advice: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        return self.grade != "bad"


def judge(scores: Mapping[str, float], *, snaps: bool = True) -> Verdict:
    """The grade of the worst score; scores that were not measured do not count, those that are not finite are bad.

    `snaps`: whether the model projects to the nearest entry of its codebook, and not by a network.
    """
    worst, reasons, advice = 0, [], []
    for limit in VERDICT_LIMITS:
        if limit.score not in scores:
            continue
        value = scores[limit.score]
        level = 0 if value <= limit.good else 1 if value <= limit.usable else 2
        worst = max(worst, level)
        if level:
            most = limit.good if level == 1 else limit.usable
            reasons.append(f"{value:.1f} {limit.text}; {GRADES[level - 1]} would be {most:g} at most")
            advice.append(CODEBOOK_ADVICE if limit.advice == SNAP_ADVICE and snaps else limit.advice)
    return Verdict(GRADES[worst], tuple(reasons), tuple(dict.fromkeys(advice)))


def score_stick(model: Model, *, seconds: float = STICK_SECONDS, seed: int = 0) -> dict[str, float]:
    """Ten minutes of random stick: whether characters stay finite, keep moving and stay near the data.

    A character freezes when it is commanded to move and its root stands, or when the decoded pose stays the same while
    the root is dragged along.
    """
    rng, count = np.random.default_rng([seed, 21]), STICK_CHARACTERS
    source = LearnedSource(model)
    crowd = Crowd(source, count)
    references = find_references(source)
    fastest = find_fastest(source)
    velocities, until = np.zeros((count, 3)), np.zeros(count)
    frozen, since, distances = 0, np.zeros(count), []
    joints, still = find_joints(source, crowd.state.sources[0]["frames"][:, 0])[0], np.zeros(count, bool)
    for step in range(round(seconds * RATE)):
        due = step / RATE >= until
        angles, speeds = rng.uniform(-np.pi, np.pi, count), fastest * rng.choice([0, 0.4, 0.7, 1.0], count)
        new = np.stack([np.sin(angles) * speeds, 0 * angles, np.cos(angles) * speeds], axis=-1)
        velocities = np.where(due[:, None], new, velocities)
        until = np.where(due, step / RATE + rng.uniform(*COMMAND_SECONDS, count), until)
        pose = crowd.step(move(velocities), 1 / RATE)
        told = np.linalg.norm(velocities, axis=-1) > MIN_COMMAND_SPEED
        stands = np.linalg.norm(pose.displacements, axis=-1) * RATE < MAX_STANDING_SPEED
        if step % LOOK_STEPS == LOOK_STEPS - 1:
            before, joints = joints, find_joints(source, crowd.state.sources[0]["frames"][:, 0])[0]
            still = measure_distance(joints, before).mean(axis=1) * RATE / LOOK_STEPS < MIN_BODY_SPEED
        since = np.where(told & (stands | still), since + 1 / RATE, 0.0)
        frozen += int((np.abs(since - FROZEN_SECONDS) < 0.5 / RATE).sum())
        if step % 30 == 0:
            shown, _ = find_joints(source, crowd.state.sources[0]["frames"][:, 0])
            distances += [measure_distance(joint[None], references).mean(axis=1).min() for joint in shown]
    return {
        "stick_off": float(np.percentile(distances, 95)), "stick_frozen": float(frozen),
        "stick_restarts": float(crowd.restarts),
    }  # fmt: skip


def find_references(source: LearnedSource) -> np.ndarray:
    """Joints (R, J, 3) of entries of the codebook."""
    book = source.model.codebook
    return find_joints(source, book.restore(slice(None, None, max(1, book.entry_count // REFERENCE_COUNT))))[0]


def find_fastest(source: LearnedSource) -> float:
    """m/s that the data reaches in one entry of ten."""
    entries = source.model.codebook.restore()
    return float(np.percentile(source.projector.measure_paces(entries, np.zeros((len(entries), 3))), 90))
