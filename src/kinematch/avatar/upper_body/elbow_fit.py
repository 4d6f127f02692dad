"""Where people have their elbows, fitted to recorded motion: how `kernels/elbow_weights.py` was made.

The direction from the arm's axis to the elbow is a sum of terms of the hand's place and turn against the chest. In most
recordings wrists hardly bend, and a fit would put the forearm where the hand points; so wrists are bent at
random before fitting. Right arms count as mirrored left ones.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion import kinematics
from kinematch.motion.clip import Clip

SAMPLE_RATE = 6.0  # Hz
WRIST_BENDS = np.radians([10.0, 11.0, 22.0])  # standard deviations about the hand's own axes: twist, aside, flexion
COPY_COUNT = 4  # of the motion, each with wrists bent differently
RIDGE_PENALTY = 1e-3  # of the number of samples: keeps terms small that the motion says little about
BENT_DISTANCE = 0.1  # m that an elbow is off the arm's axis, to count fully
MIRROR = np.array([-1.0, 1.0, 1.0])


class Arms(NamedTuple):
    """Arms in the chest's axes, as left ones."""

    hands: np.ndarray  # (S, 3) from shoulder to wrist, in arm lengths
    elbows: np.ndarray  # (S, 3) m from shoulder to elbow
    turns: np.ndarray  # (S, 3, 3) the hand's axes: along it, its back, towards the thumb
    lengths: np.ndarray  # (S,) m


def find_arms(clips: Iterable[Clip]) -> Arms:
    """Both arms of all clips that have a chest and arms."""
    parts = []
    for clip in clips:
        roles, step = clip.skeleton.roles, max(1, round(clip.frame_rate / SAMPLE_RATE))
        chest = roles.get("upper_chest", roles.get("chest"))
        needed = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "lower_arm", "hand")]
        if clip.skeleton.tpose is None or chest is None or not all(role in roles for role in needed):
            continue
        sampled = clip.with_(positions=clip.positions[::step], rotations=clip.rotations[::step])
        places, rotations = (array.astype(np.float64) for array in kinematics.global_pose(sampled))
        turns = quaternion.multiply(rotations, quaternion.inverse(kinematics.tpose(clip.skeleton)[1]))
        back = quaternion.inverse(turns[:, chest])
        for side, flip in (("left", np.ones(3)), ("right", MIRROR)):
            shoulder, elbow, hand = (places[:, roles[f"{side}_{part}"]] for part in ("upper_arm", "lower_arm", "hand"))
            length = np.linalg.norm(elbow - shoulder, axis=-1) + np.linalg.norm(hand - elbow, axis=-1)
            axes = rotation.to_matrix(quaternion.multiply(back, turns[:, roles[f"{side}_hand"]]))
            parts.append(
                Arms(
                    quaternion.rotate(back, hand - shoulder) * flip / length[:, None],
                    quaternion.rotate(back, elbow - shoulder) * flip,
                    axes * flip[:, None] * flip,  # the axis along a right hand is turned round as well
                    length,
                )
            )
    return Arms(*(np.concatenate(column) for column in zip(*parts)))


def bend_wrists(arms: Arms, rng: np.random.Generator) -> Arms:
    """The same arms with their wrists bent at random."""
    bends = rotation.from_rotation_vector(rng.normal(size=arms.hands.shape) * WRIST_BENDS)
    return arms._replace(turns=arms.turns @ rotation.to_matrix(bends))


def find_terms(arms: Arms) -> np.ndarray:
    """Terms (S, 34) in the order of `predict_pole`."""
    w, (along, thumb) = arms.hands, (arms.turns[..., 0], arms.turns[..., 2])
    one, first, second = np.ones((len(w), 1)), *np.triu_indices(4)
    places, turns = np.concatenate([one, w], axis=1), np.concatenate([along, thumb], axis=1)
    mixed = [turns * w[:, k : k + 1] for k in range(3)]
    return np.concatenate([places[:, first] * places[:, second], turns, *mixed], axis=1)


def fit_elbows(clips: Iterable[Clip], rng: np.random.Generator) -> np.ndarray:
    """Weights (34, 3) of the terms; only what lies across the arm's axis is fitted, since only that counts."""
    arms = find_arms(clips)
    arms = Arms(*(np.concatenate(column) for column in zip(*(bend_wrists(arms, rng) for _ in range(COPY_COUNT)))))
    axes = quaternion.unit(arms.hands)
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    offsets = np.einsum("sij,sj->si", across, arms.elbows)
    shares = np.clip(np.linalg.norm(offsets, axis=-1) / BENT_DISTANCE, 0.0, 1.5) ** 2
    terms = find_terms(arms)
    size = 3 * terms.shape[1]
    normal = np.einsum("si,sj,skl,s->ikjl", terms, terms, across, shares, optimize=True).reshape(size, size)
    right = np.einsum("si,sk,s->ik", terms, quaternion.unit(offsets), shares).reshape(size)
    return np.linalg.solve(normal + RIDGE_PENALTY * len(terms) * np.eye(size), right).reshape(-1, 3)


def measure_elbows(clips: Iterable[Clip], weights: np.ndarray) -> np.ndarray:
    """How far (S,) m predicted elbows are from the recorded ones, the chest being where it was recorded."""
    arms = find_arms(clips)
    axes, poles = quaternion.unit(arms.hands), find_terms(arms) @ weights
    along = np.sum(arms.elbows * axes, axis=-1, keepdims=True)
    offsets = arms.elbows - along * axes
    sides = quaternion.unit(poles - axes * np.sum(poles * axes, axis=-1, keepdims=True))
    return np.linalg.norm(offsets - sides * np.linalg.norm(offsets, axis=-1, keepdims=True), axis=-1)
