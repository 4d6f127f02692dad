"""The page on small screens, far from where one began, and after it is loaded again."""

import pytest

pytestmark = pytest.mark.slow

# controls and words that are beyond the screen's left or right edge, but for those that one can scroll to
BEYOND = """(() => {
  const beyond = [];
  for (const one of document.querySelectorAll("button, input, select, h1, h2, h3, p, span")) {
    const { left, right, width, height } = one.getBoundingClientRect();
    if (!width || !height || (left > -2 && right < innerWidth + 2)) continue;
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    let above = one.parentElement;
    while (above && !(above.scrollWidth > above.clientWidth + 1 && above.matches(".rail"))) above = above.parentElement;
    if (!above) beyond.push(`${one.tagName} ${(one.textContent || one.ariaLabel || "").trim().slice(0, 40)}`);
  }
  return beyond;
})()"""
TAB = """(() => { const tab = document.querySelector(".rail [aria-selected=true]");
  const { left, right, top, bottom } = tab.getBoundingClientRect();
  return left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1; })()"""
PANELS = ["play", "why", "tune", "build", "coverage", "clips", "train", "vr"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_every_panel_fits_a_phone(screen, studio_server, width, height):
    page = screen(studio_server, viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
    for panel in PANELS:
        page.ask(f"kinematch.open('{panel}')")
        page.until(f"document.querySelector('#panel-{panel}')?.childElementCount > 0")
        page.page.wait_for_timeout(500)  # lists arrive
        assert page.ask(BEYOND) == [], panel
        assert page.ask(TAB), panel  # where one is can be seen
        page.picture(f"phone-{width}-{panel}")
    last = page.page.get_by_role("button", name="Help", exact=True).last
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert 0 <= box["x"] < width
    assert 0 <= box["y"] < height


def test_hills_go_on_far_from_where_one_began(driven):
    page = driven
    page.page.get_by_role("radio", name="Hills").click()
    page.until("kinematch.viewport.floor.surface.geometry.parameters.widthSegments > 50")
    away = page.ask("""(() => { const { floor } = kinematch.viewport; floor.centreOn(1000, -700);
      return [floor.surface.position.x - 1000, floor.surface.position.z + 700]; })()""")
    assert max(map(abs, away)) < 2
    heights = page.ask("Array.from({ length: 8 }, (_, k) => kinematch.viewport.floor.height(1000 + 3 * k, -700))")
    assert max(heights) - min(heights) > 0.05
    page.page.get_by_role("radio", name="Flat").click()
    page.until("kinematch.live.situation.terrain === 'flat'")


def test_one_goes_back_to_the_built_in_motion(screen, fresh_server):
    page = screen(fresh_server)
    motion = page.page.get_by_role("combobox", name="Motion")
    before = motion.input_value()
    motion.select_option("built-in motion")
    page.until("kinematch.live.welcome.database === 'built-in motion' && kinematch.live.welcome.clips.length > 50")
    assert before != "built-in motion"
