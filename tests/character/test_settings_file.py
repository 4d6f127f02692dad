"""Settings files: what is saved is what is loaded, and mistakes are told with the file's name."""

import pytest

from kinematch.character.settings import Settings
from kinematch.character.settings_file import load_settings, save_settings
from kinematch.errors import FileError

SETTINGS = Settings(transition="dead", foot_lock=False, search_interval=0.125, weights={"left foot": 2.5})


@pytest.mark.parametrize("name", ["a.toml", "a.json"])
def test_what_is_saved_is_loaded(tmp_path, name):
    save_settings(tmp_path / name, SETTINGS, comment="two\nlines")
    assert load_settings(tmp_path / name) == SETTINGS


def test_what_a_file_leaves_out_has_its_default(tmp_path):
    (tmp_path / "a.toml").write_text("search_interval = 0.2\n")
    assert load_settings(tmp_path / "a.toml") == Settings(search_interval=0.2)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "serch_interval = 1", "did you mean 'search_interval'"),
        ("a.toml", "search_interval = 9", "expected 0.01 to 2"),
        ("a.toml", "search_interval = ", "is no TOML"),
        ("a.json", "[1]", "no table"),
        ("a.json", "{", "is no JSON"),
        ("a.txt", "", "settings file"),
        ("b.toml", None, "cannot be read"),
    ],
)
def test_mistakes_are_told(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=message) as told:
        load_settings(tmp_path / name)
    assert name in str(told.value)
