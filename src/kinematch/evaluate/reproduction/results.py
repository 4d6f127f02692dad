"""Results of experiments, kept in files beside the report: a run that was stopped goes on where it was."""

import hashlib
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

import kinematch
from kinematch.database.sources import hash_file, hash_value
from kinematch.writing import write_beside

LATER = ("bench", "cli", "studio")  # folders that no measurement depends on


@dataclass(frozen=True)
class Chart:
    """A figure as numbers: lines by name, each of x and y; or bars, a value of each series for each group."""

    name: str  # of its picture file
    caption: str
    x_label: str = ""
    y_label: str = ""
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]] = field(default_factory=dict)
    groups: Sequence[str] = ()
    bars: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment measured."""

    values: Mapping[str, float]
    data: str  # what it ran on
    same_data: bool  # whether that is the work's own
    command: str = ""  # which kinematch command shows the same in more detail
    charts: tuple[Chart, ...] = ()
    pictures: tuple[tuple[str, Image.Image], ...] = ()  # captions and pictures
    films: tuple[tuple[str, bytes], ...] = ()  # names and WebP files
    notes: tuple[str, ...] = ()
    seconds: float = 0.0  # that it took


@cache
def hash_package() -> str:
    """A hash of the code and networks that measurements depend on, but for this folder."""
    root, own = Path(kinematch.__file__).parent, Path(__file__).parent
    files = sorted(path for pattern in ("*.py", "*.safetensors") for path in root.rglob(pattern))
    kept = [file for file in files if file.relative_to(root).parts[0] not in LATER and own not in file.parents]
    return hash_value([kinematch.__version__, [(str(file.relative_to(root)), hash_file(file)) for file in kept]])


def make_key(experiment: str, effort: Any, data: str, code: Sequence[Path]) -> str:
    """What a result depends on: the experiment and its code, how much of it is run, the data and the version."""
    return hash_value([experiment, asdict(effort), data, [hash_file(path) for path in code], hash_package()])[:16]


def write_result(folder: Path, experiment: str, key: str, result: Result) -> None:
    """Keep a result, its pictures and films first."""
    pictures = []
    for caption, picture in result.pictures:
        content = io.BytesIO()
        picture.convert("RGB").save(content, "PNG", optimize=True)
        pictures.append((caption, content.getvalue()))
    stem = f"{experiment}-{key}"
    plain = to_plain(result) | {
        "pictures": [
            _write_part(folder / f"{stem}-{number}.png", caption, content)
            for number, (caption, content) in enumerate(pictures)
        ],
        "films": [_write_part(folder / f"{stem}-{name}.webp", name, content) for name, content in result.films],
    }
    write_beside(folder / f"{stem}.json", json.dumps(plain, indent=1).encode())


def _write_part(path: Path, caption: str, content: bytes) -> dict[str, str]:
    write_beside(path, content)
    return {"caption": caption, "file": path.name, "sha256": hashlib.sha256(content).hexdigest()}


def _read_part(folder: Path, part: Mapping[str, str]) -> tuple[str, bytes]:
    content = (folder / Path(part["file"]).name).read_bytes()
    if hashlib.sha256(content).hexdigest() != part["sha256"]:
        raise ValueError(f"{part['file']} is damaged")
    return str(part["caption"]), content


def to_plain(result: Result) -> dict[str, Any]:
    """Everything but pictures and films, as JSON knows it."""
    return {
        "values": _without_nan(result.values), "data": result.data, "same_data": result.same_data,
        "command": result.command,
        "charts": [_without_nan(asdict(one)) for one in result.charts], "notes": list(result.notes),
        "seconds": round(result.seconds, 1),
    }  # fmt: skip


def _without_nan(given: Any) -> Any:
    """The same with None for what is not finite: JSON knows no NaN."""
    if isinstance(given, Mapping):
        return {name: _without_nan(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [_without_nan(value) for value in given]
    return None if isinstance(given, float) and not math.isfinite(given) else given


def read_result(folder: Path, experiment: str, key: str) -> Result | None:
    """A kept result, or None where there is none or it is damaged: then it is measured again."""
    try:
        plain = json.loads((folder / f"{experiment}-{key}.json").read_bytes())
        read = [_read_part(folder, one) for one in plain.pop("pictures")]
        pictures = tuple((caption, Image.open(io.BytesIO(content))) for caption, content in read)
        films = tuple(_read_part(folder, one) for one in plain.pop("films"))
        values = {str(name): math.nan if value is None else float(value) for name, value in plain.pop("values").items()}
        charts = tuple(Chart(**one) for one in plain.pop("charts"))
        notes = tuple(plain.pop("notes"))
        return Result(values, charts=charts, pictures=pictures, films=films, notes=notes, **plain)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
