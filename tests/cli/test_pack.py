"""`kinematch pack` on the command line: what it writes, prints and refuses."""

import re

import pytest

from kinematch.cli.main import main
from kinematch.cli.pack import read_length
from kinematch.database import storage
from kinematch.errors import KinematchError


@pytest.fixture(scope="module")
def small(built_of):
    return built_of("idle", "walk_1.35").path


def test_a_database_is_packed_within_the_bound_and_opens_like_any_other(small, tmp_path, capsys):
    path = tmp_path / "packed.kinematch"
    assert main(["pack", str(small), "-o", str(path), "--error", "0.5mm"]) == 0
    printed = capsys.readouterr().out
    assert "bytes a frame" in printed
    assert "of 5000 searches find another frame" in printed
    assert path.stat().st_size < small.stat().st_size / 5
    assert storage.load(path).poses.frame_count == storage.load(small).poses.frame_count
    assert main(["inspect", str(path)]) == 0
    assert main(["pack", str(path), "-o", str(tmp_path / "again.kinematch")]) == 2
    assert "packed already" in capsys.readouterr().err


def test_lengths_have_units():
    assert read_length("0.01cm") == pytest.approx(1e-4)
    assert read_length("0.5 mm") == pytest.approx(5e-4)
    assert read_length("0.001m") == pytest.approx(1e-3)
    for text in ("0.01", "cm", "two cm", ""):
        with pytest.raises(KinematchError, match="is no length"):
            read_length(text)


def test_an_output_that_cannot_be_written_is_told_before_the_work(small, tmp_path, capsys):
    assert main(["pack", str(small), "-o", str(tmp_path / "packed.glb")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--transport"]])
def test_the_database_itself_is_not_replaced(small, tmp_path, capsys, more):
    path = tmp_path / "own.kinematch"
    path.write_bytes(small.read_bytes())
    (tmp_path / "link.kinematch").symlink_to(path)
    for output in (path, tmp_path / "link.kinematch"):
        assert main(["pack", str(path), "-o", str(output), *more]) == 2
        assert "is read, and would be replaced" in capsys.readouterr().err
    assert path.read_bytes() == small.read_bytes()


def test_the_transport_form_is_smaller_still_and_opens_like_any_other(small, tmp_path, capsys):
    path = tmp_path / "sent.kinematch"
    assert main(["pack", str(small), "-o", str(path), "--transport"]) == 0
    printed = capsys.readouterr().out
    most = float(re.search(r"most ([\d.]+)", printed).group(1))  # cm, of the 0.1 that is allowed
    assert 0.02 < most <= 0.1
    assert path.stat().st_size < small.stat().st_size / 20
    assert main(["inspect", str(path)]) == 0
    packed = tmp_path / "packed.kinematch"
    assert main(["pack", str(path), "-o", str(packed)]) == 0
    assert main(["pack", str(packed), "-o", str(path), "--transport"]) == 2
    assert "packed already" in capsys.readouterr().err
