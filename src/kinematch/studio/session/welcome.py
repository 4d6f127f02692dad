"""Welcome: everything a page must know of a stage before the first pose arrives."""

from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import get_args

import numpy as np

from kinematch import __version__
from kinematch.character.settings import Settings, Transition, to_plain
from kinematch.motion.retarget.joints import find_contact_joints
from kinematch.stream.descriptions import SkeletonInfo, describe_robot, describe_view, skeleton_info
from kinematch.stream.layout import PROTOCOL, STEP_RATE
from kinematch.studio.server.answers import (
    CharacterInfo,
    ClipInfo,
    FeatureInfo,
    Ground,
    Presets,
    SettingInfo,
    SettingsNow,
    Situation,
    Welcome,
)
from kinematch.studio.session.explaining import REASONS
from kinematch.studio.session.exporting import find_formats
from kinematch.studio.session.gallery import FIGURES
from kinematch.studio.session.lineup import Member
from kinematch.studio.session.stage import Stage

SWITCHES = {
    "foot_lock": "planted toes stay where they are",
    "pelvis": "the pelvis is lowered where a foot would not reach",
}


def welcome(
    stage: Stage, client: str, presets: Presets, situation: Situation, *, motions: Sequence[str] = (), motion: str = ""
) -> Welcome:
    poses, features = stage.database.poses, stage.database.features
    return Welcome(
        protocol=PROTOCOL,
        version=__version__,
        client=client,
        database=stage.name,
        path=stage.path,
        frame_count=poses.frame_count,
        frame_rate=poses.frame_rate,
        step_rate=STEP_RATE,
        skeleton=describe_source(stage),
        character=None if stage.worn is None else describe_character(stage),
        robot=None if stage.robots is None else describe_robot(stage.robots.worn.model, stage.robots.scale),
        lineup=[describe_member(member) for member in stage.lineup.members],
        features=[
            FeatureInfo(
                f.name, f.kind, f.joint, f.group, list(f.times), f.dimensions, columns.start, columns.stop,
                features.weights.features.get(f.name, f.weight),
            )
            for f, columns in zip(features.schema.features, features.schema.columns.values())
        ],
        horizons=stage.view.horizons.tolist(),
        settings_info=settings_info(),
        settings=settings_now(stage),
        clips=clips_info(stage),
        tags=list(poses.tags.names),
        actions=list(stage.acts.names),
        gaits=stage.pilot.gait_infos,
        compared=[source.name for source in stage.compared.values()],
        notes=[source.note for source in stage.compared.values() if source.note],
        reasons=list(REASONS),
        presets=presets,
        formats=find_formats(),
        figures=list(FIGURES),
        motions=list(motions),
        motion=motion,
        situation=situation,
    )  # fmt: skip


def describe_source(stage: Stage) -> SkeletonInfo:
    """The skeleton of the database, as candidates and clips are shown on it."""
    poses = stage.database.poses
    return describe_view(poses.skeleton, stage.source_view, poses.contact_joints)


def describe_character(stage: Stage) -> CharacterInfo:
    """The user's own character that is worn."""
    worn = stage.worn
    assert worn is not None
    about = stage.crowds["a"].sources[0].description
    joints = find_contact_joints(about.skeleton, about.contact_joints, stage.skeleton)
    skeleton = describe_view(stage.skeleton, stage.view, joints)
    return CharacterInfo(worn.name, bool(worn.content), stage.scale, list(worn.nodes), skeleton)


def describe_member(member: Member) -> CharacterInfo:
    """A character that stands beside the first one."""
    skeleton = member.retargeting.target
    info = skeleton_info(skeleton, positioned=range(skeleton.joint_count))
    return CharacterInfo(member.worn.name, bool(member.worn.content), member.factor, list(member.worn.nodes), info)


def settings_info() -> list[SettingInfo]:
    """Each setting with what a slider, switch or list of it needs."""
    told = []
    for one in fields(Settings):
        about = one.metadata
        if one.name == "weights":
            told.append(SettingInfo("weights", "weights", {}, "of the features, in the cost of a frame"))
        elif one.name == "transition":
            text = "how the difference between two clips fades at a jump"
            told.append(SettingInfo(one.name, "choice", str(one.default), text, choices=list(get_args(Transition))))
        elif one.name in SWITCHES:
            told.append(SettingInfo(one.name, "switch", bool(one.default), SWITCHES[one.name]))
        else:
            assert one.default is not MISSING
            number = (about["unit"], float(about["low"]), float(about["high"]))
            told.append(SettingInfo(one.name, "number", float(one.default), about["text"], *number))
    return told


def settings_now(stage: Stage) -> SettingsNow:
    both = {side: to_plain(settings) for side, settings in stage.settings.items()}
    return SettingsNow(both["a"], both.get("b"))


WIDE = 100.0  # m, columns of ground that is the same all along x


def ground(stage: Stage) -> Ground:
    """The very posts between which the ground is flat; ground that is the same all along x is two wide columns."""
    grid = stage.ground
    values, along_x = grid.values, grid.cell
    if (values == values[0]).all():
        values, along_x = values[[0, -1]], WIDE
    heights = np.round(values.T.ravel().astype(float), 4).tolist()
    columns, rows = values.shape
    return Ground(list(grid.origin), [along_x, grid.cell], columns, rows, heights)


@lru_cache(maxsize=1)
def clips_info(stage: Stage) -> list[ClipInfo]:
    poses = stage.database.poses
    out = []
    for c, name in enumerate(poses.clip_names):
        own = poses.clip_frames(c)
        worn = np.flatnonzero(poses.tags.frames[own].any(axis=0))
        tags = [poses.tags.names[k] for k in worn]
        out.append(ClipInfo(name, own.start, own.stop, bool(poses.clip_loops[c]), tags))
    return out
