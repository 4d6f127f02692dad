"""The built-in motion is built once, whichever verb opens it first."""

from kinematch.cli.evaluate import opened_database
from kinematch.database import dance_card
from kinematch.studio.opening import built_in

SMALL = '[[source]]\nbuiltin = "dance-card"\nclips = ["idle"]\n'


def test_every_verb_opens_the_same_file(tmp_path, monkeypatch):
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path))
    monkeypatch.setattr(dance_card, "RECIPE", SMALL)
    told = []
    opened_database(None, None, lambda done, total, now: told.append(now))
    assert "writing" in told
    told.clear()
    assert built_in(lambda stage, done, total: told.append(stage)).database.poses.clip_names == ("idle",)
    assert "write" not in told
    assert len(list(tmp_path.rglob("*.kinematch"))) == 1
