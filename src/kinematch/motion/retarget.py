"""Retarget a clip: the same motion on another rig (thesis 3.2.3)."""

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.retargeting import Retargeting
from kinematch.motion.skeleton import Skeleton


def retarget(clip: Clip, target: Skeleton) -> Clip:
    """The motion of a clip on another skeleton; `km.Retargeting` does the same for live poses and says how."""
    try:
        retargeting = Retargeting(clip.skeleton, target)
    except KinematchError as error:
        raise KinematchError(f"clip {clip.name!r}: {error}") from None
    positions, rotations = retargeting.apply(clip.positions, clip.rotations)
    return clip.with_(skeleton=target, positions=positions, rotations=quaternion.unroll(rotations))
