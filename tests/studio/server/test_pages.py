"""Pages: who steers when the steering page is gone."""

import pytest

from kinematch.studio.server import pages as module
from kinematch.studio.server.pages import Pages


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def join(pages, clock, secret=""):
    page = pages.join(secret)
    page.joined = clock[0]
    return page


def test_the_only_other_page_waits_for_the_one_that_lost_its_connection(clock):
    pages = Pages()
    first, _ = join(pages, clock), join(pages, clock)
    clock[0] += 10.0
    pages.leave(first)
    clock[0] += 1.0
    assert not pages.settle()
    again = join(pages, clock, first.secret)
    assert (again.client, pages.steers) == (first.client, first.client)


def test_after_a_while_another_page_steers(clock):
    pages = Pages()
    first, second = join(pages, clock), join(pages, clock)
    clock[0] += 10.0
    pages.leave(first)
    clock[0] += module.GRACE + 0.1
    assert pages.settle()
    assert pages.steers == second.client


def test_a_page_that_comes_when_all_are_gone_steers_at_once(clock):
    pages = Pages()
    first = join(pages, clock)
    clock[0] += 1.0
    pages.leave(first)
    clock[0] += 0.1
    assert join(pages, clock).client == pages.steers
