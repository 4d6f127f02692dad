"""Compiling beforehand: it does what a character does, and whatever becomes of it the work beside it goes on."""

import sys
import types

import numpy as np
import pytest

from kinematch.character import Command, Crowd
from kinematch.character.kernels import animation, jumps, searching
from kinematch.search import tree_kernels, wide_kernels
from kinematch.studio import warming as module
from kinematch.studio.warming import PARTS, warming


def signatures(*files: types.ModuleType) -> dict:
    """What the kernels of some files are compiled for."""
    return {
        name: list(kernel.signatures)
        for file in files
        for name, kernel in vars(file).items()
        if hasattr(kernel, "signatures")
    }


def test_characters_need_nothing_more_than_was_compiled(database):
    for _, work in PARTS.values():
        work()
    kernels = animation, jumps, searching, wide_kernels, tree_kernels
    before = signatures(*kernels)
    assert all(before[name] for name in ("animate", "jump", "make_queries", "find_reasons", "find_some"))
    crowd = Crowd(database)
    searched = 0
    for velocity in ([0, 0, 1], [1, 0, 0], [0, 0, 0]):
        velocities = np.array([velocity], float)
        for _ in range(30):
            searched += crowd.step(Command(velocities, velocities), 1 / 60).searched.sum()
    assert searched > 3
    assert signatures(*kernels) == before


@pytest.fixture
def begun(monkeypatch) -> list:
    """The processes that are begun, where nothing is kept from earlier runs."""
    begun: list = []
    real = module.subprocess.Popen

    def begin(command, **options):
        begun.append(real(command, **options))
        return begun[-1]

    monkeypatch.setattr(module.subprocess, "Popen", begin)
    monkeypatch.setattr(module, "is_missing", lambda kernel: True)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    return begun


def test_work_goes_on_without_it(begun, monkeypatch):
    for python in ("/no/such/python", sys.executable):
        monkeypatch.setattr(module.sys, "executable", python)
        monkeypatch.setattr(module, "LONGEST", 0.0)
        with warming():
            done = True
        assert done
    assert [process.poll() is not None for process in begun] == [True] * len(PARTS)


def test_whoever_waits_is_told_how_far_it_is(begun, monkeypatch):
    monkeypatch.setattr(module.sys, "executable", "true")  # a program that ends at once, whatever it is told
    heard = []
    with warming(lambda done, total: heard.append((done, total))):
        assert not heard
    assert heard[-1] == (len(PARTS), len(PARTS))


def test_an_interrupted_build_ends_it_too(begun):
    with pytest.raises(KeyboardInterrupt), warming():
        raise KeyboardInterrupt
    assert [process.poll() is not None for process in begun] == [True] * len(PARTS)


def test_only_what_is_missing_is_compiled(begun, monkeypatch):
    monkeypatch.setattr(module.sys, "executable", "true")
    monkeypatch.setattr(module, "is_missing", lambda kernel: kernel is not animation.animate)
    with warming():
        pass
    assert [process.args[-1] for process in begun] == [name for name in PARTS if name != "animation"]
