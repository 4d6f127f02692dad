"""The HIERARCHY part of BVH: words and names from bytes, and the joints they describe."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from kinematch.errors import FileError
from kinematch.files.joint_names import unique_names
from kinematch.files.reading import BYTE_ORDER_MARK, shorten

MAX_VALUE = 1e9  # units or degrees; float32 sums of squares stay far from overflow
MAX_JOINTS = 4096

WORD = re.compile(rb"[{}]|[^\s{}]+")
NAME = re.compile(rb"[ \t]*([^\r\n{}]*)")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
CHANNEL = re.compile(rb"([xyz])(position|rotation)", re.IGNORECASE)
LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass
class Joint:
    """A joint as its block is being read; None is what its block has not yet said."""

    name: str
    parent: int
    position: int  # in bytes, for messages
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, int]] | None = None  # ('position' or 'rotation', axis), in the file's order


@dataclass
class Scanner:
    """A place in the bytes of a file; every failure knows its line."""

    path: str | Path
    data: bytes
    position: int = 0
    word_at: int = field(default=0)  # where the last word began, which errors point to
    counted: tuple[int, int] = (0, 1)  # a byte position and its line number

    def word(self) -> bytes:
        """The next word or brace; empty at the end."""
        match = WORD.search(self.data, self.position)
        self.word_at = match.start() if match else len(self.data.rstrip())
        self.position = match.end() if match else len(self.data)
        return match.group() if match else b""

    def name(self) -> str:
        """What is left of this line up to a brace: names may hold blanks."""
        match = NAME.match(self.data, self.position)
        assert match is not None  # the pattern also matches nothing
        self.position = match.end()
        raw = b" ".join(match.group(1).split())
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    def expect(self, keyword: bytes, where: str) -> None:
        if (word := self.word()).upper() != keyword:
            self.fail(f"{found(word)}, expected {keyword.decode()!r} {where}")

    def skip(self, pattern: bytes, expected: str) -> None:
        match = re.compile(pattern, re.IGNORECASE).match(self.data, self.position)
        if not match:
            self.fail(f"{found(self.word())}, expected {expected}")
        self.word_at, self.position = match.end() - len(match.group().lstrip()), match.end()

    def to_number(self, word: bytes, what: str) -> float:
        value = float(word) if NUMBER.fullmatch(word) else float("nan")
        if not abs(value) <= MAX_VALUE:
            self.fail(f"{found(word)}, expected {what}: a finite number below {MAX_VALUE:.0e}")
        return value

    def vector(self) -> tuple[float, float, float]:
        x, y, z = (self.to_number(self.word(), "three numbers after OFFSET") for _ in range(3))
        return x, y, z

    def line_at(self, position: int) -> int:
        start, line = self.counted if position >= self.counted[0] else (0, 1)
        line += len(LINE_END.findall(self.data, start, position))
        self.counted = position, line  # a note for each of many joints would count from the start each time
        return line

    def fail(self, message: str) -> NoReturn:
        raise FileError(self.path, message, line=self.line_at(self.word_at))


def found(word: bytes) -> str:
    return f"found {shorten(word)!r}" if word else "the file ends"


@dataclass
class Hierarchy:
    """The joints in the file's order, which is parents first, and the end sites as (joint, offset)."""

    joints: list[Joint] = field(default_factory=list)
    ends: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what was changed to make sense of it

    @property
    def channel_count(self) -> int:
        return sum(len(joint.channels or ()) for joint in self.joints)


def read_hierarchy(scan: Scanner) -> Hierarchy:
    """Everything up to and including the word MOTION. A loop with a stack, so that depth costs nothing."""
    if scan.data.startswith(BYTE_ORDER_MARK):
        scan.position = len(BYTE_ORDER_MARK)
    scan.expect(b"HIERARCHY", "at the start")
    tree, open_joints = Hierarchy(), [-1]
    while (keyword := (word := scan.word()).upper()) != b"MOTION":
        current = open_joints[-1]
        if keyword in (b"ROOT", b"JOINT"):
            open_joints.append(_open_joint(scan, tree, keyword, current))
        elif keyword == b"END" and current >= 0:
            tree.ends.append((current, _end_site(scan)))
        elif keyword == b"OFFSET" and current >= 0:
            if tree.joints[current].offset is not None:
                scan.fail(f"a second OFFSET for joint {tree.joints[current].name!r}")
            tree.joints[current].offset = scan.vector()
        elif keyword == b"CHANNELS" and current >= 0:
            if tree.joints[current].channels is not None:
                scan.fail(f"a second CHANNELS for joint {tree.joints[current].name!r}")
            tree.joints[current].channels = _channels(scan)
        elif keyword == b"}" and current >= 0:
            _check_complete(scan, tree.joints[open_joints.pop()])
        else:
            outside = "MOTION" if tree.joints else "ROOT"
            inside = "OFFSET, CHANNELS, JOINT, End Site or '}'"
            scan.fail(f"{found(word)}, expected {inside if current >= 0 else outside}")
    if len(open_joints) > 1:
        scan.fail(f"MOTION before the block of joint {tree.joints[open_joints[-1]].name!r} is closed: expected '}}'")
    if not tree.joints:
        scan.fail("MOTION before any joint, expected ROOT")
    _make_names_unique(scan, tree)
    return tree


def _open_joint(scan: Scanner, tree: Hierarchy, keyword: bytes, parent: int) -> int:
    position, name = scan.word_at, scan.name()
    if keyword == b"ROOT" and tree.joints:
        scan.fail(f"a second ROOT {name!r}; expected one skeleton a file, so split the file")
    if keyword == b"JOINT" and parent < 0:
        scan.fail(f"JOINT {name!r} outside of any joint, expected " + ("MOTION" if tree.joints else "ROOT"))
    if not name:
        scan.fail(f"expected a name after {keyword.decode()}")
    if len(tree.joints) == MAX_JOINTS:
        scan.fail(f"more than {MAX_JOINTS} joints")
    scan.expect(b"{", f"after {keyword.decode()} {name[:40]!r}")
    tree.joints.append(Joint(name, parent, position))
    return len(tree.joints) - 1


def _end_site(scan: Scanner) -> tuple[float, float, float]:
    scan.expect(b"SITE", "after End")
    scan.name()  # a name for it is rare and of no use
    scan.expect(b"{", "after End Site")
    scan.expect(b"OFFSET", "in the End Site")
    offset = scan.vector()
    scan.expect(b"}", "after the OFFSET of the End Site")
    return offset


def _channels(scan: Scanner) -> list[tuple[str, int]]:
    word = scan.word()
    if len(word) != 1 or word not in b"0123456":
        scan.fail(f"{found(word)}, expected the number of CHANNELS, 0 to 6")
    channels: list[tuple[str, int]] = []
    for k in range(int(word)):
        name = scan.word()
        match = CHANNEL.fullmatch(name)
        if not match:
            scan.fail(f"{found(name)}, expected channel {k + 1} of {int(word)}, such as Xposition or Zrotation")
        channel = (match.group(2).decode().lower(), b"xyz".index(match.group(1).lower()))
        # an axis may come again after another one (proper Euler angles such as ZXZ), a position may not
        if channel in channels and (channel[0] == "position" or channel == channels[-1]):
            scan.fail(f"channel {name.decode()} twice in one joint")
        channels.append(channel)
    if sum(kind == "rotation" for kind, _ in channels) > 3:
        scan.fail("more than three rotation channels in one joint")
    return channels


def _check_complete(scan: Scanner, joint: Joint) -> None:
    missing = "OFFSET" if joint.offset is None else "CHANNELS" if joint.channels is None else None
    if missing:
        scan.fail(f"joint {joint.name!r} (line {scan.line_at(joint.position)}) ends without {missing}")


def _make_names_unique(scan: Scanner, tree: Hierarchy) -> None:
    for joint, name in zip(tree.joints, unique_names([joint.name for joint in tree.joints])):
        if name != joint.name:
            tree.notes.append(f"line {scan.line_at(joint.position)}: a second joint {joint.name!r}, read as {name!r}")
            joint.name = name
