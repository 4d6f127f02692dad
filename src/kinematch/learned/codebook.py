"""Codebook: some frames of the database as features and latents in a byte each, to begin from and to jump to."""

from dataclasses import dataclass

import numpy as np

from kinematch.copies import Unchanging
from kinematch.database.poses import check_clips
from kinematch.errors import KinematchError

BYTE_LEVELS = 255  # steps of a byte
PER_FRAME = ("frames", "features", "latents", "tags", "cost_factor")


@dataclass(frozen=True, eq=False)
class Codebook(Unchanging):
    """E entries in the order of the database; value = lowest + step * byte."""

    frames: np.ndarray  # (E,) int32, of the database it was made from
    features: np.ndarray  # (E, D) uint8
    latents: np.ndarray  # (E, Z) uint8
    lowest: np.ndarray  # (D + Z,) float32, of features and then latents
    step: np.ndarray  # (D + Z,) float32
    clip_starts: np.ndarray  # (C,) int32, entries of each clip that has any
    clip_stops: np.ndarray  # (C,) int32
    tags: np.ndarray  # (E, T) bool
    cost_factor: np.ndarray  # (E,) float32

    def __post_init__(self) -> None:
        count, (clips,) = len(self.frames), self.clip_starts.shape
        width = self.features.shape[1] + self.latents.shape[1]
        shapes = {
            "frames": (count,), "features": (count, self.features.shape[1]), "latents": (count, self.latents.shape[1]),
            "lowest": (width,), "step": (width,), "clip_stops": (clips,), "tags": (count, self.tags.shape[1]),
            "cost_factor": (count,),
        }  # fmt: skip
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise KinematchError(f"codebook: {name} has shape {array.shape}, expected {shape}")
            array.flags.writeable = False
        check_clips(self.clip_starts, self.clip_stops, count)
        if not count or (self.frames[1:] <= self.frames[:-1]).any():
            raise KinematchError("codebook: frames must ascend")

    @property
    def entry_count(self) -> int:
        return len(self.frames)

    def restore(self, entries: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Features and latents (M, D + Z) float32 of entries, side by side as the networks take them."""
        both = np.concatenate([self.features[entries], self.latents[entries]], axis=-1)
        return self.lowest + self.step * both.astype(np.float32)


def make_codebook(
    frames: np.ndarray, features: np.ndarray, latents: np.ndarray, clips: np.ndarray, tags: np.ndarray,
    cost_factor: np.ndarray,
) -> Codebook:  # fmt: skip
    """From features (E, D) and latents (E, Z) of frames (E,), the clip (E,) of each, its tags and cost factor."""
    both = np.concatenate([features, latents], axis=1).astype(np.float32)
    lowest, highest = both.min(axis=0), both.max(axis=0)
    step = (highest - lowest) / BYTE_LEVELS
    codes = np.rint((both - lowest) / np.where(step > 0, step, 1)).astype(np.uint8)
    edges = np.flatnonzero(np.diff(clips, prepend=-1)).astype(np.int32)
    width = features.shape[1]
    return Codebook(
        frames=np.array(frames, np.int32),
        features=np.ascontiguousarray(codes[:, :width]),
        latents=np.ascontiguousarray(codes[:, width:]),
        lowest=lowest,
        step=step.astype(np.float32),
        clip_starts=edges,
        clip_stops=np.append(edges[1:], np.int32(len(frames))),
        tags=np.array(tags, bool),
        cost_factor=np.array(cost_factor, np.float32),
    )
