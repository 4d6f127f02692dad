"""Compiling beforehand: it does what a character does, and whatever becomes of it the work beside it goes on."""

import sys
import types

import pytest

from kinematch.character import Crowd
from kinematch.character.step import step, update
from kinematch.control.command import move
from kinematch.search import layout_kernels, tree_kernels, wide_kernels
from kinematch.studio.session import warming as module
from kinematch.studio.session.warming import compile_step, warming


def signatures(*files: types.ModuleType) -> dict:
    """What the kernels of some files are compiled for."""
    return {
        name: list(kernel.signatures)
        for file in files
        for name, kernel in vars(file).items()
        if hasattr(kernel, "signatures")
    }


def test_characters_need_nothing_more_than_was_compiled(database):
    compile_step()
    kernels = step, update, wide_kernels, tree_kernels, layout_kernels
    before = signatures(*kernels)
    assert before["run_step"]
    crowd = Crowd(database)
    searched = 0
    for velocity in ([0, 0, 1], [1, 0, 0], [0, 0, 0]):
        for _ in range(30):
            searched += crowd.step(move(velocity), 1 / 60).searched.sum()
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
        monkeypatch.setattr(module, "MAX_WAIT_SECONDS", 0.0)
        with warming():
            done = True
        assert done
    assert [process.poll() is not None for process in begun] == [True]


def test_whoever_waits_is_told_how_long_it_takes(begun, monkeypatch):
    real = module.subprocess.Popen  # a program that ends after a while, whatever it is told
    monkeypatch.setattr(module.subprocess, "Popen", lambda command, **more: real(["sleep", "0.3"], **more))
    heard = []
    with warming(lambda done, total: heard.append((done, total))):
        assert not heard
    assert heard[-1] == (0, module.USUAL)


def test_an_interrupted_start_leaves_it_to_its_end(begun, monkeypatch):
    real = module.subprocess.Popen
    monkeypatch.setattr(module.subprocess, "Popen", lambda command, **more: real(["sleep", "0.3"], **more))
    with pytest.raises(KeyboardInterrupt), warming():
        raise KeyboardInterrupt
    assert begun[0].wait() == 0  # not killed


def test_nothing_is_begun_where_the_step_is_kept(begun, monkeypatch):
    monkeypatch.setattr(module, "is_missing", lambda kernel: False)
    with warming():
        pass
    assert not begun
