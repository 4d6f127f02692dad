"""Files to clips and back: the only place where units and axes change."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from kinematch.errors import FileError, KinematchError
from kinematch.files import border
from kinematch.files.bvh import read_bvh
from kinematch.files.bvh_write import write_bvh
from kinematch.files.gltf_read import read_gltf
from kinematch.files.gltf_write import write_glb
from kinematch.files.reading import READABLE, file_kind
from kinematch.motion.clip import Clip
from kinematch.motion.roles import find_roles, missing_roles
from kinematch.motion.tpose import with_reference_tpose

__all__ = ["READABLE", "WRITABLE", "read_clip", "read_clips", "write_clip"]

WRITABLE = (".bvh", ".glb")


def read_clips(
    path: str | Path,
    *,
    unit: float | str | None = None,
    up: str | None = None,
    facing: str | None = None,
    roles: Mapping[str, str] | None = None,
    tpose: str | Path | Clip | None = None,
) -> list[Clip]:
    """Every clip of a file, in metres and Y-up, with its roles and, for a humanoid, its T-pose.

    What is not given is inferred, and the clip's source says how. `unit` is metres per unit or a name such as 'cm';
    `up` and `facing` are axes of the file such as 'Z' or '-Y', and facing becomes +Z; `roles` maps roles to joint
    names ("" for none); `tpose` is a clip or file that holds the T-pose of this rig.
    """
    try:
        if file_kind(path) == "bvh":
            clips = [_from_raw(read_bvh(path), unit=unit, up=up, facing=facing, roles=roles)]
        else:
            clips = list(read_gltf(path, unit=unit, up=up, facing=facing, roles=roles, meshes=False).clips)
        if isinstance(tpose, str | Path):
            tpose = read_clip(tpose, unit=unit, up=up, facing=facing, roles=roles)
        return [_with_tpose(clip, tpose) for clip in clips]
    except FileError:
        raise
    except KinematchError as error:  # such as an override that names no joint: say for which file
        raise FileError(path, str(error)) from None


def read_clip(path: str | Path, **overrides) -> Clip:
    """The first clip of a file; the overrides are those of read_clips."""
    return read_clips(path, **overrides)[0]


def write_clip(path: str | Path, clip: Clip) -> None:
    """Write a clip in the format that the suffix names."""
    suffix = Path(path).suffix.lower()
    if suffix == ".bvh":
        write_bvh(path, clip)
    elif suffix == ".glb":
        write_glb(path, clip)
    else:
        raise FileError(path, f"cannot write {suffix or 'a file without suffix'!r}; choose from: {' '.join(WRITABLE)}")


def _from_raw(
    clip: Clip, *, unit: float | str | None, up: str | None, facing: str | None, roles: Mapping[str, str] | None
) -> Clip:
    """A raw clip brought to our units and axes. Roles come first, since they show what is up and how large it is."""
    found = find_roles(clip.skeleton, roles, pose=border.sampled_positions(clip))
    clip = clip.with_(skeleton=clip.skeleton.with_roles(found.roles))
    metres, unit_reason = border.infer_unit(clip) if unit is None else (border.unit_in_metres(unit), "given")
    axis, up_reason = border.infer_up(clip) if up is None else (border.axis_name(up), "given")
    front, facing_reason = border.infer_facing(clip, axis) if facing is None else (border.axis_name(facing), "given")
    clip = border.to_our_space(clip, metres, axis, facing)
    source = replace(
        clip.source, unit_reason=unit_reason, up_reason=up_reason, facing=front, facing_reason=facing_reason
    )
    return clip.with_(source=source)


def _with_tpose(clip: Clip, tpose: Clip | None) -> Clip:
    """A reference T-pose for humanoids; other creatures have none."""
    return clip if missing_roles(clip.skeleton.roles) else with_reference_tpose(clip, tpose)
