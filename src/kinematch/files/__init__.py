"""Files to clips and back: the only place where units and axes change."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinematch.errors import FileError, KinematchError
from kinematch.files import units_and_axes
from kinematch.files.amass import read_amass, write_amass
from kinematch.files.bvh import STATED, read_bvh
from kinematch.files.bvh_write import write_bvh
from kinematch.files.fbx_read import read_fbx
from kinematch.files.gltf_read import read_gltf
from kinematch.files.gltf_write import write_glb
from kinematch.files.reading import READABLE, file_kind
from kinematch.files.usd_write import write_usd
from kinematch.files.vrma_write import write_vrma
from kinematch.motion.clip import Clip
from kinematch.motion.four_legs import with_reference_stand
from kinematch.motion.roles import find_roles, missing_roles
from kinematch.motion.tpose import with_reference_tpose

__all__ = ["READABLE", "WRITABLE", "read_clip", "read_clips", "write_clip"]

WRITABLE = (".bvh", ".glb", ".vrma", ".npz", ".usda", ".usdc", ".usd")


def read_clips(
    path: str | Path,
    *,
    unit: float | str | None = None,
    up: str | None = None,
    facing: str | None = None,
    roles: Mapping[str, str] | None = None,
    tpose: str | Path | Clip | None = None,
    choose: Callable[[list[str]], Collection[str]] | None = None,
) -> list[Clip]:
    """Every clip of a file, in metres and Y-up, with its roles and, for a humanoid, its T-pose.

    What is not given is inferred, and the clip's source says how. `unit` is metres per unit or a name such as 'cm';
    `up` and `facing` are axes of the file such as 'Z' or '-Y', and facing becomes +Z; `roles` maps roles to joint
    names ("" for none); `tpose` is a clip or file that holds the T-pose of this rig; `choose` picks the animations of
    a glTF file by name, which saves reading the others.
    """
    try:
        kind = file_kind(path)
        if kind == "bvh":
            clips = [_from_raw(read_bvh(path), unit=unit, up=up, facing=facing, roles=roles)]
        elif kind == "npz":
            clips = [read_amass(path)]  # the format leaves nothing to infer
        elif kind == "fbx":
            clips = [_from_fbx(clip, unit=unit, up=up, facing=facing, roles=roles) for clip in read_fbx(path)]
        else:
            model = read_gltf(path, unit=unit, up=up, facing=facing, roles=roles, meshes=False, choose=choose)
            clips = list(model.clips)
        if isinstance(tpose, str | Path):
            tpose = read_clip(tpose, unit=unit, up=up, facing=facing, roles=roles)
        return [_with_tpose(clip, tpose) for clip in clips]
    except FileError:
        raise
    except KinematchError as error:  # such as an override that names no joint: say for which file
        raise FileError(path, str(error)) from None


def read_clip(path: str | Path, **overrides: Any) -> Clip:
    """The first clip of a file; the overrides are those of read_clips."""
    return read_clips(path, **overrides)[0]


def write_clip(path: str | Path, clip: Clip) -> None:
    """Write a clip in the format that the suffix names."""
    suffix = Path(path).suffix.lower()
    if suffix == ".bvh":
        write_bvh(path, clip)
    elif suffix == ".glb":
        write_glb(path, clip)
    elif suffix == ".vrma":
        write_vrma(path, clip)
    elif suffix == ".npz":
        write_amass(path, clip)
    elif suffix.startswith(".usd") and suffix in WRITABLE:
        write_usd(path, clip)
    else:
        raise FileError(path, f"cannot write {suffix or 'a file without suffix'!r}; choose from: {' '.join(WRITABLE)}")


def _from_raw(
    clip: Clip, *, unit: float | str | None, up: str | None, facing: str | None, roles: Mapping[str, str] | None
) -> Clip:
    """A raw clip brought to our units and axes. Roles come first, since they show what is up and how large it is."""
    found = find_roles(clip.skeleton, roles, pose=units_and_axes.sampled_positions(clip))
    clip = clip.with_(skeleton=clip.skeleton.with_roles(found.roles))
    stated = clip.source.unit_reason == STATED
    infer_unit, infer_up = (
        (_as_stated, _as_stated_up) if stated else (units_and_axes.infer_unit, units_and_axes.infer_up)
    )
    metres, unit_reason = infer_unit(clip) if unit is None else (units_and_axes.unit_in_metres(unit), "given")
    axis, up_reason = infer_up(clip) if up is None else (units_and_axes.axis_name(up), "given")
    front, facing_reason = (
        units_and_axes.infer_facing(clip, axis) if facing is None else (units_and_axes.axis_name(facing), "given")
    )
    clip = units_and_axes.to_our_space(clip, metres, axis, facing)
    source = replace(
        clip.source, unit_reason=unit_reason, up_reason=up_reason, facing=front, facing_reason=facing_reason
    )
    return clip.with_(source=source)


def _from_fbx(
    clip: Clip, *, unit: float | str | None, up: str | None, facing: str | None, roles: Mapping[str, str] | None
) -> Clip:
    """FBX files state their units and axes; arguments override them."""
    said = clip.source
    factor = 1.0 if unit is None else units_and_axes.unit_in_metres(unit) / said.unit
    made = _from_raw(clip, unit=factor, up=up or "Y", facing=facing, roles=roles)
    changes: dict[str, Any] = {"unit": said.unit * factor}
    if unit is None:
        changes["unit_reason"] = said.unit_reason
    if up is None:
        changes |= {"up": said.up, "up_reason": said.up_reason}
    return made.with_(source=replace(made.source, **changes))


def _as_stated(clip: Clip) -> tuple[float, str]:
    return clip.source.unit, clip.source.unit_reason


def _as_stated_up(clip: Clip) -> tuple[str, str]:
    return clip.source.up, clip.source.up_reason


def _with_tpose(clip: Clip, tpose: Clip | None) -> Clip:
    """A reference T-pose for humanoids, a stand for four-legged rigs; other creatures have none."""
    known = clip.skeleton.tpose is not None and tpose is None  # some formats bring their own
    if known or missing_roles(clip.skeleton.roles):
        return clip
    if units_and_axes.is_four_legged(clip):
        return with_reference_stand(clip)
    return with_reference_tpose(clip, tpose)
