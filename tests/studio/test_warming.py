"""Compiling beforehand: it does what a character does, and whatever becomes of it the work beside it goes on."""

import sys

import pytest

from kinematch.studio import warming as module
from kinematch.studio.warming import compile_step, warming


def test_a_character_is_stepped_on_a_database_of_its_own():
    compile_step()


def test_work_goes_on_without_it(monkeypatch):
    for python in ("/no/such/python", sys.executable):
        monkeypatch.setattr(module.sys, "executable", python)
        monkeypatch.setattr(module, "LONGEST", 0.0)
        with warming(True):
            done = True
        assert done


def test_an_interrupted_build_ends_it_too(monkeypatch):
    begun = []
    real = module.subprocess.Popen
    monkeypatch.setattr(module.subprocess, "Popen", lambda *a, **k: begun.append(real(*a, **k)) or begun[-1])
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    with pytest.raises(KeyboardInterrupt), warming(True):
        raise KeyboardInterrupt
    assert [process.poll() is not None for process in begun] == [True]


def test_none_is_begun_where_it_is_not_needed(monkeypatch):
    monkeypatch.setattr(module.subprocess, "Popen", lambda *_, **__: pytest.fail("begun"))
    with warming(False):
        pass
