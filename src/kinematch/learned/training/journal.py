"""Journal: the progress of a training as lines of JSON, for programs that display it."""

import json
import time
from pathlib import Path
from typing import Any

from kinematch.errors import KinematchError
from kinematch.folders import find_cache_folder
from kinematch.writing import write_beside

LOSS_SECONDS = 2.0  # between losses that are noted
MAX_JOURNALS = 8  # journals; older ones go
MAX_READ_BYTES = 4_000_000  # bytes that are read of one
SUFFIX = ".jsonl"


class Journal:
    """A file that is replaced with the first line and then appended to."""

    def __init__(self, path: Path, name: str, **about: Any):
        self.path, self._losses, self._since = path, list[float](), -LOSS_SECONDS
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, (json.dumps({"name": name, "began": time.time(), **about}) + "\n").encode())
        for old in sorted(path.parent.glob(f"*{SUFFIX}"), key=lambda one: one.stat().st_mtime)[:-MAX_JOURNALS]:
            old.unlink(missing_ok=True)

    def note_loss(self, stage: str, step: int, steps: int, seconds: float, loss: float) -> None:
        """The mean of all losses since the last line, now and then."""
        self._losses.append(loss)
        if time.monotonic() - self._since >= LOSS_SECONDS:
            mean = sum(self._losses) / len(self._losses)
            self._write({"stage": stage, "step": step, "steps": steps, "seconds": round(seconds, 1), "loss": mean})
            self._losses, self._since = [], time.monotonic()

    def note_report(self, stage: str, step: int, steps: int, value: float, text: str) -> None:
        """Figures in physical units, and the one that is drawn."""
        shown = value if value == value else None  # JSON knows no NaN
        self._write({"stage": stage, "step": step, "steps": steps, "value": shown, "text": text})

    def note_end(self, grade: str) -> None:
        self._write({"verdict": grade})

    def _write(self, line: dict[str, Any]) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def find_journal_folder() -> Path:
    return find_cache_folder() / "training"


def read_journal(path: Path) -> dict[str, Any]:
    """Name, database and folder of the model, verdict if it has ended, seconds since the last line, and for each stage
    its steps, losses and reports."""
    with open(path, "rb") as file:
        lines = file.read(MAX_READ_BYTES).split(b"\n")
    age = time.time() - path.stat().st_mtime
    out: dict[str, Any] = {
        "name": path.stem, "database": "", "folder": "", "verdict": None, "age": age, "stages": {}
    }  # fmt: skip
    for line in lines:
        try:
            one = json.loads(line)
            if "name" in one:
                out |= {name: str(one.get(name, "")) for name in ("name", "database", "folder")}
            elif "verdict" in one:
                out["verdict"] = str(one["verdict"])
            else:
                _add_line(out["stages"], one)
        except (ValueError, TypeError, KeyError, AttributeError):
            continue  # the last line may be written at this moment
    return out


def _add_line(stages: dict[str, Any], line: dict[str, Any]) -> None:
    stage = stages.setdefault(str(line["stage"]), {"losses": [], "reports": [], "text": ""})
    stage["step"], stage["steps"] = int(line["step"]), int(line["steps"])
    if "loss" in line:
        stage["losses"].append([stage["step"], float(line["loss"])])
    elif line["value"] is not None:
        stage["reports"].append([stage["step"], float(line["value"])])
    stage["text"] = str(line.get("text", stage["text"]))


def list_journals(folder: Path | None = None) -> list[dict[str, Any]]:
    """Of the trainings on this machine, the last one first."""
    folder = folder or find_journal_folder()
    try:
        found = sorted(folder.glob(f"*{SUFFIX}"), key=lambda one: one.stat().st_mtime, reverse=True)
        return [read_journal(path) for path in found[:MAX_JOURNALS]]
    except OSError as error:
        raise KinematchError(f"{folder}: {error.strerror}") from None
