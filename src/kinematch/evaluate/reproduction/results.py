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
    """Keep a result, its pictures first."""
    names = []
    for number, (caption, picture) in enumerate(result.pictures):
        content = io.BytesIO()
        picture.convert("RGB").save(content, "PNG", optimize=True)
        names.append({"caption": caption, "file": f"{experiment}-{key}-{number}.png"})
        write_beside(folder / names[-1]["file"], content.getvalue())
    digests = [hashlib.sha256((folder / one["file"]).read_bytes()).hexdigest() for one in names]
    plain = to_plain(result) | {"pictures": [one | {"sha256": own} for one, own in zip(names, digests)]}
    write_beside(folder / f"{experiment}-{key}.json", json.dumps(plain, indent=1).encode())


def to_plain(result: Result) -> dict[str, Any]:
    """Everything but the pictures, as JSON knows it."""
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
        pictures = []
        for one in plain.pop("pictures"):
            content = (folder / Path(one["file"]).name).read_bytes()
            if hashlib.sha256(content).hexdigest() != one["sha256"]:
                return None
            pictures.append((str(one["caption"]), Image.open(io.BytesIO(content))))
        values = {str(name): math.nan if value is None else float(value) for name, value in plain.pop("values").items()}
        charts = tuple(Chart(**one) for one in plain.pop("charts"))
        return Result(values, charts=charts, pictures=tuple(pictures), notes=tuple(plain.pop("notes")), **plain)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
