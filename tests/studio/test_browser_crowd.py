"""Crowds in a real browser: as many draw calls as for one, and what cannot be drawn in time is said.

`pytest -s tests/studio/test_browser_crowd.py` prints the table of docs/studio.md.
"""

from statistics import median

import pytest

pytestmark = pytest.mark.slow

COUNTS = (1, 100, 500)
KEEP_ALL = "kinematch.live.pace = () => {}; kinematch.live.budget.most = Infinity;"  # however slow this machine is


def set_crowd(page, count: int) -> None:
    page.ask(f"kinematch.live.connection.send({{ type: 'set_crowd', count: {count} }})")
    page.until(f"kinematch.live.situation.crowd === {count} && kinematch.live.moment.before.characters === {count}")


def test_draw_calls_do_not_grow_with_the_crowd(screen, fresh_server):
    page = screen(fresh_server)
    page.ask(KEEP_ALL)
    calls = {}
    print("\n| characters | draw calls | triangles | own time a frame |\n|---|---|---|---|")
    for count in COUNTS:
        set_crowd(page, count)
        page.until(f"kinematch.live.crowdSize.drawn === {count - 1}")
        page.ask("window.drawnFrames = 0; (function count() { drawnFrames++; requestAnimationFrame(count); })()")
        page.until("drawnFrames > 15")
        told = page.ask("kinematch.drawing")
        calls[count] = told["calls"]
        print(f"| {count} | {told['calls']} | {told['triangles']:,} | {median(told['times']):.1f} ms |")
    assert calls[500] == calls[100] <= calls[1] + 1


def test_a_slow_machine_draws_fewer_and_says_so(screen, fresh_server):
    page = screen(fresh_server)
    set_crowd(page, 500)
    page.ask("for (let k = 0; k < 12; k++) kinematch.live.pace(0.4)")  # seconds of slow frames
    page.until("kinematch.live.budget.most < 499")
    page.until("kinematch.live.crowdSize.drawn <= kinematch.live.budget.most")
    page.until(
        "/^\\d+ of 500 characters drawn$/.test(document.querySelector('.corner.bottom-right .warn').textContent)"
    )
    page.picture("crowd")
    page.page.keyboard.down("w")  # and it still answers
    page.until_moved(1.0)
    page.page.keyboard.up("w")
    set_crowd(page, 2)  # another number is tried in full
    page.until("kinematch.live.budget.most === Infinity && kinematch.live.crowdSize.drawn === 1")
