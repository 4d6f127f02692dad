"""Calibrations on disk: one small JSON file per user in the settings folder."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.avatar.calibration import Calibration
from kinematch.errors import FileError, KinematchError
from kinematch.files.reading import opened
from kinematch.folders import find_settings_folder
from kinematch.writing import write_beside

VERSION = 1
MAX_FILE_BYTES = 100_000  # bytes
USER_NAME = re.compile(r"[\w][\w .-]{0,63}")  # of a user: fit for a file name everywhere


def find_calibration_file(user: str, folder: str | Path | None = None) -> Path:
    """Where the calibration of a user is stored: in the settings folder, unless another folder is given."""
    if not USER_NAME.fullmatch(user) or user.endswith((".", " ")):
        raise KinematchError(f"user {user!r}, expected up to 64 letters, digits, blanks, dots, - and _")
    return (find_settings_folder() / "calibrations" if folder is None else Path(folder)) / f"{user}.json"


def save_calibration(user: str, calibration: Calibration, folder: str | Path | None = None) -> Path:
    """Store the calibration of a user; an earlier one is replaced as a whole."""
    path = find_calibration_file(user, folder)
    values: dict[str, Any] = {"kinematch": "calibration", "version": VERSION}
    for field in fields(calibration):
        value = getattr(calibration, field.name)
        values[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
    write_beside(path, (json.dumps(values, indent=1) + "\n").encode())
    return path


def load_calibration(user: str, folder: str | Path | None = None) -> Calibration | None:
    """The stored calibration of a user; None where there is none."""
    path = find_calibration_file(user, folder)
    if not path.exists():
        return None
    with opened(path, "a calibration") as (file, size):
        if size > MAX_FILE_BYTES:
            raise FileError(path, f"is {size} bytes long, expected at most {MAX_FILE_BYTES}")
        content = file.read(size)
    try:
        values = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"not JSON: {error}; delete it to start again", kind="damaged") from None
    if not isinstance(values, dict) or values.pop("kinematch", None) != "calibration":
        raise FileError(path, "is not a calibration; delete it to start again", kind="foreign")
    version = values.pop("version", None)
    if version != VERSION:
        raise FileError(path, f"a calibration of version {version!r}, expected {VERSION}", kind="newer")
    try:
        return Calibration(**values)
    except TypeError:
        known = {field.name for field in fields(Calibration)}
        odd = ", ".join(sorted(set(values) - known))
        raise FileError(path, f"has unknown fields: {odd}; delete it to start again") from None
    except KinematchError as error:
        raise FileError(path, f"{error}; delete it to start again") from None


def list_users(folder: str | Path | None = None) -> list[str]:
    """Users with a stored calibration."""
    return sorted(path.stem for path in find_calibration_file("x", folder).parent.glob("*.json"))
