"""From one source file to cleaned clips: read, fix, cut, resample, floor, root, mirror, contacts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np

from kinematch.database.actions import mirror_actions
from kinematch.database.faults import find_fault, is_still
from kinematch.database.loops import close_loop
from kinematch.database.recipe import Cleaning, Range, Recipe, Source
from kinematch.database.sources import SourceFile, choose_clips, matches
from kinematch.database.stand_loops import MIN_LOOP_SECONDS, play_to_and_fro
from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clip, read_clips
from kinematch.files.units_and_axes import sampled_positions
from kinematch.motion.actions import Action
from kinematch.motion.clean.contacts import contact_joints, find_contacts
from kinematch.motion.clean.edit import scale_to_leg_length
from kinematch.motion.clean.floor import lowered, put_on_floor
from kinematch.motion.clean.ground import find_ground, find_lowest_floor, lower_to_ground, raise_root
from kinematch.motion.clean.in_place import root_motion_from_feet
from kinematch.motion.clean.mirror import mirror, mirror_pairs
from kinematch.motion.clean.resample import resample
from kinematch.motion.clean.root import add_root
from kinematch.motion.clip import Clip, true_ranges
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.settings import leave_out
from kinematch.motion.roles import find_roles
from kinematch.motion.skeleton import Skeleton

MIRRORED = " (mirrored)"  # added to the names of mirrored copies


@dataclass(frozen=True, eq=False)
class Prepared:
    """A cleaned clip with its contacts and its place in the source file."""

    clip: Clip
    contacts: np.ndarray  # (F, K) bool
    contact_joints: np.ndarray  # (K,) int32
    begins: float  # s, time of its first frame in the file
    mirrored: bool = False
    loop: bool = False
    stretch: tuple[float, float] | None = None  # s of the file, of a loop made of a part of it
    warnings: tuple[str, ...] = ()
    fault: str = ""  # why it is left out of the database

    @property
    def frame_count(self) -> int:
        return self.clip.frame_count

    @property
    def frame_rate(self) -> float:
        return self.clip.frame_rate

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.clip.actions


class TimedClip(Protocol):
    """What marks need to know of a cleaned clip."""

    @property
    def frame_count(self) -> int: ...
    @property
    def frame_rate(self) -> float: ...
    @property
    def actions(self) -> tuple[Action, ...]: ...
    @property
    def begins(self) -> float: ...
    @property
    def mirrored(self) -> bool: ...
    @property
    def loop(self) -> bool: ...
    @property
    def stretch(self) -> tuple[float, float] | None: ...


def read_source(file: SourceFile, folder: Path) -> list[Clip]:
    """The clips of a source file, or the built-in one, with the source's overrides."""
    source = file.source
    if file.path is None:
        from kinematch.synth import motions, perform
        from kinematch.synth.actions import perform_action

        if source.builtin == "actions":
            return [perform_action(file.motion, seed=source.seed)]
        return [perform(motions()[file.motion], seed=[source.seed, file.motion]).clip]
    clips = read_clips(
        file.path,
        unit=source.unit,
        up=source.up,
        facing=source.facing,
        roles=source.roles or None,
        tpose=folder / source.tpose if source.tpose else None,
        choose=(lambda names: choose_clips(source, names)) if source.clips else None,
    )
    if len(clips) == 1 and not source.clips:
        return [clip.with_(name=file.name) for clip in clips]
    chosen = choose_clips(source, [clip.name for clip in clips])
    return [clip.with_(name=f"{file.name}/{clip.name}") for clip in clips if clip.name in chosen]


def find_target(files: list[SourceFile], recipe: Recipe, folder: Path) -> Skeleton | None:
    """The skeleton to retarget to: the recipe's, else that of the first source that is not retargeted."""
    if not any(file.source.retarget for file in files):
        return None
    if recipe.skeleton:
        return read_clip(folder / recipe.skeleton).skeleton
    keeps = next((file for file in files if not file.source.retarget), None)
    if keeps is None:
        raise KinematchError(
            "every source is retargeted, so the target is unknown: name a file as `skeleton` at the top of the recipe"
        )
    clip = read_source(keeps, folder)[0]
    length = keeps.source.scale_to_leg_length
    return (clip if length is None else scale_to_leg_length(clip, length)).skeleton


def prepare(file: SourceFile, cleaning: Cleaning, *, folder: Path, target: Skeleton | None = None) -> list[Prepared]:
    """All cleaned clips of a source file; errors name the file."""
    source = file.source
    try:
        prepared = []
        for clip in read_source(file, folder):
            doubts = _find_doubts(file, clip)
            own = (one.to_action() for one in source.action if matches(file, one.files))
            clip = clip.with_(actions=(*clip.actions, *own))
            if source.scale_to_leg_length is not None:
                clip = scale_to_leg_length(clip, source.scale_to_leg_length)
            if source.in_place:
                clip = root_motion_from_feet(clip, source.contact_joints or None)
            pieces = cut(clip, source)
            for stretch, begins in pieces:
                piece = stretch
                if source.retarget and target is not None:  # after the cut: a dropped T-pose must not set the floor
                    if (source.floor or cleaning.floor) == "auto" and not source.contact_joints:
                        piece = put_on_floor(piece)  # soles are put on the floor by retargeting
                    piece = retarget(piece, target, leave_out(source.retarget_without, source.retarget_hands))
                cleaned = _clean(piece, begins, file, cleaning)
                fault = find_fault(stretch, cleaned[0].clip)
                if not fault and len(pieces) > 1 and is_still(stretch):
                    fault = "nothing moves in it"
                cleaned = [replace(one, fault=fault) for one in cleaned]
                prepared += [replace(cleaned[0], warnings=(*doubts, *cleaned[0].warnings)), *cleaned[1:]]
                doubts = ()
        return prepared
    except FileError:
        raise
    except KinematchError as error:
        raise FileError(file.label, str(error)) from error


def find_missing_actions(file: SourceFile, prepared: Sequence[TimedClip]) -> list[str]:
    """Actions of the recipe that lie in no clip of their file: past its end, or in a part that was cut."""
    kept = {action.name for one in prepared for action in one.actions}
    return [
        f"source[{file.index}].action[{k}] ({one.name!r}) lies in no clip of {file.name}"
        for k, one in enumerate(file.source.action)
        if matches(file, one.files) and one.name not in kept
    ]


def _find_doubts(file: SourceFile, clip: Clip) -> tuple[str, ...]:
    """Doubts about the roles of a rig; none for animals, nor for files that define their own roles."""
    if file.path is None or file.source.contact_joints or clip.source.format in ("vrm", "vrma"):
        return ()
    found = find_roles(clip.skeleton, file.source.roles, sampled_positions(clip))
    return tuple(f"roles: {problem}" for problem in found.problems)


def cut(clip: Clip, source: Source) -> list[tuple[Clip, float]]:
    """The pieces that trim, drop and split leave, each with its start time in the file."""
    first, last = source.trim or (0.0, np.inf)
    keep = np.zeros(clip.frame_count, bool)
    keep[_find_frame(clip, first) : _find_frame(clip, last)] = True
    for start, stop in source.drop:
        keep[_find_frame(clip, start) : _find_frame(clip, stop)] = False
    cuts = sorted({_find_frame(clip, time) for time in source.split})
    stretches = [piece for a, b in true_ranges(keep) for piece in pairwise([a, *(at for at in cuts if a < at < b), b])]
    if not stretches:
        raise KinematchError(f"trim and drop leave nothing of its {clip.duration:.2f} s")
    if len(stretches) == 1:
        a, b = stretches[0]
        return [(clip.frames(a, b), a / clip.frame_rate)]
    return [
        (clip.frames(a, b).with_(name=f"{clip.name} #{k}"), a / clip.frame_rate)
        for k, (a, b) in enumerate(stretches, 1)
    ]


def _find_frame(clip: Clip, time: float) -> int:
    return round(min(time * clip.frame_rate, clip.frame_count))


def _clean(clip: Clip, begins: float, file: SourceFile, cleaning: Cleaning) -> list[Prepared]:
    source = file.source
    clip = resample(clip, cleaning.frame_rate)
    floor = source.floor if source.floor is not None else cleaning.floor
    feet = source.contact_joints or None
    if floor == "auto":
        clip = put_on_floor(clip, feet)
    elif floor != "keep":
        clip = lowered(clip, float(floor))
    clip = add_root(
        clip,
        source.root or cleaning.root,
        joint=source.root_joint,
        position_window=cleaning.root_position_window,
        direction_window=cleaning.root_direction_window,
    )
    warnings: tuple[str, ...] = ()
    if source.loop:
        clip, warning = close_loop(clip)
        warnings = (warning,) if warning else ()
    ground = None
    if (source.ground or cleaning.ground) == "stances":
        ground = find_ground(clip, feet)
        if floor == "auto":  # most of a clip may be on a ledge
            clip = lowered(clip, find_lowest_floor(clip, ground, feet))
        clip = lower_to_ground(clip, ground)
    contacts = find_contacts(
        clip,
        feet,
        speed_on=cleaning.contact_speed[0],
        speed_off=cleaning.contact_speed[1],
        height_on=cleaning.contact_height[0],
        height_off=cleaning.contact_height[1],
        radius=cleaning.contact_radius,
    )
    if ground is not None:
        clip = raise_root(clip, ground)
    joints = np.array(contact_joints(clip.skeleton, feet), np.int32)
    plain = Prepared(clip, contacts, joints, begins, loop=source.loop, warnings=warnings)
    mirrored = cleaning.mirror if source.mirror is None else source.mirror
    both = [[one, _mirror_clip(one, source)] if mirrored else [one] for one in (plain, *_close_ranges(plain, file))]
    return [one for pair in both for one in pair]


def _close_ranges(plain: Prepared, file: SourceFile) -> list[Prepared]:
    """A looping clip of each range that is to be one."""
    loops = []
    for one in file.source.range:
        start, stop = find_frames(one, file, plain)
        if one.loop and (stop - start) / plain.clip.frame_rate >= MIN_LOOP_SECONDS:
            clip, contacts = play_to_and_fro(plain.clip.frames(start, stop), plain.contacts[start:stop])
            stretch = plain.begins + start / clip.frame_rate, plain.begins + stop / clip.frame_rate
            clip = clip.with_(name=f"{plain.clip.name} (loop at {one.start:g} s)")
            loops.append(replace(plain, clip=clip, contacts=contacts, loop=True, stretch=stretch, warnings=()))
    return loops


def find_frames(one: Range, file: SourceFile, clip: TimedClip) -> tuple[int, int]:
    """The frames [start, stop) of a clip that a range is about; of a loop all or none."""
    rate, frames = clip.frame_rate, clip.frame_count
    if not matches(file, one.files):
        return 0, 0
    if clip.stretch is not None:
        first, last = clip.stretch
        inside = one.start < first + 1 / rate and (one.stop is None or one.stop > last - 1 / rate)
        return 0, frames if inside else 0
    start = max(0, round((one.start - clip.begins) * rate))
    return start, frames if one.stop is None else min(frames, round((one.stop - clip.begins) * rate))


def _mirror_clip(plain: Prepared, source: Source) -> Prepared:
    """The mirrored clip, with the contacts of left and right feet exchanged."""
    pairs = [(left, right) for left, right in source.mirror_pairs] or None
    partner = mirror_pairs(plain.clip.skeleton, pairs)[plain.contact_joints]
    joints = plain.contact_joints.tolist()
    columns = [joints.index(p) if p in joints else k for k, p in enumerate(partner.tolist())]
    clip = mirror(plain.clip, pairs)
    return replace(
        plain,
        clip=clip.with_(name=clip.name + MIRRORED, actions=tuple(mirror_actions(clip.actions, clip.skeleton, pairs))),
        contacts=plain.contacts[:, columns],
        mirrored=True,
        warnings=(),
    )
