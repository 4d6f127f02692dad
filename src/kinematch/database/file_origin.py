"""FileOrigin: the file that a database or model was opened from, by which it is pickled while the file is the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinematch.database.container import read_checksum
from kinematch.errors import FileError, KinematchError


@dataclass(frozen=True)
class FileOrigin:
    """A file and its contents, by the checksum of its header, which holds the checksums of all arrays."""

    path: str  # absolute
    checksum: str
    options: Mapping[str, Any] = field(default_factory=dict)  # that it was opened with

    def is_unchanged(self) -> bool:
        """Whether the file still holds what was opened; only its header is read."""
        try:
            return read_checksum(Path(self.path)) == self.checksum
        except KinematchError:
            return False


def set_origin(opened: Any, path: str | Path, checksum: str, **options: Any) -> Any:
    """Note in a record that was just opened which file it is from."""
    object.__setattr__(opened, "file", FileOrigin(str(Path(path).absolute()), checksum, options))
    return opened


def reopen(load: Callable[..., Any], origin: FileOrigin) -> Any:
    """Open a file again, unless it is another one by now."""
    why = "it was pickled by the name of this file; `dataclasses.replace` makes a copy that is pickled with its arrays"
    try:
        opened = load(origin.path, **origin.options)
    except KinematchError as error:
        raise FileError(origin.path, f"cannot be opened any more, and {why} ({error})") from error
    if opened.file.checksum != origin.checksum:
        raise FileError(origin.path, f"has changed since, and {why}")
    return opened
