"""Script files: one line of JSON per command, easy to write by hand; recordings are exact to the last bit."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinematch.control.command import Command
from kinematch.control.script import Script
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files.reading import BYTE_ORDER_MARK, opened
from kinematch.writing import write_beside

VERSION = 1
HEADER = {"kinematch": "script", "version": VERSION}
KEYS = ("seconds", "speed", "heading", "velocity", "facing", "filter", "source")
NUMBER = "expected a number"
MAX_NUMBER = 1e15  # of a number; JSON has whole numbers that are too large for a float


def write_script(path: str | Path, script: Script) -> None:
    """Write a script as a .jsonl file; numbers are written so that reading gives the same bits."""
    lines = [json.dumps(HEADER)]
    for n, (command, seconds) in enumerate(zip(script.commands, script.seconds)):
        if not (np.isfinite(command.velocities).all() and np.isfinite(command.facings).all()):
            raise FileError(path, f"cannot be written: command {n} has values that are not finite")
        if command.trajectory is not None:
            raise FileError(path, f"cannot be written: command {n} has a trajectory, which scripts do not hold")
        line: dict[str, Any] = {"seconds": float(seconds), "velocity": _rows(command.velocities)}
        if command.facings.any():
            line["facing"] = _rows(command.facings)
        if command.filter is not None:
            line["filter"] = command.filter
        if command.source != 0:
            line["source"] = command.source
        lines.append(msgspec.json.encode(line).decode())
    write_beside(path, ("\n".join(lines) + "\n").encode())


def read_script(path: str | Path) -> Script:
    """Read a script from a .jsonl file; empty lines and lines that begin with # are skipped."""
    with opened(path, "a script") as (file, _):
        content = file.read().removeprefix(BYTE_ORDER_MARK)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise FileError(path, "is not UTF-8 text, expected a script") from None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()[:1] not in ("", "#")]
    if not lines:
        raise FileError(path, f"the script is empty, expected a first line {json.dumps(HEADER)}")
    _check_header(path, *lines[0])
    commands, seconds = [], []
    for number, line in lines[1:]:
        values = _parse_line(path, number, line)
        try:
            commands.append(_command(values))
            seconds.append(_number(values, "seconds", least=0.0))
        except KinematchError as error:
            raise FileError(path, str(error), line=number) from None
    return Script(tuple(commands), np.array(seconds))


def _rows(vectors: np.ndarray) -> list[list[float]]:
    plain = np.asarray(vectors, np.float64).tolist()
    return plain[0] if len(plain) == 1 else plain


def _parse_line(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        values = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:  # the latter from deeply nested brackets
        raise FileError(path, f"no JSON: {error}", line=number) from None
    if not isinstance(values, dict):
        raise FileError(path, f"expected an object such as {json.dumps({'seconds': 1.0, 'speed': 1.4})}", line=number)
    return values


def _check_header(path: str | Path, number: int, line: str) -> None:
    header = _parse_line(path, number, line)
    if header.get("kinematch") != "script":
        raise FileError(path, f"no script: expected a first line {json.dumps(HEADER)}", line=number)
    if header.get("version") != VERSION:
        raise FileError(path, f"a script of version {header.get('version')!r}, expected {VERSION}", line=number)


def _command(values: dict[str, Any]) -> Command:
    for key in values:
        if key not in KEYS:
            raise KinematchError(unknown("key", key, KEYS))
    if ("velocity" in values) == ("speed" in values):
        raise KinematchError("expected either velocity, or speed and heading")
    if "velocity" in values:
        if "heading" in values:
            raise KinematchError("heading goes with speed, not with velocity")
        velocities = _vectors(values, "velocity")
    else:
        angle = np.radians(_number(values, "heading", default=0.0))
        velocities = _number(values, "speed", least=0.0) * np.array([[np.sin(angle), 0.0, np.cos(angle)]])
    facings = np.zeros_like(velocities)
    if "facing" in values:
        facings = _vectors(values, "facing")
    elif "speed" in values and velocities.any():
        facings = velocities / np.linalg.norm(velocities)
    if len(facings) != len(velocities):
        raise KinematchError(f"{len(facings)} facings for {len(velocities)} velocities")
    tags, source = values.get("filter"), values.get("source", 0)
    if tags is not None:
        _check_for_each(tags, str, len(velocities), "filter")
    _check_for_each(source, int, len(velocities), "source")
    return Command(velocities, facings, tags, source)


def _vectors(values: dict[str, Any], key: str) -> np.ndarray:
    """Vectors (N, 3) from [x, y, z] or a list of those."""
    message = f"{key} is {repr(values[key])[:80]}, expected [x, y, z] or one such list for each body"
    try:
        vectors = np.atleast_2d(np.array(values[key]))
    except ValueError:  # lists of different lengths
        raise KinematchError(message) from None
    if vectors.ndim != 2 or vectors.shape[1] != 3 or vectors.dtype.kind not in "if":
        raise KinematchError(message)
    return vectors.astype(np.float64)


def _number(values: dict[str, Any], key: str, *, least: float = -np.inf, default: float | None = None) -> float:
    value: Any = values.get(key, default)
    if type(value) not in (int, float) or value < least or not abs(value) <= MAX_NUMBER:
        expected = NUMBER if np.isinf(least) else f"{NUMBER} of {least:g} or more"
        raise KinematchError(f"{key} is {value!r}, {expected}" if key in values else f"{key} is missing, {expected}")
    return float(value)


def _check_for_each(value: Any, kind: type, count: int, key: str) -> None:
    """Accept one value for all, or a list of one per body."""
    if isinstance(value, list) and len(value) == count and all(type(one) is kind for one in value):
        return
    if type(value) is not kind:
        raise KinematchError(f"{key} is {value!r}, expected a {kind.__name__} or a list of {count}")
