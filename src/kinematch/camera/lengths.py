"""Lengths: what a body's bones usually measure. Bones do not stretch, so a frame in which they do is a bad one."""

import numpy as np

from kinematch.camera.projection import MIN_VISIBILITY

MEDIAN_INTERVAL = 10  # frames between medians, once there are as many
MEDIAN_FRAMES = 200  # frames in a median
SIDES = ("left", "right")
LIMBS = (
    *(("shoulder", "hip"), ("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist")),
    *(("ankle", "heel"), ("heel", "foot_index")),
)
BONES = (
    *(("left_hip", "right_hip"), ("left_shoulder", "right_shoulder"), ("left_ear", "right_ear")),
    *(("nose", f"{side}_ear") for side in SIDES),
    *((f"{side}_{upper}", f"{side}_{lower}") for upper, lower in LIMBS for side in SIDES),
)


def find_bones(names: tuple[str, ...]) -> np.ndarray:
    """Landmarks (B, 2) at the ends of all bones that an estimator sees; the first bone joins the hips."""
    return np.array([(names.index(a), names.index(b)) for a, b in BONES if a in names and b in names])


def measure_bones(body: np.ndarray, bones: np.ndarray) -> np.ndarray:
    """Lengths (B,) of bones of a body (K, 3)."""
    return np.linalg.norm(body[bones[:, 0]] - body[bones[:, 1]], axis=-1)


class UsualLengths:
    """Running medians of some lengths."""

    def __init__(self) -> None:
        self.medians = np.zeros(0)
        self._recent: list[np.ndarray] = []
        self._count = 0

    def learn(self, lengths: np.ndarray) -> None:
        """The lengths (B,) of one more frame."""
        if len(lengths) != len(self.medians):  # of another estimator
            self._recent, self._count = [], 0
        self._recent.append(lengths)
        self._count += 1
        if self._count < MEDIAN_INTERVAL or self._count % MEDIAN_INTERVAL == 0:
            del self._recent[:-MEDIAN_FRAMES]
            self.medians = np.median(self._recent, axis=0)


def find_stretch(lengths: np.ndarray, usual: np.ndarray, bones: np.ndarray, visibility: np.ndarray) -> float:
    """Root mean square (in their unit) by which the seen bones (B,) are longer or shorter than usual."""
    seen = visibility[bones].min(axis=1) > MIN_VISIBILITY
    seen[0] = True
    return float(np.sqrt(np.mean((lengths - usual)[seen] ** 2)))
