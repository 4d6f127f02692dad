"""Presets keep what was tuned, in files that the library loads; bad names and bad files are refused."""

import pytest

from kinematch.character import Settings
from kinematch.character.settings_file import load_settings
from kinematch.errors import KinematchError
from kinematch.studio.session.presets import PresetFolder

TUNED = Settings(quality=2.5, foot_lock=False, transition="dead", weights={"hips_velocity": 3.0})


def test_a_preset_comes_back_as_it_was_saved(tmp_path):
    presets = PresetFolder(tmp_path / "deeper")
    assert presets.names() == []
    presets.save("My walk (2)", TUNED)
    presets.save("Übung", Settings())
    assert presets.names() == ["My walk (2)", "Übung"]
    assert presets.load("My walk (2)") == TUNED == load_settings(tmp_path / "deeper" / "My walk (2).toml")
    presets.delete("Übung")
    assert presets.names() == ["My walk (2)"]


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", "a\\b", "/etc/x", "C:x", "a\0b", "a\n", "x" * 65])
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(KinematchError, match="cannot be named"):
        PresetFolder(tmp_path).save(name, Settings())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content", ["quality = -1", "speed = 3", "quality =", 'quality = "high"', "[[weights]]", "quality = nan", "\0"]
)
def test_bad_files_are_refused_with_their_name(tmp_path, content):
    (tmp_path / "bad.toml").write_text(content)
    with pytest.raises(KinematchError, match=r"bad\.toml"):
        PresetFolder(tmp_path).load("bad")


def test_pages_save_load_and_delete_presets(studio_server):
    with studio_server.page() as page:
        page.say("change_settings", values={"quality": 3.5, "weights": {"hips_velocity": 2.0}})
        page.message("settings_now", lambda s: s["a"]["quality"] == 3.5)
        page.say("save_preset", name="mine")
        assert page.message("presets")["names"] == ["mine"]
        page.say("reset_settings", names=["quality"])
        after = page.message("settings_now")["a"]
        assert (after["quality"], after["weights"]) == (1.0, {"hips_velocity": 2.0})
        page.say("reset_settings")
        assert page.message("settings_now")["a"]["weights"] == {}
        page.say("load_preset", name="mine")
        assert page.message("settings_now")["a"]["weights"] == {"hips_velocity": 2.0}
        page.say("load_preset", name="yours")
        assert "no preset 'yours'" in page.message("error_message")["message"]
        page.say("save_preset", name="../mine")
        assert "cannot be named" in page.message("error_message")["message"]
        page.say("delete_preset", name="mine")
        page.message("presets", lambda p: not p["names"])
        page.say("reset_settings")
        page.message("settings_now", lambda s: s["a"]["quality"] == 1.0)


def test_a_weight_goes_back_to_the_databases_own(studio_server):
    with studio_server.page() as page:
        page.say("change_settings", values={"weights": {"hips_velocity": 2.0, "left_foot_position": 0.5}})
        page.message("settings_now", lambda s: len(s["a"]["weights"]) == 2)
        page.say("change_settings", values={"weights": {"hips_velocity": None}})
        page.message("settings_now", lambda s: s["a"]["weights"] == {"left_foot_position": 0.5})
        page.say("reset_settings")
        page.message("settings_now", lambda s: not s["a"]["weights"])


def test_our_own_presets_are_loaded_and_written_but_not_replaced(tmp_path):
    presets = PresetFolder(tmp_path)
    assert len(presets.describe_own()) == 5
    for name, about in presets.describe_own().items():
        presets.write(name, tmp_path / "out.toml")
        assert load_settings(tmp_path / "out.toml") == presets.load(name)
        assert not presets.load(name).weights  # of features that another database may lack
        assert about.endswith(".")
        with pytest.raises(KinematchError, match="comes with Kinematch"):
            presets.save(name, Settings())
        with pytest.raises(KinematchError, match="no preset"):
            presets.delete(name)
    (tmp_path / "out.toml").unlink()
    assert presets.names() == []


def test_our_own_presets_are_fetched_as_files(studio_server):
    status, content, headers = studio_server.fetch("/api/preset?name=Smooth")
    assert status == 200
    assert "Smooth.toml" in headers["content-disposition"]
    assert content.startswith(b"# Smooth: ")
    assert studio_server.fetch("/api/preset?name=../x")[0] == 400
