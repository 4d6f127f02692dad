"""Draws the README's pictures of commands: what a terminal shows, taken with Chromium from rich's own HTML.

Run `python docs/figures/terminal.py CMU_FOLDER` from the folder of the project, with a folder of BVH files of the CMU
library; it needs Chromium and Playwright.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO, StringIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

IMAGES = Path("docs/images").absolute()
COLUMNS = 108
MAX_LINES = 34
THEME = TerminalTheme(
    (24, 26, 31), (222, 226, 233),
    [(24, 26, 31), (232, 102, 98), (118, 196, 126), (226, 184, 92), (110, 164, 240), (190, 140, 230), (90, 195, 205),
     (222, 226, 233)],
)  # fmt: skip
PAGE = """<body style="margin:0;background:#181a1f"><pre id="screen" style="display:inline-block;margin:0;
padding:14px 18px;font:13px/1.35 'DejaVu Sans Mono',monospace;color:{foreground};background:{background}">{code}</pre>
<style>{stylesheet}</style></body>"""


def run(folder: Path, *arguments: str) -> str:
    """A command as it is typed, and what it prints, with colours."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "KINEMATCH_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "kinematch.cli.main", *arguments], cwd=folder, env=environment, capture_output=True,
        text=True,
    )  # fmt: skip
    return f"\x1b[32m$\x1b[0m \x1b[1mkinematch {' '.join(arguments)}\x1b[0m\n{done.stdout}"


def draw(text: str) -> Image.Image:
    """A picture of at most MAX_LINES of a terminal."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], "\x1b[2m...\x1b[0m"]
    console = Console(record=True, width=COLUMNS, file=StringIO(), highlight=False, markup=False)
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True)
    html = console.export_html(theme=THEME, code_format=PAGE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(device_scale_factor=2)
        page.set_content(html)
        picture = page.locator("#screen").screenshot()
        browser.close()
    return Image.open(BytesIO(picture)).convert("RGB").quantize(64)


def main() -> None:
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as made:
        folder, takes = Path(made), Path(made) / "my_takes"
        takes.mkdir()
        for path in sorted(source.glob("*.bvh")):
            shutil.copy(path, takes)
        shown = {
            "terminal-doctor": run(folder, "doctor", "my_takes/02_01.bvh"),
            "terminal-init": run(folder, "init", "my_takes"),
            "terminal-build": run(folder, "build", "my_takes/recipe.toml"),
            "terminal-evaluate": run(folder, "evaluate", "my_takes/my_takes.kinematch", "--quick"),
        }
        recipe = (takes / "recipe.toml").read_text().split("\n")
        shown["terminal-init"] += "\x1b[32m$\x1b[0m \x1b[1mcat my_takes/recipe.toml\x1b[0m\n" + "\n".join(recipe)
    for name, text in shown.items():
        draw(text).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
