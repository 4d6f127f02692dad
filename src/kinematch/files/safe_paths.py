"""Names that must stay inside a folder, judged by where they really lead: through links, `..` and absolute paths."""

import os
from pathlib import Path

from kinematch.errors import KinematchError


class OutsideError(KinematchError):
    """A name that leads out of the folder it must stay in."""


def find_inside(folder: Path, name: str | Path) -> Path | None:
    """The real path of a name, there or not; None where it leaves the folder or is not a path."""
    try:
        home = Path(os.path.realpath(folder))
        place = Path(os.path.realpath(home / name))
        os.lstat(place)  # refuses what no file system takes
    except FileNotFoundError:
        pass
    except (OSError, ValueError, RuntimeError):  # a null character, a name too long, links in a circle
        return None
    return place if place.is_relative_to(home) else None
