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
CHIPS = """[...document.querySelectorAll(".corner.top-left .chip")].filter((one) => one.checkVisibility())
  .map((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom])"""
OVERLAPS = """(() => { const boxes = [...document.querySelectorAll(".build-head .row > *")].map((one) => one.getBoundingClientRect());
  const inner = [...document.querySelectorAll(".build-head .segments button")].map((one) => one.getBoundingClientRect());
  return [...boxes.slice(1), ...inner].some((a, k) => boxes.slice(1).some((b, n) => n !== k
    && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)); })()"""  # noqa: E501
PANELS = ["play", "why", "tune", "build", "coverage", "clips", "train", "vr"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_every_panel_fits_a_phone(screen, studio_server, width, height):
    page = screen(studio_server, viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
    # pills are one row above the head, and a long name does not push anything out of the window
    chips = page.ask(CHIPS)
    assert max(bottom for _, bottom in chips) - min(top for top, _ in chips) < 34
    for panel in PANELS:
        page.ask(f"kinematch.open('{panel}')")
        page.until(f"document.querySelector('#panel-{panel}')?.childElementCount > 0")
        page.page.wait_for_timeout(500)  # lists arrive
        assert page.ask(BEYOND) == [], panel
        assert page.ask(TAB), panel  # where one is can be seen
        assert panel != "build" or not page.ask(OVERLAPS)
        page.picture(f"phone-{width}-{panel}")
    last = page.page.get_by_role("button", name="Help", exact=True).last
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert 0 <= box["x"] < width
    assert 0 <= box["y"] < height


def test_a_long_name_stays_within_the_panel(driven):
    wide = "document.querySelector('.side').scrollWidth"
    before = driven.ask(wide)
    name = "document.querySelector('#panel-play .group .row .name')"
    driven.ask(f"window.kept = {name}.textContent; {name}.textContent = 'a_very_long_name_of_a_file'.repeat(9)")
    assert driven.ask(wide) == before
    assert driven.ask(BEYOND) == []
    driven.ask(f"{name}.textContent = kept")


def test_a_person_is_drawn_or_the_mannequin_with_no_fewer_pixels_than_a_floor(driven):
    page = driven
    triangles = page.until("kinematch.live.body === 'person' && kinematch.drawing.triangles")
    page.page.get_by_role("radio", name="Mannequin").click()
    page.until(f"kinematch.drawing.triangles < {triangles} / 2")
    page.page.get_by_role("radio", name="Person").click()
    page.until(f"kinematch.drawing.triangles > {triangles} / 2")
    quality = page.page.get_by_role("combobox", name="Picture quality")
    for choice, pixels in (("medium", 1.0), ("low", 0.8)):
        quality.select_option(choice)
        page.until(f"Math.abs(kinematch.viewport.renderer.getPixelRatio() / devicePixelRatio - {pixels}) < 0.01")
    page.ask("localStorage.removeItem('kinematch-quality'); localStorage.removeItem('kinematch-body')")


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
