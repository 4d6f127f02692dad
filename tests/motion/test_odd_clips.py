"""Every function takes every clip, however short, small or odd: it gives finite motion or says what it lacks."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.motion import roles, tpose
from kinematch.motion.clean import contacts, edit, floor, in_place, root
from kinematch.motion.clean.mirror import mirror
from kinematch.motion.clean.resample import resample
from kinematch.motion.clip import Clip
from kinematch.motion.labels import calibration, idles
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along

WALK = walk_along([(0, 0), (0, 1)])
RIG = WALK.skeleton


def still(names: str, frames: int) -> Clip:
    """A chain of upright bones that does not move."""
    rig = skeleton(names, range(-1, len(names) - 1), [[0, 1, 0]] * len(names))
    return Clip(rig, np.tile(rig.offsets, (frames, 1, 1)), np.tile(rig.rotations, (frames, 1, 1)), 60.0, "still")


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    flat = replace(RIG, offsets=RIG.offsets * 0, end_offsets=RIG.end_offsets * 0)
    return {
        **{f"{frames} frames": WALK.frames(0, frames) for frames in (1, 2, 3, 4)},
        **{f"a joint, {frames} frames": still("a", frames) for frames in (1, 2, 50)},
        **{f"two joints, {frames} frames": still("ab", frames) for frames in (1, 2, 50)},
        "no size": WALK.with_(skeleton=flat, positions=WALK.positions * 0),
        "no rotation": WALK.with_(rotations=WALK.rotations * 0),
        "giant": edit.scale(WALK, 1e6),
        "dwarf": edit.scale(WALK, 1e-6),
        "slide show": WALK.with_(frame_rate=0.001),
        "slow motion": WALK.with_(frame_rate=1e5),
        "no roles": WALK.with_(skeleton=RIG.with_roles({})),
        "no T-pose": WALK.with_(skeleton=replace(RIG, tpose=None)),
        "a root": root.add_root(WALK),
        "a root, 1 frame": root.add_root(WALK.frames(0, 1)),
    }


FUNCTIONS = {
    "resample down": lambda clip: resample(clip, clip.frame_rate / 2),
    "resample up": lambda clip: resample(clip, clip.frame_rate * 1.7),
    "mirror": mirror,
    "add_root": root.add_root,
    "add_root hips": lambda clip: root.add_root(clip, "hips"),
    "replace_root": lambda clip: root.replace_root(root.add_root(clip)),
    "body_forward": root.body_forward,
    "find_contacts": contacts.find_contacts,
    "find_contacts named": lambda clip: contacts.find_contacts(clip, [clip.skeleton.names[-1]]),
    "contact_quality": lambda clip: contacts.contact_quality(clip, contacts.find_contacts(clip)),
    "put_on_floor": floor.put_on_floor,
    "put_on_floor named": lambda clip: floor.put_on_floor(clip, [clip.skeleton.names[-1]]),
    "root_motion_from_feet": in_place.root_motion_from_feet,
    "is_in_place": in_place.is_in_place,
    "trim": lambda clip: edit.trim(clip, 0, 1.5 * clip.dt),
    "trim outside": lambda clip: edit.trim(clip, 1e5, 2e5),
    "split": lambda clip: edit.split(clip, [clip.dt]),
    "drop": lambda clip: edit.drop(clip, [(0, clip.dt)]),
    "unroll": edit.unroll,
    "scale_to_leg_length": lambda clip: edit.scale_to_leg_length(clip, 0.8),
    "retarget": lambda clip: retarget(clip, RIG),
    "retarget to it": lambda clip: retarget(WALK, clip.skeleton),
    "find_roles": lambda clip: roles.find_roles(clip.skeleton),
    "with_reference_tpose": tpose.with_reference_tpose,
    "find_tpose_frame": tpose.find_tpose_frame,
    "find_calibration_poses": calibration.find_calibration_poses,
    "find_idles": idles.find_idles,
}


def check(result: object) -> None:
    for one in result if isinstance(result, list) else [result]:
        if isinstance(one, Clip):  # whose values are finite, or it would not be
            assert one.frame_count


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_takes_every_clip(function, clips):
    for name, clip in clips.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a division by zero is a mistake too
            try:
                check(FUNCTIONS[function](clip))
            except KinematchError as error:
                assert str(error), name  # noqa: PT017, either is right
            except Exception as error:
                error.add_note(f"the clip: {name}")
                raise
