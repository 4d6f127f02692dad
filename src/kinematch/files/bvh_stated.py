"""Unit and up axis of the BVH files we write, stated in blanks after the first word: other readers skip them.

BVH has no comments, and many readers refuse what they do not expect, but all of them trim lines. A space is a 0 and a
tab is a 1, eight to a letter. An editor that strips blanks at line ends takes the statement away, and reading infers.
"""

import re

LINE = re.compile(rb"\s*HIERARCHY([ \t]{8,4096})\r?\n")
TEXT = re.compile(r"kinematch ([0-9.e+-]+) (-?[XYZ])")


def state_space(unit: float, up: str) -> str:
    """Blanks that say how many metres a unit has and which axis is up."""
    return "".join("\t" if bit == "1" else " " for letter in f"kinematch {unit!r} {up}" for bit in f"{ord(letter):08b}")


def read_statement(head: bytes) -> tuple[float, str] | None:
    """Metres per unit and up axis from the beginning of a file; None where it states nothing."""
    line = LINE.match(head)
    if line is None:
        return None
    bits = "".join("1" if blank == ord("\t") else "0" for blank in line.group(1))
    text = "".join(chr(int(bits[k : k + 8], 2)) for k in range(0, len(bits) - 7, 8))
    found = TEXT.fullmatch(text)
    try:
        return (float(found.group(1)), found.group(2)) if found else None
    except ValueError:
        return None
