"""The poses of a clip made ready for drawing: global transforms, floor places, contacts of each frame."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinematch.draw.body import BodyShape, place
from kinematch.draw.figure import contact_marks, floor_under
from kinematch.draw.mannequin import make_body
from kinematch.draw.solid import Solids, join
from kinematch.draw.theme import Theme
from kinematch.errors import KinematchError
from kinematch.motion import kinematics
from kinematch.motion.clean.contacts import contact_joints as feet_of
from kinematch.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class DrawnFrames:
    clip: Clip
    indices: np.ndarray  # (N,) int, frames of the clip
    positions: np.ndarray  # (N, J, 3) m, global
    rotations: np.ndarray  # (N, J, 4), global
    contacts: np.ndarray  # (N, J) bool
    body: BodyShape
    floor_height: float  # m

    @property
    def hips(self) -> np.ndarray:
        """(N, 3) m: the joint that carries the body."""
        roles = self.clip.skeleton.roles
        return self.positions[
            :, roles.get("hips", min(1, self.clip.skeleton.joint_count - 1) if "root" in roles else 0)
        ]

    def solids(self, frame: int, theme: Theme) -> Solids:
        """Body and contact marks of one of the N frames."""
        p = self.positions[frame]
        group = place(self.body, p, self.rotations[frame], theme)
        if self.contacts[frame].any():
            group = join(group, contact_marks(p[self.contacts[frame]], theme, floor_height=self.floor_height))
        return group


def frames_of(
    clip: Clip,
    indices: np.ndarray,
    *,
    contacts: np.ndarray | None = None,
    contact_joints: Sequence[int] | None = None,
    body: BodyShape | None = None,
) -> DrawnFrames:
    """Some frames of a clip; contacts (F, K) belong to the whole clip and to K joints, by default its feet."""
    some = clip.with_(positions=clip.positions[indices], rotations=clip.rotations[indices])
    p, r = kinematics.global_pose(some)
    planted = np.zeros(p.shape[:2], bool)
    if contacts is not None:
        contacts = np.asarray(contacts, bool)
        joints = feet_of(clip.skeleton) if contact_joints is None else contact_joints
        if contacts.shape != (clip.frame_count, len(joints)):
            raise KinematchError(
                f"contacts of shape {contacts.shape}, expected ({clip.frame_count}, {len(joints)}): "
                "one row per frame and one column per contact joint"
            )
        planted[:, list(joints)] = contacts[indices]
    body, floor = body or make_body(clip.skeleton), floor_under(clip.skeleton, p)
    return DrawnFrames(clip, indices, p.astype(np.float64), r.astype(np.float64), planted, body, floor)


def even_frames(clip: Clip, count: int, *, start: float | None, stop: float | None) -> np.ndarray:
    """Indices (count,) evenly spread over the seconds [start, stop]."""
    start, stop = 0.0 if start is None else start, clip.duration if stop is None else stop
    if not 0 <= start <= stop:
        raise KinematchError(
            f"seconds {start} to {stop}, expected 0 <= start <= stop (the clip lasts {clip.duration:.3f})"
        )
    if count < 1:
        raise KinematchError(f"{count} pictures, expected at least one")
    times = np.linspace(start, min(stop, clip.duration), count)
    return np.clip(np.round(times * clip.frame_rate).astype(int), 0, clip.frame_count - 1)
