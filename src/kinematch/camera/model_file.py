"""The model file of the pose estimator: by path, or downloaded once when asked to, checked, and kept in the cache."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kinematch.errors import FileError, KinematchError, unknown
from kinematch.folders import CACHE_VARIABLE, find_cache_folder, name_cache_folder
from kinematch.writing import replacing

ADDRESS = "https://storage.googleapis.com/mediapipe-models/pose_landmarker/pose_landmarker_{0}/float16/1/pose_landmarker_{0}.task"
VARIABLE = "KINEMATCH_POSE_MODEL"  # overrides the address
CHUNK_BYTES = 1 << 16
TIMEOUT_SECONDS = 30.0  # s without an answer
MAX_FILE_BYTES = 1 << 27  # bytes


@dataclass(frozen=True)
class PublishedModel:
    """A published model."""

    size: int  # bytes
    digest: str  # SHA-256


MODELS = {
    "full": PublishedModel(9397558, "2ec4e1b42a6792012a0b4ee65fa172a9e9f11e9c506f3ad2737b790899930726"),
    "lite": PublishedModel(5777074, "71e464f6b199b27564fff78c59cdf2033800e9491d2ead48e724b095783006b3"),
}


def find_place(name: str) -> Path:
    """Where a model is kept."""
    if name not in MODELS:
        raise KinematchError(unknown("model", name, MODELS))
    return (name_cache_folder() or find_cache_folder()) / "models" / f"pose_landmarker_{name}.task"


def find_address(name: str, address: str | None = None) -> str:
    """Where a model comes from: as given, as the environment says, or as published."""
    return address or os.environ.get(VARIABLE) or ADDRESS.format(name)


def find_model(model: str | Path = "full") -> Path:
    """The file of a model by name or path; nothing is downloaded."""
    if str(model) not in MODELS:
        path = Path(model)
        if not path.is_file():
            raise FileError(path, f"no such model; expected a .task file, or one of {', '.join(MODELS)}")
        with path.open("rb") as file:
            if file.read(2) != b"PK":  # a .task file is a zip archive
                raise FileError(path, "is not a pose model; expected a .task file of MediaPipe's pose landmarker")
        return path
    place = find_place(str(model))
    if not place.is_file():
        raise KinematchError(
            f"the pose model is not here yet: run `kinematch camera setup`, or fetch {find_address(str(model))} "
            f"and put it at {place}"
        )
    check_digest(place, place, MODELS[str(model)])
    return place


def choose_model(model: str | Path = "") -> Path:
    """The file of a model by name or path, or of whichever was set up; nothing is downloaded."""
    if model:
        return find_model(model)
    there = [name for name in MODELS if find_place(name).is_file()]
    return find_model(there[0] if there else next(iter(MODELS)))


def check_digest(path: Path, shown: Path | str, model: PublishedModel) -> None:
    """Refuse a file that is not the published one."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != model.digest:
        raise FileError(shown, f"is not the published model: SHA-256 {digest[:16]}..., expected {model.digest[:16]}...")


def set_up_model(
    name: str = "full", *, source: Path | None = None, address: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:  # fmt: skip
    """Put a model into the cache: from a file, or downloaded. Returns its place; one that is there already stays."""
    place, model = find_place(name), MODELS.get(name)
    assert model is not None
    if source is None and place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == model.digest:
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"cannot be written: {error.strerror or error}"
        raise FileError(place, f"{why}; set {CACHE_VARIABLE} to a folder that can") from None
    with replacing(place) as part:
        if source is not None:
            if not source.is_file():
                raise FileError(source, "no such file")
            part.write_bytes(source.read_bytes())
        else:
            _download(find_address(name, address), part, place, progress)
        check_digest(part, source or find_address(name, address), model)
    return place


def _download(address: str, part: Path, place: Path, progress: Callable[[int, int], None] | None) -> None:
    if not address.startswith(("https://", "http://")):
        raise KinematchError(f"address {address!r}, expected one that begins with https:// or http://")
    done = 0
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer, part.open("wb") as file:
            total = int(answer.headers.get("Content-Length") or 0)
            while chunk := answer.read(CHUNK_BYTES):
                file.write(chunk)
                done += len(chunk)
                if done > MAX_FILE_BYTES:
                    raise KinematchError(f"{address}: more than {MAX_FILE_BYTES >> 20} MB; that is not a pose model")
                if progress is not None:
                    progress(done, total)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise KinematchError(
            f"cannot fetch {address}: {reason}. Fetch it on another machine and put it at {place}, or name the file: "
            "`kinematch camera setup --model PATH`"
        ) from None
