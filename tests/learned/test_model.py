"""Models and their files: what is loaded is what was saved, rounded once; damage and misfits are told."""

from dataclasses import fields, replace

import numpy as np
import pytest

from kinematch.errors import FileError, KinematchError
from kinematch.learned.codebook import Codebook, make_codebook
from kinematch.learned.model import Model
from kinematch.learned.model_file import FORMAT, VERSION, load_model, round_model, save_model
from kinematch.learned.network import Network, apply_network


@pytest.mark.parametrize("projector", [False, True])
def test_a_loaded_model_is_the_saved_one_in_half_precision(random_model, tmp_path, projector):
    model = random_model(projector=projector)
    path = tmp_path / "a.kinematch-model"
    save_model(path, model)
    again = load_model(path)
    rounded = round_model(model)
    inputs = np.random.default_rng(0).normal(size=(7, model.decompressor.input_count)).astype(np.float32)
    for name in ("decompressor", "stepper"):
        np.testing.assert_array_equal(
            apply_network(getattr(again, name), inputs), apply_network(getattr(rounded, name), inputs)
        )
    assert (again.projector is None) == (not projector)
    for field in fields(Codebook):
        np.testing.assert_array_equal(getattr(again.codebook, field.name), getattr(model.codebook, field.name))
    for field in fields(Model):
        value = getattr(model, field.name)
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(again, field.name), value)
    assert again.skeleton.difference(model.skeleton) is None
    assert (again.schema, again.tag_names, again.filter) == (model.schema, model.tag_names, model.filter)
    assert (again.scores, again.about) == (model.scores, model.about)


def test_saving_a_loaded_model_changes_no_byte(random_model, tmp_path):
    save_model(tmp_path / "a", random_model())
    save_model(tmp_path / "b", load_model(tmp_path / "a"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_cut_off_file_says_so(random_model, tmp_path):
    path = tmp_path / "a.kinematch-model"
    save_model(path, random_model())
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileError, match="cut off"):
        load_model(path)


def test_a_flipped_bit_is_found(random_model, tmp_path):
    path = tmp_path / "a.kinematch-model"
    save_model(path, random_model())
    content = bytearray(path.read_bytes())
    content[-5000] ^= 16
    path.write_bytes(content)
    with pytest.raises(FileError, match="damaged"):
        load_model(path)


def test_a_file_of_a_newer_version_asks_for_an_update(random_model, tmp_path, monkeypatch):
    path = tmp_path / "a.kinematch-model"
    monkeypatch.setattr("kinematch.learned.model_file.VERSION", VERSION + 1)
    save_model(path, random_model())
    monkeypatch.undo()
    with pytest.raises(FileError, match="newer"):
        load_model(path)


def test_a_database_is_no_model(built_of):
    with pytest.raises(FileError, match=FORMAT):
        load_model(built_of("idle").path)


def test_networks_that_do_not_fit_are_refused(random_model):
    model = random_model()
    with pytest.raises(KinematchError, match="stepper takes"):
        replace(model, stepper=model.decompressor)
    with pytest.raises(KinematchError, match="finite"):
        Network((np.full((2, 2), np.nan, np.float32),), (np.zeros(2, np.float32),))


def test_a_codebook_keeps_values_within_half_a_step():
    rng = np.random.default_rng(1)
    features, latents = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    latents[:, 1] = 4.0  # a column that never changes
    clips = np.repeat([0, 2], 25)
    book = make_codebook(np.arange(50), features, latents, clips, np.zeros((50, 0)), np.ones(50))
    restored = book.restore()
    assert (np.abs(restored - np.concatenate([features, latents], axis=1)) <= book.step / 2 + 1e-6).all()
    assert book.clip_stops.tolist() == [25, 50]
