"""The third stage, of designs with a projector network: from a query to the features and latents of the best frame."""

from typing import Any

import numpy as np

from kinematch.learned.network import Network
from kinematch.learned.scoring import CENTIMETRES_PER_METRE
from kinematch.learned.training.data import TrainingData
from kinematch.learned.training.modules import export_dense, make_dense
from kinematch.learned.training.plan import ModelPlan
from kinematch.learned.training.tensors import Tensors
from kinematch.search import WideMatcher, search_space

PAIR_COUNT = 200_000  # queries and their matches, found once: a large database is searched faster than it is learned
LAYER_COUNT = 4
REPORT_QUERIES = 1500  # queries of a report


class ProjectStage:
    name = "project"

    def __init__(
        self, data: TrainingData, tensors: Tensors, plan: ModelPlan, latents: Any, decompressor: Any, seed: int
    ):  # fmt: skip
        import torch

        self.tensors, self.plan, self.decompressor = tensors, plan, decompressor
        self.both = torch.cat([tensors.features, latents], dim=-1).detach()
        self.mean, self.spread = self.both.mean(dim=0), self.both.std(dim=0).clamp_min(1e-3)
        self.queries, self.matches = find_pairs(data, np.random.default_rng([seed, 5]))
        width = self.both.shape[1]
        projector = make_dense([tensors.width, *[plan.projector_hidden] * LAYER_COUNT, width])
        self.modules = {"projector": projector.to(tensors.device)}
        for parameter in decompressor.parameters():
            parameter.requires_grad_(False)

    def measure_loss(self, rng: np.random.Generator, done: float = 1.0) -> Any:
        """Features and latents of the match and, where the plan says so, its pose through the decompressor."""
        import torch

        rows = rng.integers(len(self.queries), size=self.plan.windows * 4)
        queries = torch.from_numpy(self.queries[rows]).to(self.tensors.device)
        frames = torch.from_numpy(self.matches[rows]).to(self.tensors.device)
        found = self.mean + self.spread * self.modules["projector"](queries)
        loss = ((found - self.both[frames]) / self.spread).abs().mean()
        if self.plan.pose_weight:
            joints, _ = self.tensors.pose(self.decompressor(found))
            wrong = (joints - self.tensors.joints[frames]) * self.tensors.joint_weights
            loss = loss + self.plan.pose_weight * CENTIMETRES_PER_METRE * wrong.abs().mean() / 10
        return loss

    def describe(self) -> tuple[str, float]:
        """Mean distance of poses in cm from those of exact search."""
        import torch

        rows = np.arange(0, len(self.queries), max(1, len(self.queries) // REPORT_QUERIES))
        frames = torch.from_numpy(self.matches[rows]).to(self.tensors.device)
        with torch.no_grad():
            queries = torch.from_numpy(self.queries[rows]).to(self.tensors.device)
            found = self.mean + self.spread * self.modules["projector"](queries)
            joints, _ = self.tensors.pose(self.decompressor(found))
            value = float((joints - self.tensors.joints[frames]).norm(dim=-1)[:, 1:].mean() * CENTIMETRES_PER_METRE)
        return f"{value:.1f} cm from exact search's poses", value

    def export(self) -> Network:
        mean, spread = (values.cpu().double().numpy() for values in (self.mean, self.spread))
        return export_dense(self.modules["projector"], spread, mean)


def find_pairs(data: TrainingData, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Queries (Q, D) near the data, with noise of every size up to the data's own, and the frames that they match."""
    features = data.features
    count = min(PAIR_COUNT, 8 * len(features))
    frames = rng.choice(np.flatnonzero(~data.held), count)
    noise = rng.normal(size=(count, features.shape[1])) * features.std(axis=0) * rng.random((count, 1))
    queries = (features[frames] + noise).astype(np.float32)
    # half of them ask for the trajectory of another frame, as characters under a stick do
    mixed = rng.random(count) < 0.5
    other = rng.choice(np.flatnonzero(~data.held), count)
    schema = data.database.features.schema
    for feature, columns in zip(schema.features, schema.columns.values()):
        if feature.group == "trajectory":
            queries[mixed, columns] = features[other[mixed], columns]
    matcher = WideMatcher(search_space(data.database))
    return queries, matcher.find(queries, filter=data.database.filter, ignore=0).frames.astype(np.int64)
