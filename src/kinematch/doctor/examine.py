"""Examine one file: read it, look at rig and motion, and list what was found, the worst first."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.doctor import motion_problems, rig_problems, signals
from kinematch.doctor.actions import find_actions, list_events
from kinematch.doctor.animations import describe_animation, find_stand_loop, is_gait_loop
from kinematch.doctor.equals import outline
from kinematch.doctor.quoting import quoted_glob
from kinematch.doctor.report import Activity, Contacts, FileAnimation, HeldPose, Idle, Problem, Report, by_severity
from kinematch.doctor.stands import find_stands, idle_notes
from kinematch.doctor.unusual import measure_upper_body
from kinematch.errors import FileError, KinematchError
from kinematch.files import read_clips
from kinematch.files.units_and_axes import sampled_positions
from kinematch.motion.clean.contacts import contact_joints, contact_quality, find_contacts
from kinematch.motion.clean.floor import floor_height, lowest_points
from kinematch.motion.clean.root import has_ground_root
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.kinematics import global_pose
from kinematch.motion.roles import RoleMap, find_roles
from kinematch.motion.tpose import TPose, reference_tpose


@dataclass(frozen=True, eq=False)
class Patient:
    """A file that could be read, and what the checks share. The main clip is the longest one."""

    path: Path
    clips: list[Clip]
    main: Clip
    roles: RoleMap
    tpose: TPose | None  # None for non-humanoids


def examine(path: str | Path, **overrides: Any) -> Report:
    """The doctor's report on a file. Overrides are those of files.read_clips. A bad file is reported, not raised."""
    path = Path(path)
    try:
        clips = read_clips(path, **overrides)
    except FileError as error:
        message = error.message if error.line is None else f"line {error.line}: {error.message}"
        fix = f"exclude = [{quoted_glob(path.name)}]" if path.is_file() else ""
        return Report(str(path), problems=(Problem("error", message, fix),))
    patient = _admit(path, clips, overrides)
    problems = rig_problems.find(patient.main, patient.roles, patient.tpose)
    unit = rig_problems.find_unit(patient.main, patient.roles)
    if unit is not None and overrides.get("unit") is None:  # what happens in it is described at the size it should have
        clips = read_clips(path, **{**overrides, "unit": unit})
        patient = _admit(path, clips, overrides)
    problems += rig_problems.find_lying(patient.main, patient.roles)
    poses: list[HeldPose] = []
    idles: list[Idle] = []
    activities: list[Activity] = []
    for clip in patient.clips:
        name = clip.name if len(clips) > 1 else ""
        held, stands, done = find_stands(clip, name) if _moves(clip) else ([], [], [])
        poses, idles, activities = poses + held, idles + stands, activities + done
        found = motion_problems.find(clip, patient.tpose if clip is patient.main else None, held)
        if len(clips) > 1:
            found = [replace(problem, what=f"{clip.name}: {problem.what}", clip=clip.name) for problem in found]
        problems += found
    if len(clips) == 1:  # a range of the recipe is about every animation of a file
        problems += idle_notes(idles, path.name) + _loop_notes(patient)
    alone = len(clips) == 1 and _moves(clips[0])
    events = list_events(clips[0], activities, poses) if alone else []
    actions = find_actions(clips[0], events, activities, poses) if events else ()
    bad = {problem.clip for problem in problems if problem.severity == "error"}
    return replace(
        _report(patient, _without_the_worst(problems, clips)),
        calibration_poses=tuple(poses),
        idles=tuple(idles),
        activities=tuple(activities),
        events=tuple(events),
        actions=actions,
        upper_body=measure_upper_body(clips[0]) if len(clips) == 1 and _moves(clips[0]) else None,
        outlines={clip.name: (clip.frame_count, outline(clip)) for clip in clips if _moves(clip)},
        animations=_describe_lone(clips[0])
        if len(clips) == 1
        else tuple(_describe(clip) for clip in clips if clip.name not in bad),
    )


def _describe(clip: Clip) -> FileAnimation:
    try:
        return describe_animation(clip)
    except KinematchError:  # nothing that touches the ground is known
        return FileAnimation(clip.name)


def _describe_lone(clip: Clip) -> tuple[FileAnimation, ...]:
    """Of a file with one animation only what it is to stand in: the rest is told by its problems."""
    try:
        found = find_stand_loop(clip)
    except KinematchError:
        return ()
    return (found,) if found else ()


def _loop_notes(patient: Patient) -> list[Problem]:
    try:
        loop = _moves(patient.main) and is_gait_loop(patient.main)
    except KinematchError:
        return []
    return [Problem("note", "ends in the pose in which it begins, moving on: a loop", "loop = true")] if loop else []


def _moves(clip: Clip) -> bool:
    return clip.frame_count >= motion_problems.SINGLE


def _without_the_worst(problems: list[Problem], clips: list[Clip]) -> list[Problem]:
    """Animations that cannot be built are left out; the file cannot be built only if none remains."""
    bad = {problem.clip for problem in problems if problem.severity == "error" and problem.clip}
    good = [clip.name for clip in clips if clip.name not in bad]
    if not good:
        return problems
    line = f"clips = [{', '.join(map(quoted_glob, good))}]"
    return [
        replace(problem, severity="warning", fix=line) if problem.severity == "error" and problem.clip else problem
        for problem in problems
    ]


def _admit(path: Path, clips: list[Clip], overrides: dict[str, Any]) -> Patient:
    main = max(clips, key=lambda clip: clip.frame_count)
    looked_at = sampled_positions(main) if main.source.format == "bvh" else None  # as the reader does
    roles = find_roles(main.skeleton, overrides.get("roles"), pose=looked_at)
    own = {role: joint for role, joint in main.skeleton.roles.items() if role != "root"}
    roles = replace(roles, roles=own, four_legged=has_four_legs(main.skeleton))
    if main.source.format in ("vrm", "vrma"):  # the file's own roles take precedence over names and shapes
        roles = replace(roles, family="VRM", method="file", problems=())
    tpose = reference_tpose(main, overrides.get("tpose")) if roles.humanoid else None  # animals have a stand instead
    return Patient(path, clips, main, roles, tpose)


def _report(patient: Patient, problems: list[Problem]) -> Report:
    clip, roles, tpose = patient.main, patient.roles, patient.tpose
    names = clip.skeleton.names
    moving = clip.frames(motion_problems.opening_frames(clip, tpose), clip.frame_count)
    median, high, most = np.quantile(signals.ground_speeds(moving), [0.5, 0.95, 1]).tolist()
    return Report(
        path=str(patient.path),
        format=clip.source.format,
        family=roles.family,
        rig=_digest(names, clip.skeleton.parents.tolist()),
        bones=_digest((np.round(clip.skeleton.offsets[1:].astype(float), 3) + 0.0).tolist()),  # no -0
        clips=tuple(c.name for c in patient.clips),
        figures_of=clip.name if len(patient.clips) > 1 else "",
        joints=clip.skeleton.joint_count,
        frames=sum(c.frame_count for c in patient.clips),
        frame_rate=clip.frame_rate,
        duration=sum(c.frame_count / c.frame_rate for c in patient.clips),
        unit=clip.source.unit,
        unit_reason=clip.source.unit_reason,
        up=clip.source.up,
        up_reason=clip.source.up_reason,
        facing=clip.source.facing,
        facing_reason=clip.source.facing_reason,
        floor=_floor(clip),
        hips_height=hips_height(clip),
        root=_root(clip),
        tpose="" if tpose is None else tpose.reason,
        tpose_frame=None if tpose is None else tpose.frame,
        rest_frames=signals.rest_frames(clip),
        roles={role: names[joint] for role, joint in roles.roles.items()},
        role_method=roles.method,
        role_doubts=rig_problems.list_role_doubts(clip, roles) if roles.humanoid else (),
        missing_roles=roles.missing,
        four_legged=roles.four_legged,
        dead_joints=tuple(signals.dead_joints(clip)),
        jumps=signals.jumps(clip).frames,
        flips=signals.turns(clip)[1].frames,
        contacts=_contacts(moving) if clip.frame_count > 1 else None,
        speed=(median, high, most) if clip.frame_count > 1 else None,
        problems=by_severity(problems),
    )


def hips_height(clip: Clip) -> float | None:
    """Height of the hips above the lower foot while standing, m: the upper quartile, since people crouch and jump."""
    hips = clip.skeleton.roles.get("hips")
    if hips is None:
        return None
    try:
        lowest = lowest_points(clip)
    except KinematchError:
        return None
    return float(np.quantile(global_pose(clip)[0][:, hips, 1] - lowest, 0.75))


def _digest(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:12]


def _floor(clip: Clip) -> float | None:
    try:
        return float(floor_height(clip))
    except KinematchError:  # a rig without feet
        return None


def _root(clip: Clip) -> str:
    first = clip.skeleton.names[0]
    if has_ground_root(clip):
        return f"ground root {first!r}"
    hips = clip.skeleton.roles.get("hips", 0)
    return f"none: motion is on {clip.skeleton.names[hips]!r}" + (f", {first!r} stands still" if hips else "")


def _contacts(clip: Clip) -> Contacts | None:
    try:
        joints = contact_joints(clip.skeleton)
    except KinematchError:
        return None
    contacts = find_contacts(clip)
    quality = contact_quality(clip, contacts)
    return Contacts(
        joints=tuple(clip.skeleton.names[j] for j in joints),
        share=tuple(float(s) for s in contacts.mean(axis=0)),
        stances=quality.stances,
        skate=quality.mean_speed,
        skate_p95=quality.high_speed,
        drift=quality.mean_drift,
    )
