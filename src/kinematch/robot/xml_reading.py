"""XML of untrusted files as a plain tree with line numbers: bounded in size and depth, without document types."""

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from kinematch.errors import FileError
from kinematch.files.reading import opened, shorten
from kinematch.files.safe_paths import find_inside

MAX_FILE_BYTES = 32 << 20  # bytes; the largest humanoid in use has 0.1 MB
MAX_DEPTH = 200  # elements within elements; a snake of a hundred links is fine
MAX_ELEMENTS = 200_000  # elements


@dataclass(eq=False)
class Element:
    """One element, with where it stands."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list["Element"] = field(default_factory=list)

    def error(self, message: str) -> FileError:
        return FileError(self.path, f"<{self.tag}>: {message}", line=self.line)

    def child(self, tag: str) -> "Element | None":
        return next((c for c in self.children if c.tag == tag), None)

    def all(self, tag: str) -> list["Element"]:
        return [c for c in self.children if c.tag == tag]

    def text(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"no attribute {name!r}")
        return self.attributes[name]

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> np.ndarray:
        """The numbers of an attribute, `count` of them; the default where it is not given."""
        if name not in self.attributes:
            if default is None:
                raise self.error(f"no attribute {name!r}")
            return np.array(default, np.float64)
        values = parse_numbers(self, name)
        if len(values) != count:
            raise self.error(f"{name} has {len(values)} numbers, expected {count}")
        return values


def parse_numbers(element: Element, name: str) -> np.ndarray:
    """Finite numbers, however many."""
    text = element.attributes[name]
    try:
        values = np.array([float(word) for word in text.split()], np.float64)
    except ValueError:
        raise element.error(f"{name} is {shorten(text.encode())!r}, expected numbers") from None
    if not (np.abs(values) <= 1e6).all():
        raise element.error(f"{name} is {shorten(text.encode())!r}, expected numbers of at most a million")
    return values


def read_xml(path: Path) -> Element:
    """The root element of a file."""
    with opened(path, "a robot model (MJCF or URDF)") as (file, size):
        if size > MAX_FILE_BYTES:
            raise FileError(path, f"is {size / 1e6:.0f} MB long, expected at most {MAX_FILE_BYTES / 1e6:.0f} MB")
        content = file.read(MAX_FILE_BYTES + 1)
    parser = expat.ParserCreate()
    root: list[Element] = []
    stack: list[Element] = []
    count = 0

    def refuse(*_: object) -> None:
        raise FileError(
            path, "has a document type or entities, which are not read: remove <!DOCTYPE ...>",
            line=parser.CurrentLineNumber,
        )  # fmt: skip

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(stack) >= MAX_DEPTH or count > MAX_ELEMENTS:
            what = f"{MAX_DEPTH} elements within each other" if len(stack) >= MAX_DEPTH else f"{MAX_ELEMENTS} elements"
            raise FileError(path, f"more than {what}", line=parser.CurrentLineNumber)
        element = Element(tag, attributes, path, parser.CurrentLineNumber)
        (stack[-1].children if stack else root).append(element)
        stack.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop() and None
    for handler in ("StartDoctypeDeclHandler", "EntityDeclHandler", "ExternalEntityRefHandler"):
        setattr(parser, handler, refuse)
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise FileError(path, f"is not XML: {message}", line=error.lineno) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know
        raise FileError(path, f"is not readable XML: {error}") from None
    return root[0]


def find_file_inside(folder: Path, name: str) -> Path | None:
    """The file of a name below a folder, links followed; None where it would lead outside or does not exist."""
    place = find_inside(folder, name)
    return place if place is not None and place.is_file() else None
