"""Forgeries: their checksums fit, so that a reader sees what was changed."""

import numpy as np
import pytest

from kinematch.bench.fuzz_examples import make_database
from kinematch.bench.hostile_files import forge, is_container, join, split
from kinematch.database import storage
from kinematch.errors import FileError


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("forged") / "a.kinematch"
    storage.save(path, make_database())
    return path


def test_what_is_joined_again_loads(file, tmp_path):
    content = file.read_bytes()
    assert is_container(content)
    assert not is_container(b"HIERARCHY and nothing that a container begins with")
    (tmp_path / "again.kinematch").write_bytes(join(*split(content)))
    again = storage.load(tmp_path / "again.kinematch")
    assert np.array_equal(again.poses.rotations, storage.load(file).poses.rotations)


def test_no_forgery_is_found_out_by_its_checksums(file, tmp_path):
    content, messages = file.read_bytes(), []
    for number in range(100):
        forged = forge(content, np.random.default_rng(number))
        assert forged == forge(content, np.random.default_rng(number))
        (tmp_path / "forged.kinematch").write_bytes(forged)
        try:
            storage.load(tmp_path / "forged.kinematch")
        except FileError as error:
            messages.append(str(error))
    assert 50 < len(messages) < 100
    assert not any("contents of" in message for message in messages)
    assert sum("expected" in message for message in messages) > 40
