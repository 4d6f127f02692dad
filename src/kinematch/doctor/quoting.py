"""Names as TOML holds them, whatever characters they have, so that every line the doctor writes can be pasted."""

import glob
from collections.abc import Iterable


def quoted(text: str) -> str:
    """A TOML string; characters that do not print are escaped, since some end the line."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def quoted_list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def quoted_glob(path: str) -> str:
    """A glob that means this very file, though it be called [1].bvh."""
    return quoted(glob.escape(path))


def can_be_quoted(text: str) -> bool:
    """Whether it is Unicode; names of files may be any bytes, which Python shows as lone surrogates."""
    return text.isascii() or text.encode(errors="replace").decode() == text
