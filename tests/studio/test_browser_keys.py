"""Keys in a browser: the printed address opens the page, and another one asks for the key."""

from pathlib import Path

from kinematch.access.keys import AccessKey
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.studio import Studio

from .conftest import PIXELS

READY = "!!window.kinematch?.live.moment"


def test_a_browser_enters_with_the_printed_address_or_by_typing_the_key(database, browser, tmp_path: Path, run_studio):
    key = AccessKey()
    studio = Studio(Stage(database, name="small"), presets=tmp_path / "presets")
    with run_studio(studio, key) as server:
        for types in (False, True):
            context = browser.new_context(**PIXELS)
            context.add_init_script("localStorage.setItem('kinematch-tour', 'done')")
            page = context.new_page()
            page.set_default_timeout(240_000)
            if types:
                page.goto(f"{server.url}/?quality=low")
                assert "needs a key" in page.content()
                page.fill("input", "wrong")
                page.click("button")
                page.wait_for_selector("text=That is not the key")
                page.fill("input", key.text)
                page.click("button")
            else:
                page.goto(key.add_to(f"{server.url}/#tune"))
            while not page.evaluate(READY):
                page.wait_for_timeout(50)
            assert page.url.startswith(server.url)
            assert "key" not in page.url.removeprefix(server.url)
            assert types or page.url.endswith("#tune")
            assert page.evaluate("document.cookie") == ""
            page.reload()
            while not page.evaluate(READY):
                page.wait_for_timeout(50)
            context.close()
