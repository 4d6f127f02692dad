"""Damaged BVH files give a clip or one clear error; fuzz_bvh.py beside this file runs longer."""

import runpy
from pathlib import Path

import numpy as np
import pytest

FUZZ = runpy.run_path(str(Path(__file__).with_name("fuzz_bvh.py")))


def fuzz(files: list[bytes], folder: Path, *, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        FUZZ["outcome"](folder / "fuzz.bvh", FUZZ["damaged"](files, rng))


def test_damage_to_a_small_file_gives_a_clip_or_an_error(tmp_path):
    fuzz(FUZZ["seeds"](None), tmp_path, seed=1, count=1000)


def test_damage_to_real_files_gives_a_clip_or_an_error(data, tmp_path):
    fuzz(FUZZ["seeds"](data), tmp_path, seed=2, count=300)


@pytest.mark.slow
def test_much_damage_to_real_files_gives_a_clip_or_an_error(data, tmp_path):
    fuzz(FUZZ["seeds"](data), tmp_path, seed=3, count=1500)
