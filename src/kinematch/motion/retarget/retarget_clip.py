"""Retarget a clip: the same motion on another rig (thesis 3.2.3)."""

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clean.contacts import find_contacts
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.bulk import Bulk
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.retarget.settings import RetargetSettings
from kinematch.motion.skeleton import Skeleton


def retarget(
    clip: Clip, target: Skeleton, settings: RetargetSettings | None = None, *, bulk: Bulk | None = None
) -> Clip:
    """The motion of a clip on another skeleton; `km.Retargeting` does the same for live poses and says how.

    The floor is at height 0, or where the ground root is. Besides what live poses get, feet stand still while the
    clip's are planted. `bulk` is how thick the target is where its mesh is known.
    """
    try:
        retargeting = Retargeting(clip.skeleton, target, settings or RetargetSettings(), bulk)
    except KinematchError as error:
        raise KinematchError(f"clip {clip.name!r}: {error}") from None
    contacts = find_contacts(clip, [f"role:{side}_{_find_end(clip.skeleton, side)}" for side in ("left", "right")])
    positions, rotations = retargeting.apply(clip.positions, clip.rotations, contacts=contacts)
    return clip.with_(skeleton=target, positions=positions, rotations=quaternion.unroll(rotations))


def _find_end(skeleton: Skeleton, side: str) -> str:
    return "toes" if f"{side}_toes" in skeleton.roles else "foot"
