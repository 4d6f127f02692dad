"""`kinematch export`: the folder is written; what is no model, and a missing package, are told in a line."""

import pytest

from kinematch.cli.main import main
from kinematch.learned.export.folder import PAGES


def test_a_database_is_told_to_be_no_model(built_of, tmp_path, capsys, need_extra):
    need_extra("onnx", "onnx")
    assert main(["export", str(built_of("idle").path), "-o", str(tmp_path / "out")]) == 2
    assert "kinematch train learned" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_the_package_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("kinematch.learned.export.graph.find_spec", lambda name: None)
    assert main(["export", "any.kinematch-model", "-o", str(tmp_path / "out")]) == 2
    assert "kinematch[onnx]" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["unreal", "godot"])
def test_unknown_targets_are_refused(target, tmp_path):
    with pytest.raises(SystemExit):
        main(["export", "any.kinematch-model", "-o", str(tmp_path / "out"), "--to", target])


def test_pages_of_the_reference_ship_with_the_package():
    from importlib.resources import files

    for page in PAGES:
        assert (files("kinematch.learned.export") / "reference" / page).is_file()
