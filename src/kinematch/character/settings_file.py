"""Settings as files: TOML or JSON, so that what was tuned once can be loaded anywhere."""

import json
from pathlib import Path
from typing import Any

from kinematch.character.settings import Settings, from_plain, to_plain
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files.toml import parse_toml
from kinematch.writing import write_beside

SUFFIXES = (".toml", ".json")


def load_settings(path: str | Path) -> Settings:
    """What the file says; what it leaves out has its default."""
    path = _checked(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise FileError(path, f"cannot be read: {reason}") from None
    try:
        values = parse_toml(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except (ValueError, RecursionError) as error:  # both decoders' errors have line and column
        raise FileError(path, f"is no {path.suffix[1:].upper()}: {error}") from None
    if not isinstance(values, dict):
        raise FileError(path, "holds no table of settings")
    try:
        return from_plain(values)
    except KinematchError as error:
        raise FileError(path, str(error)) from None


def save_settings(path: str | Path, settings: Settings, *, comment: str = "") -> None:
    """Every setting, with its unit and meaning beside it in TOML."""
    path = _checked(path)
    values = to_plain(settings)
    text = json.dumps(values, indent=2) + "\n" if path.suffix.lower() == ".json" else _toml(values, comment)
    write_beside(path, text.encode())


def _checked(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, unknown("kind of settings file", path.suffix, SUFFIXES))
    return path


def _toml(values: dict[str, Any], comment: str) -> str:
    lines = [f"# {line}" for line in comment.splitlines()]
    known = Settings.__dataclass_fields__
    for name, value in values.items():
        if name != "weights":
            about = known[name].metadata
            unit = f"{about['unit']} " if about and about["unit"] else ""
            lines.append(f"{name} = {json.dumps(value)}" + (f"  # {unit}{about['text']}" if about else ""))
    lines += ["", "[weights]  # of features; those left out keep the database's own"]
    lines += [f"{json.dumps(name)} = {json.dumps(value)}" for name, value in values["weights"].items()]
    return "\n".join(lines) + "\n"
