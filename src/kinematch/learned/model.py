"""Model: everything that plays learned motion matching, without the database it was trained on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kinematch.copies import Unchanging
from kinematch.database.file_origin import FileOrigin, reopen
from kinematch.database.filters import check_filter, tag_mask
from kinematch.database.schema import FeatureSchema
from kinematch.errors import KinematchError
from kinematch.learned.codebook import Codebook
from kinematch.learned.network import Network
from kinematch.motion.skeleton import Skeleton

if TYPE_CHECKING:
    from kinematch.learned.source import LearnedSource


@dataclass(frozen=True)
class PoseColumns:
    """Where the outputs of a decompressor stand; all of them are physical."""

    rotations: slice  # 6 for each joint but the root: the x and y axes of its rotation, not yet orthogonal
    places: slice  # 3 for each moving joint, m in its parent's space
    root: slice  # 3: x and z in m/s in the root's own axes and turn in rad/s, over the way to the next frame
    contacts: slice  # 1 for each contact joint: it stands above 0.5
    contact_left: slice  # 1 for each contact joint, s until its contact ends

    @property
    def count(self) -> int:
        return self.contact_left.stop


def lay_out_pose(joints: int, moving: int, contacts: int) -> PoseColumns:
    """The columns of a body with a number of joints, of which some move in their parent's space."""
    stops = np.cumsum([0, 6 * (joints - 1), 3 * moving, 3, contacts, contacts]).tolist()
    return PoseColumns(*(slice(a, b) for a, b in pairwise(stops)))


@dataclass(frozen=True, eq=False)
class Model(Unchanging):
    """D features and Z latents stand for a pose and its future; normalised features are those of the database.

    decompressor: features, latents -> a pose, see PoseColumns. stepper: features, latents -> their change in a frame.
    projector: query -> features, latents; without one, the nearest entry of the codebook takes its place.
    """

    skeleton: Skeleton
    contact_joints: np.ndarray  # (K,) int32
    frame_rate: float  # of the stepper
    schema: FeatureSchema
    feature_offset: np.ndarray  # (D,) float32
    feature_scale: np.ndarray  # (D,) float32; value = (physical - offset) / scale
    feature_weights: np.ndarray  # (D,) float32, factors of squared differences
    tag_names: tuple[str, ...]
    filter: str  # of commands that name none
    rest: np.ndarray  # (J, 3) float32 m, places of joints in their parent's space
    moving: np.ndarray  # (M,) int32, joints with positions from the decompressor; never the root
    decompressor: Network  # D + Z -> pose columns
    stepper: Network  # D + Z -> D + Z
    projector: Network | None  # D -> D + Z
    codebook: Codebook
    limits: np.ndarray  # (2, D + Z) float32, lowest and highest values in the data
    scores: Mapping[str, float] = field(default_factory=dict)  # of learned/verdict.py, physical units
    about: Mapping[str, Any] = field(default_factory=dict)  # command, seed, database, versions: plain JSON values
    file: FileOrigin | None = field(default=None, init=False, repr=False)  # None unless it was opened from one

    def __post_init__(self) -> None:
        joints, features = self.skeleton.joint_count, self.schema.width
        both = features + self.latent_count
        shapes = {
            "feature_offset": (features,), "feature_scale": (features,), "feature_weights": (features,),
            "rest": (joints, 3), "limits": (2, both), "contact_joints": (len(self.contact_joints),),
        }  # fmt: skip
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise KinematchError(f"model: {name} has shape {array.shape}, expected {shape}")
            array.flags.writeable = False
        for name in ("contact_joints", "moving"):
            numbers = getattr(self, name)
            if ((numbers < 0) | (numbers >= joints)).any():
                raise KinematchError(f"model: {name} {numbers.tolist()}, expected 0 to {joints - 1}")
        ends = {"decompressor": (both, self.columns.count), "stepper": (both, both), "projector": (features, both)}
        for name, expected in ends.items():
            network = getattr(self, name)
            if network is not None and (network.input_count, network.output_count) != expected:
                found = (network.input_count, network.output_count)
                raise KinematchError(f"model: the {name} takes and gives {found} numbers, expected {expected}")
        if self.codebook.features.shape[1] != features or self.codebook.tags.shape[1] != len(self.tag_names):
            raise KinematchError("model: the codebook has other features or tags")
        if not 0 < self.frame_rate < 1e4:
            raise KinematchError(f"model: {self.frame_rate} frames a second")
        check_filter(self.filter, self.tag_names)
        if not tag_mask(self.filter, self.tag_names, self.codebook.tags).any():
            raise KinematchError(f"model: filter {self.filter!r} admits none of the codebook's entries")

    def __reduce__(self) -> tuple[Any, ...]:
        from kinematch.learned.model_file import load_model

        if self.file is not None and self.file.is_unchanged():
            return reopen, (load_model, self.file)
        return super().__reduce__()  # a file would round its weights

    @property
    def latent_count(self) -> int:
        """Z."""
        return self.codebook.latents.shape[1]

    @property
    def columns(self) -> PoseColumns:
        """Where the decompressor's outputs stand."""
        return lay_out_pose(self.skeleton.joint_count, len(self.moving), len(self.contact_joints))

    @property
    def snaps(self) -> bool:
        """Whether a query goes to the nearest entry of the codebook, and not through a network."""
        return self.projector is None

    def make_source(self) -> "LearnedSource":
        """What a Crowd plays it with."""
        from kinematch.learned.source import LearnedSource

        return LearnedSource(self)

    @property
    def nbytes(self) -> int:
        """Resident: networks and codebook, without the index of its search."""
        book = self.codebook
        networks = [one for one in (self.decompressor, self.stepper, self.projector) if one is not None]
        own = book.frames, book.features, book.latents, book.tags, book.cost_factor
        return sum(one.nbytes for one in networks) + sum(array.nbytes for array in own)
