"""Casting: simulated users from motion files of any rigs, or from the procedural walker."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kinematch.errors import KinematchError
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.users import MIN_USER_SECONDS, TOLERANCE, Cast, make_cast
from kinematch.files import READABLE, read_clips
from kinematch.motion.clip import Clip


def find_motion_files(paths: Sequence[Path]) -> list[Path]:
    """The motion files among paths, and those in folders, sorted."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.iterdir() if file.suffix.lower() in READABLE)
        elif path.exists():
            found.append(path)
        else:
            raise KinematchError(f"{path}: no such file or folder")
    if not found:
        raise KinematchError(f"no motion files in {', '.join(map(str, paths))}; expected {', '.join(READABLE)}")
    return found


def cast_users(
    files: Sequence[Path] = (), *, progress: Callable[[int, int], None] | None = None, **options: Any
) -> tuple[list[Cast], list[str]]:
    """Casts of users who share a skeleton, and what was left out and why; `options` are those of make_cast."""
    if not files:
        return [make_cast(make_clips(), **options)], []
    groups: list[list[Clip]] = []
    notes = []
    for number, file in enumerate(files):
        if progress is not None:
            progress(number, len(files))
        try:
            clips = read_clips(file)
        except KinematchError as error:
            notes.append(str(error))
            continue
        for clip in clips:
            if clip.skeleton.tpose is None or "head" not in clip.skeleton.roles:
                notes.append(f"{file.name}: not a humanoid")
            elif clip.duration < MIN_USER_SECONDS:
                notes.append(f"{file.name}: {clip.duration:.1f} s is too short")
            else:
                _find_group(groups, clip).append(clip)
    if not groups:
        raise KinematchError("no user could be cast: " + "; ".join(notes[:5]))
    return [make_cast(group, **options) for group in groups], notes


def _find_group(groups: list[list[Clip]], clip: Clip) -> list[Clip]:
    """The group of clips with this skeleton, a new one if there is none."""
    for group in groups:
        if group[0].skeleton.difference(clip.skeleton, tolerance=TOLERANCE) is None:
            return group
    groups.append([])
    return groups[-1]
