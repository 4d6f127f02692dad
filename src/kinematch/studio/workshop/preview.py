"""Clips for the page to play: poses, contacts and features in one safetensors file, at a reduced frame rate."""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
import numpy as np
from safetensors.numpy import save

from kinematch.database.poses import ClipEntry, PoseDatabase, build_poses
from kinematch.database.prepare import Prepared, prepare, read_source
from kinematch.database.recipe import Cleaning, Recipe
from kinematch.database.schema import FeatureSchema
from kinematch.database.sources import SourceFile
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import global_pose
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.descriptions import SkeletonInfo, body_info
from kinematch.stream.picture import XYZW
from kinematch.studio.session.mesh_clips import Dressed
from kinematch.studio.workshop.project import feature_rows
from kinematch.studio.workshop.project_files import Project, files_or_none, find_used, inside
from kinematch.studio.workshop.reports import PLAIN

RATE = 30.0  # frames per second sent at most
MOST_FRAMES = 6000  # sent of one clip; longer ones have a lower rate
MAX_CLEANED_CLIPS = 6  # cleaned clips in memory
UNCUT: dict[str, Any] = {"trim": None, "drop": [], "split": [], "mirror": False, "loop": False, "retarget": False}


Dress = Callable[[Clip], Dressed | None]  # a clip on the worn character, None where it is shown on its own figure


def undressed(_: Clip) -> None:
    """No character of one's own is shown."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A clip to be sent to the page."""

    clip: Clip
    contacts: np.ndarray  # (F, K) bool
    contact_joints: np.ndarray  # (K,)
    notice: str = ""  # why it is shown uncleaned, as the file has it
    others: tuple[str, ...] = ()  # names of all clips of the file


class Previews:
    """A cache of the last cleaned clips, so that a change of features or tags shows at once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Shown] = OrderedDict()
        self._lock = Lock()

    def get(self, file: SourceFile, cleaning: Cleaning, folder: Path, *, which: int) -> Shown:
        """A whole file as it is cleaned for the database, before it is cut, mirrored or retargeted."""
        uncut = replace(file, source=file.source.model_copy(update=UNCUT))
        said = uncut.source.model_dump(mode="json", exclude={"files", "exclude", "tags", "range"})
        stamp = [file.path.stat().st_mtime_ns, file.path.stat().st_size] if file.path else file.motion
        key = json.dumps([str(file.path), stamp, said, cleaning.model_dump(mode="json"), which])
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        shown = _shown(uncut, cleaning, folder, which=which)
        with self._lock:
            self._kept[key] = shown
            while len(self._kept) > MAX_CLEANED_CLIPS:
                self._kept.popitem(last=False)
        return shown


def _shown(file: SourceFile, cleaning: Cleaning, folder: Path, *, which: int) -> Shown:
    try:
        prepared = prepare(file, cleaning, folder=folder)
        return _of(prepared, which)
    except KinematchError as error:  # a rig without roles can be viewed all the same
        clips = read_source(file, folder)
        clip = clips[min(which, len(clips) - 1)]
        none = np.zeros((clip.frame_count, 0), bool)
        return Shown(clip, none, np.zeros(0, np.int32), str(error), tuple(one.name for one in clips))


def _of(prepared: list[Prepared], which: int) -> Shown:
    one = prepared[min(which, len(prepared) - 1)]
    return Shown(one.clip, one.contacts, one.contact_joints, "", tuple(other.clip.name for other in prepared))


def file_preview(project: Project, previews: Previews, name: str, *, which: int = 0, dress: Dress = undressed) -> bytes:
    """A file of the project, in the recipe or not; `name` is its path, or that of a built-in motion."""
    used = files_or_none(project)
    file = next((one for one in used if one.path is None and one.name == name), None) or find_used(project, name, used)
    try:
        recipe: Recipe | None = project.recipe()
    except KinematchError:
        recipe = None
    if file is None:
        path = inside(project, name)
        file = SourceFile(path, PLAIN, 0, path.stem)
    cleaning = recipe.cleaning if recipe else Cleaning.model_validate({})
    shown = previews.get(file, cleaning, project.folder, which=which)
    about: dict[str, Any] = {"notice": shown.notice, "clips": shown.others, "features": [], "feature_problem": ""}
    values = None
    if recipe and not shown.notice:
        try:
            values, about["features"] = _measured(shown, recipe.feature_schema())
        except KinematchError as error:
            about["feature_problem"] = str(error)
    return packed(shown, about, values, dress)


def _measured(shown: Shown, schema: FeatureSchema) -> tuple[np.ndarray, list[Any]]:
    poses = build_poses([ClipEntry(shown.clip, shown.contacts)], shown.contact_joints)
    return schema.build(poses), feature_rows(schema)


def database_preview(database: Database, index: int, *, dress: Dress = undressed) -> bytes:
    """One clip of a database."""
    poses: PoseDatabase = database.poses
    if not 0 <= index < poses.clip_count:
        raise KinematchError(f"no clip {index}; the database has {poses.clip_count}")
    own = poses.clip_frames(index)
    shown = Shown(poses.clip(index), poses.contacts[own], poses.contact_joints)
    about = {"notice": "", "clips": [], "feature_problem": "", "features": feature_rows(database.features.schema)}
    return packed(shown, about, database.features.physical(own), dress)


def packed(shown: Shown, about: dict[str, Any], features: np.ndarray | None, dress: Dress = undressed) -> bytes:
    """`dress` puts the clip on the character that the user wears."""
    clip = shown.clip
    step = max(1, round(clip.frame_rate / RATE), -(-clip.frame_count // MOST_FRAMES))
    thin = slice(None, None, step)
    thinned = clip.with_(positions=clip.positions[thin], rotations=clip.rotations[thin])
    arrays = {
        **_describe_motion(thinned),
        "contacts": shown.contacts[thin].astype(np.uint8),
        "features": np.zeros((thinned.frame_count, 0)) if features is None else features[thin],
    }
    worn = dress(thinned)
    if worn is not None:
        arrays |= {f"worn_{name}": values for name, values in _describe_motion(worn.clip).items()}
    told = {
        **about,
        "name": clip.name,
        "frame_rate": clip.frame_rate / step,
        "step": step,
        "duration": clip.duration,
        "skeleton": _described(clip.skeleton, shown.contact_joints),
        "contact_joints": shown.contact_joints.tolist(),
        "grounded": "root" in clip.skeleton.roles,
        "worn_scale": 1.0 if worn is None else worn.scale,
    }
    typed = {
        name: np.ascontiguousarray(a, a.dtype if a.dtype == np.uint8 else np.float32) for name, a in arrays.items()
    }
    return save(typed, {"clip": msgspec.json.encode(told).decode()})


def _describe_motion(clip: Clip) -> dict[str, np.ndarray]:
    """Global poses, and where the root is and faces."""
    positions, rotations = global_pose(clip)
    forward = quaternion.rotate(rotations[:, 0], np.array([0.0, 0.0, 1.0], np.float32))
    yaws = np.arctan2(forward[:, 0], forward[:, 2])
    roots = np.concatenate([positions[:, 0], yaws[:, None]], axis=1)
    return {"positions": positions, "rotations": rotations[..., XYZW], "roots": roots}


def _described(skeleton: Skeleton, contact_joints: np.ndarray) -> SkeletonInfo:
    """What the page needs to draw a figure; poses are sent as global ones, so it needs no hierarchy."""
    return SkeletonInfo(
        names=list(skeleton.names),
        parents=skeleton.parents.tolist(),
        offsets=skeleton.offsets.tolist(),
        rotations=skeleton.rotations[:, XYZW].tolist(),
        tpose=None if skeleton.tpose is None else skeleton.tpose[:, XYZW].tolist(),
        end_parents=skeleton.end_parents.tolist(),
        end_offsets=skeleton.end_offsets.tolist(),
        roles=dict(skeleton.roles),
        positioned=[],
        contact_joints=contact_joints.tolist(),
        body=body_info(skeleton),
    )
