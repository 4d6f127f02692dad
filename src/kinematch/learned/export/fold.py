"""Physical units: the networks of a model with inputs and outputs in metres and seconds."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.learned.model import Model
from kinematch.learned.network import Network


@dataclass(frozen=True, eq=False)
class PhysicalModel:
    """The networks take [features - center, latents], features in physical units. The stepper gives the change."""

    center: np.ndarray  # (D,) float32
    cost_weights: np.ndarray  # (D,) float32, factors of squared differences of physical features
    limits: np.ndarray  # (2, D + Z) float32, that features and latents keep within after a step
    decompressor: Network
    stepper: Network
    projector: Network | None
    projector_center: np.ndarray  # (D + Z,) float32, to add to what the projector gives


def fold_model(model: Model, margin: float) -> PhysicalModel:
    """Scales go into the weights; `margin`: of a column's range by which a run may leave the data."""
    scale, center = model.feature_scale.astype(np.float64), model.feature_offset
    latents = np.ones(model.latent_count)
    both = np.concatenate([scale, latents])
    shift = np.concatenate([center, 0 * latents])
    lowest, highest = model.limits.astype(np.float64)
    room = margin * (highest - lowest)
    return PhysicalModel(
        center=center,
        cost_weights=_single(model.feature_weights / scale**2),
        limits=_single(np.stack([lowest - room, highest + room]) * both + shift),
        decompressor=_scale_inputs(model.decompressor, both),
        stepper=_scale_outputs(_scale_inputs(model.stepper, both), both),
        projector=None if model.projector is None else _scale_outputs(_scale_inputs(model.projector, scale), both),
        projector_center=_single(shift),
    )


def _scale_inputs(network: Network, scale: np.ndarray) -> Network:
    """For inputs in units of their own, each `scale` times smaller in those of the network."""
    first = _single(network.weights[0] / scale[:, None])
    skip = None if network.skip is None else _single(network.skip / scale[len(scale) - len(network.skip) :, None])
    return replace(network, weights=(first, *network.weights[1:]), skip=skip)


def _scale_outputs(network: Network, scale: np.ndarray) -> Network:
    return replace(
        network,
        weights=(*network.weights[:-1], _single(network.weights[-1] * scale)),
        biases=(*network.biases[:-1], _single(network.biases[-1] * scale)),
        skip=None if network.skip is None else _single(network.skip * scale),
    )


def _single(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.float32)
