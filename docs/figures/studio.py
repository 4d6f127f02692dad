"""Draws docs/images/studio.gif and pictures of Studio's panels: the page itself in a browser without a screen.

Run `python docs/figures/studio.py` from the folder of the project; it needs Chromium and Playwright. With
files, such as `exact.kinematch packed.kinematch learned.kinematch-model`, it draws those side by side instead.

Software drawing is slow, so the film is not taken while the character is driven: what was played is shown again step
by step, and each step waits until it is drawn.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from kinematch.files import write_clip
from kinematch.synth import motions, perform

IMAGES = Path("docs/images")
SIZE = (1280, 720)
STAGE_SIZE = (960, 540)  # of the page while it is filmed
FILM_SIZE = (720, 405)
EVERY = 6  # steps of the simulation between pictures
RATE = 60 / EVERY  # pictures a second
GREYS, VIVID = 72, 56  # colours of the film
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
# keys held and seconds; the page is driven with them while it plays
COURSE = (
    (("w",), 1.4),
    (("w", "d"), 1.0),
    (("Shift", "w"), 1.6),
    (("Shift", "a"), 1.2),
    ((), 0.8),
)
HANDS_UP = """(() => { const { own } = kinematch.vr.room, { roles } = own.skeleton;
  const pose = kinematch.vr.avatars.pose(own.user);
  const height = (role) => pose.positions[3 * roles[role] + 1];
  return Math.min(height("left_hand"), height("right_hand")) > height("chest"); })()"""
DROP = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })); }"""


@contextmanager
def server(folder: str, *given: str):
    """The built-in motion, or what is given, on a port of its own, with caches and workspace in a folder."""
    command = [sys.executable, "-m", "kinematch.cli.main", "play", *given, "--no-open", "--port", "8190"]
    environment = {**os.environ, "KINEMATCH_CACHE": folder, "KINEMATCH_SETTINGS": folder}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "play at" in line:
                yield line.split("play at ")[1].split(";")[0].strip()
                break
    finally:
        process.terminate()
        process.wait()


def until(page: Page, script: str) -> None:
    end = time.monotonic() + 120
    while not page.evaluate(script):
        assert time.monotonic() < end, script
        page.wait_for_timeout(30)


def drive(page: Page) -> tuple[int, int]:
    """Drive the course; the steps at which it began and ended."""
    page.wait_for_timeout(1500)
    begin = page.evaluate("kinematch.live.history.newest")
    for keys, seconds in COURSE:
        for key in keys:
            page.keyboard.down(key)
        page.wait_for_timeout(1000 * seconds)
        for key in keys:
            page.keyboard.up(key)
    page.evaluate("kinematch.live.connection.send({ type: 'pause' })")
    until(page, "!kinematch.live.playing")
    return begin, page.evaluate("kinematch.live.history.newest")


def picture(page: Page) -> Image.Image:
    return Image.open(BytesIO(page.screenshot(timeout=120_000))).convert("RGB")


def save_picture(page: Page, name: str, wait: float = 1500) -> None:
    page.wait_for_timeout(wait)
    shown = picture(page)
    palette = shown.quantize(256, method=Image.Quantize.FASTOCTREE)
    few = shown.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)  # the sky has no steps
    few.save(IMAGES / f"{name}.png", optimize=True)


def at_step(page: Page, step: int) -> None:
    """Show a step that was played, and let the camera follow as it would have."""
    page.evaluate(f"kinematch.timeline.scrub({step})")
    until(page, f"kinematch.live.moment.before.step === {step}")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def film(page: Page, begin: int, end: int) -> list[Image.Image]:
    """Play for most of it; then See why at the last jump, with the best other candidate as a ghost."""
    page.set_viewport_size({"width": STAGE_SIZE[0], "height": STAGE_SIZE[1]})
    page.keyboard.press("\\")  # the stage alone
    page.evaluate(
        "document.querySelector('.corner.bottom-right').style.display = 'none'"
    )  # times of a software renderer
    frames = []
    middle = begin + round(0.72 * (end - begin))
    for step in range(begin, end, EVERY):
        if step - middle in range(EVERY):
            page.evaluate("kinematch.open('why')")
        at_step(page, step)
        frames.append(picture(page))
    page.wait_for_timeout(1500)
    page.click(".candidate:nth-child(2)")
    page.wait_for_timeout(900)
    for _ in range(round(2.2 * RATE)):
        frames.append(picture(page))
        page.wait_for_timeout(20)
    return frames


def palette_of(frames: list[Image.Image]) -> Image.Image:
    """Colours for greys and for what is vivid apart, since the vivid is little but is what one looks at."""
    pixels = np.concatenate([np.asarray(frame).reshape(-1, 3) for frame in frames])
    vivid = np.ptp(pixels.astype(int), axis=1) > 48
    colours = []
    for chosen, count in ((pixels[~vivid], GREYS), (pixels[vivid], VIVID)):
        found = Image.fromarray(chosen[None]).quantize(count, dither=Image.Dither.NONE).getpalette() or []
        colours += found[: 3 * count]
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours)
    return palette


def save_film(frames: list[Image.Image], path: Path) -> None:
    """One palette for all, so that what stands still compresses to nothing."""
    small = [frame.resize(FILM_SIZE, Image.Resampling.LANCZOS) for frame in frames]
    palette = palette_of([*small[::12], small[-1]])
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in small]
    flat[0].save(path, save_all=True, append_images=flat[1:], duration=round(1000 / RATE), loop=0, optimize=True)


def steps(folder: str) -> str:
    """Some steps of the built-in walker as a BVH file's text."""
    clip = perform(next(motion for motion in motions() if motion.name == "walk_1.35"), seed=[0, 0]).clip
    write_clip(Path(folder) / "steps.bvh", clip.frames(120, 420))
    return (Path(folder) / "steps.bvh").read_text()


def workshop(page: Page, file: str) -> None:
    """Build with one dropped file, a stretch of it tagged; its features; then the database that plays."""
    page.evaluate("kinematch.open('build')")
    until(page, "!!document.querySelector('.invitation')")
    page.evaluate(DROP, ["steps.bvh", file])
    until(page, "!!document.querySelector('.clip-view .group') && !document.querySelector('.clip-dock').hidden")
    box = page.locator(".clip-dock canvas").first.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] - 12
    page.mouse.move(box["x"] + 0.25 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    page.mouse.up()
    page.fill(".clip-bar .tag-input", "steady")
    page.keyboard.press("Enter")
    until(page, "[...document.querySelectorAll('.tags .tag')].some((tag) => tag.textContent.startsWith('steady'))")
    page.mouse.move(300, 200)
    save_picture(page, "studio-build")
    page.click(".build-head .segments button:nth-child(3)")
    until(page, "document.querySelectorAll('.feature input[type=range]').length === 9")
    page.mouse.move(300, 200)
    save_picture(page, "studio-features")
    page.evaluate("kinematch.open('coverage')")
    until(page, "!!document.querySelector('.heat')")
    page.click("[data-cell='5,12']")
    until(page, "document.querySelectorAll('.stretches li').length > 0")
    page.mouse.move(300, 200)
    save_picture(page, "studio-coverage")
    page.evaluate("kinematch.open('clips')")
    until(page, "document.querySelectorAll('.clip-row').length > 3")
    page.fill(".search", "walk_turn")
    page.locator(".clip-row", has_text="walk_turn_left_180").first.click()
    page.mouse.move(300, 200)
    save_picture(page, "studio-clips")


@contextmanager
def opened(*given: str, panel: str = "play", colours: str = "light"):
    """The page of a server."""
    with tempfile.TemporaryDirectory() as folder, server(folder, *given) as url, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme=colours)
        page.add_init_script("localStorage.setItem('kinematch-tour', 'done')")
        page.goto(f"{url}/?quality=high#{panel}")
        until(page, "!!window.kinematch?.live.moment")
        yield page
        browser.close()


def side_by_side(files: list[str]) -> None:
    with opened(*files) as page:
        page.keyboard.down("w")
        page.wait_for_timeout(4000)
        save_picture(page, "studio-side-by-side")


def mirror() -> None:
    """What a simulated user sees, at a moment at which both hands are up."""
    with opened(panel="vr") as page:
        page.get_by_role("button", name="Gestures").click()
        until(page, "!!kinematch.vr.room.own")
        page.get_by_role("radio", name="First person").click()
        page.get_by_role("switch", name="Mirror").click()
        until(page, "!!kinematch.viewport.eye")
        until(page, HANDS_UP)
        save_picture(page, "studio-vr", wait=0)


def main(files: list[str]) -> None:
    IMAGES.mkdir(exist_ok=True)
    if files:
        return side_by_side(files)
    mirror()
    with opened(colours="dark") as page:
        begin, end = drive(page)
        save_film(film(page, begin, end), IMAGES / "studio.gif")
        page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
        page.evaluate("document.querySelector('.side > .body').scrollTop = 0")
        save_picture(page, "studio-why")
        page.evaluate("kinematch.open('tune')")
        save_picture(page, "studio-tune")
        with tempfile.TemporaryDirectory() as folder:
            workshop(page, steps(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
