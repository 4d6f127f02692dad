"""Flat files of matrices that a page of C++ reads: rows, columns, bytes a value, then the values, little-endian."""

import struct
from collections.abc import Iterable

import numpy as np

from kinematch.learned.export.correction import CORRECTION
from kinematch.learned.export.entries import Entries, find_trajectory
from kinematch.learned.export.fold import PhysicalModel
from kinematch.learned.model import Model
from kinematch.learned.network import Network
from kinematch.learned.projection import MAX_RUN_SECONDS


def pack_matrices(matrices: Iterable[np.ndarray]) -> bytes:
    """Float32, or bytes where a matrix is of bytes; vectors become one row."""
    parts = []
    for matrix in matrices:
        rows = np.atleast_2d(matrix)
        kind = np.dtype(np.uint8) if rows.dtype == np.uint8 else np.dtype("<f4")
        parts += [struct.pack("<3i", *rows.shape, kind.itemsize), rows.astype(kind).tobytes()]
    return b"".join(parts)


def list_matrices(model: Model, physical: PhysicalModel, entries: Entries) -> dict[str, np.ndarray]:
    """All arrays that playing a model needs, by name, in the order of model.bin."""
    book, width = model.codebook, model.schema.width
    names = ("decompressor", "stepper", "projector")
    networks = [getattr(physical, name) for name in names]
    layers = [0 if network is None else len(network.weights) for network in networks]
    scale = np.concatenate([model.feature_scale, np.ones(model.latent_count)])
    shift = np.concatenate([model.feature_offset, np.zeros(model.latent_count)])
    sizes = width, model.latent_count, model.skeleton.joint_count, len(model.moving), len(model.contact_joints)
    longest = round(MAX_RUN_SECONDS * model.frame_rate)
    following = entries.first, entries.projector.stride, CORRECTION, longest
    matrices: dict[str, np.ndarray] = {
        "numbers": np.array([model.frame_rate, *sizes, *following, *layers]),
        "moving": model.moving,
        "rest": model.rest,
        "trajectory_columns": find_trajectory(model),
        "center": physical.center,
        "cost_weights": physical.cost_weights,
        "limits": physical.limits,
        "projector_center": physical.projector_center,
        "codebook": np.concatenate([book.features, book.latents], axis=1),
        "codebook_scale": np.stack([book.lowest * scale + shift, book.step * scale]),
        "codebook_costs": np.column_stack([entries.cost_factors, entries.steps_left, entries.last]),
    }
    for name, network in zip(names, networks):
        if network is not None:
            matrices |= list_layers(name, network)
    return matrices


def list_layers(name: str, network: Network) -> dict[str, np.ndarray]:
    """Weights (inputs, outputs) and biases of each layer, then the linear path, which may have no rows."""
    matrices = {}
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases)):
        matrices[f"{name}.weight.{number}"], matrices[f"{name}.bias.{number}"] = weight, bias
    empty = np.zeros((0, network.output_count), np.float32)
    return {**matrices, f"{name}.skip": empty if network.skip is None else network.skip}
