"""A link to a moment: it opens the same panel, step and view, for who steers and for who watches."""

import pytest

pytestmark = pytest.mark.slow

VIEW = "(({ radius, phi, theta }) => [radius, phi, theta])(kinematch.viewport.follow.away)"
POSE = "Array.from(kinematch.live.moment.before.rotations)"


@pytest.fixture
def shared(screen, fresh_server):
    """A page that has walked and copied a link, and the link."""
    page = screen(fresh_server)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.walk(1.0)
    page.ask("kinematch.open('why')")
    page.page.keyboard.press("Space")
    page.until("!kinematch.live.playing")
    page.ask("kinematch.timeline.scrub(kinematch.live.step - 20)")
    page.page.wait_for_timeout(500)
    page.ask("kinematch.viewport.follow.view('front', kinematch.live.yaw, 4)")
    page.page.wait_for_timeout(500)
    page.page.get_by_role("button", name="Save", exact=True).click()
    page.page.get_by_role("menuitem", name="Link").click()
    page.until("!!document.querySelector('.message.good')")
    return page, page.ask("navigator.clipboard.readText()")


def test_a_link_opens_the_same_moment_for_who_watches(shared, screen, fresh_server):
    page, link = shared
    page.ask("kinematch.live.connection.send({ type: 'resume' })")
    page.until("kinematch.live.playing")
    other = screen(fresh_server, link.split("#")[1])
    step = int(link.split("@")[1].split(",")[0])
    other.until(f"kinematch.live.step === {step} && !!kinematch.live.pinned")
    assert other.ask("document.querySelector('.side h1').textContent") == "See why"
    view = [float(value) for value in link.split(",")[2:5]]
    other.until(f"{VIEW}.every((value, k) => Math.abs(value - {view}[k]) < 0.01)")
    assert page.ask("kinematch.live.playing")  # nobody is disturbed
    other.picture("shared-moment")
    other.page.get_by_role("button", name="Watch live").click()
    other.until(f"kinematch.live.step > {step}")


def test_a_link_opens_the_same_moment_for_who_steers(shared, screen, fresh_server):
    page, link = shared
    pose = page.ask(POSE)
    page.page.close()
    other = screen(fresh_server, link.split("#")[1])
    other.until("kinematch.live.steers")
    step = int(link.split("@")[1].split(",")[0])
    other.until(f"kinematch.live.step === {step} && !kinematch.live.playing")
    assert other.ask(POSE) == pose


def test_a_link_pasted_into_the_open_page_goes_there(shared):
    page, link = shared
    step = int(link.split("@")[1].split(",")[0])
    page.ask("kinematch.live.connection.send({ type: 'resume' }); kinematch.open('play')")
    page.until(f"kinematch.live.playing && kinematch.live.step > {step}")
    page.ask(f"location.hash = '{link.split('#')[1]}'")
    page.until(f"kinematch.live.step === {step} && !kinematch.live.playing")
    assert page.ask("document.querySelector('.side h1').textContent") == "See why"


def test_the_stick_is_asked_for_and_handed_over(screen, fresh_server, monkeypatch):
    monkeypatch.setattr("kinematch.studio.server.pages.IDLE", 1e9)  # on a busy machine the first page may seem idle
    first = screen(fresh_server)
    first.page.keyboard.down("w")
    first.until_moved(0.5)
    second = screen(fresh_server)
    second.until("kinematch.live.situation && !kinematch.live.steers")
    second.page.locator(".chip", has_text="Another page steers").wait_for()
    second.page.get_by_role("button", name="Take the stick").click()
    first.page.get_by_role("button", name="Hand over").click()
    first.page.keyboard.up("w")
    second.until("kinematch.live.steers")
    first.page.locator(".chip", has_text="Another page steers").wait_for()
    second.walk(0.5, "s")


def test_who_loads_the_page_anew_steers_at_once_and_wears_the_same(screen, fresh_server):
    page = screen(fresh_server)
    page.page.get_by_role("button", name="Child", exact=True).click()
    page.until("kinematch.live.heroHidden")
    page.page.get_by_role("radio", name="Orbit").click()
    page.ask("kinematch.open('tune')")
    page.until("location.hash === '#tune'")
    page.page.reload()
    page.until("!!window.kinematch?.live.moment && kinematch.live.steers")
    page.until("kinematch.live.heroHidden")  # the mannequin is hidden behind the character again
    page.until("document.querySelector('.rail [aria-selected=true]').id === 'tab-tune'")
    page.ask("kinematch.open('play')")
    page.until("kinematch.viewport.follow.mode === 'orbit'")
    assert page.page.get_by_role("radio", name="Orbit").is_checked()
    page.walk(0.5)


def test_a_moment_that_is_gone_is_told(screen, fresh_server):
    page = screen(fresh_server, "why@99999999,follow,5,1,1,0,0,0")
    page.until("!!document.querySelector('.message.bad')")
    assert "no longer kept" in page.ask("document.querySelector('.message.bad').textContent")
