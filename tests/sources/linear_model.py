"""A small model that plays well, without torch: principal components for latents, and linear maps for networks."""

import numpy as np

from kinematch.database.storage import Database
from kinematch.learned.codebook import make_codebook
from kinematch.learned.model import Model
from kinematch.learned.network import Network
from kinematch.learned.training.data import prepare_data

LATENTS = 40
CONTACT = 0.3  # m that a wrong contact counts as much as
STRIDE = 2  # frames between entries of the codebook
RIDGE = 1e-3


def make_linear_model(database: Database) -> Model:
    """What training begins from: good on the motion it was made of, and made in a second."""
    data = prepare_data(database, held_share=0.0, held_clips=0.0)
    poses, features, columns = database.poses, database.features, data.columns
    scale = data.levers.astype(np.float64)
    scale[columns.root], scale[columns.contacts], scale[columns.contact_left] = 0.1, CONTACT, CONTACT
    centred = (data.poses - data.poses.mean(axis=0)) * scale
    spread, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    own = slice(-1, -LATENTS - 1, -1)
    latents = centred @ axes[:, own] / np.sqrt(np.maximum(spread[own], 1e-9))
    both = np.concatenate([data.features, latents], axis=1)
    inside = np.flatnonzero(data.left > 0)
    frames = np.flatnonzero(features.targets & (np.arange(len(both)) % STRIDE == 0))
    book = make_codebook(
        frames, features.values[frames], latents[frames], poses.clip_of(frames), poses.tags.frames[frames],
        poses.cost_factor[frames],
    )  # fmt: skip
    return Model(
        skeleton=poses.skeleton, contact_joints=np.array(poses.contact_joints), frame_rate=float(poses.frame_rate),
        schema=features.schema, feature_offset=np.array(features.offset), feature_scale=np.array(features.scale),
        feature_weights=features.column_weights(), tag_names=poses.tags.names, filter=database.filter,
        rest=np.array(poses.positions[0]), moving=data.moving, decompressor=regress(both, data.poses),
        stepper=regress(both[inside], both[inside + 1] - both[inside]), projector=None, codebook=book,
        limits=np.stack([both.min(axis=0), both.max(axis=0)]).astype(np.float32),
    )  # fmt: skip


def regress(inputs: np.ndarray, outputs: np.ndarray) -> Network:
    """One layer that predicts outputs (F, B) from inputs (F, A) best."""
    mean, goal = inputs.mean(axis=0), outputs.mean(axis=0)
    centred = (inputs - mean).astype(np.float64)
    normal = centred.T @ centred + RIDGE * len(centred) * np.eye(centred.shape[1])
    weight = np.linalg.solve(normal, centred.T @ (outputs - goal))
    return Network((weight.astype(np.float32),), ((goal - mean @ weight).astype(np.float32),))
