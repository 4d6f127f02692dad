"""TOML: what Python's parser reads, and keys that would keep it busy."""

import tomllib

import pytest

from kinematch.files.toml import MAX_KEY_PARTS, parse_toml

DEEP = ".".join("a" * 2000)


@pytest.mark.parametrize(
    "text",
    [f"x = 1\n{DEEP} = 1", f"x = 1\n[{DEEP}]", f"x = 1\ny = {{{DEEP} = 1}}", "x = 1\n" + "'a' . " * 100 + "a = 1"],
)
def test_deep_keys_are_refused_with_their_line(text):
    with pytest.raises(tomllib.TOMLDecodeError, match=f"more than {MAX_KEY_PARTS} parts .at line 2"):
        parse_toml(text)


def test_everything_else_is_read_as_python_reads_it():
    text = "a.b.c = 1\nlist = [" + "0.5, " * 1000 + "]\nname = '" + "." * 1000 + "'\n[x.y]\nz = 2020-01-01\n"
    assert parse_toml(text) == tomllib.loads(text)
