"""Writing a file so that it is either whole or not there: beside its place first, then renamed."""

import os
import uuid
from pathlib import Path

from kinematch.errors import FileError


def write_beside(path: str | Path, content: bytes) -> None:
    """Replace the file at once; an interruption leaves what was there before."""
    path = Path(path)
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise FileError(path, f"cannot be written: {getattr(error, 'strerror', None) or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
