"""Build the documentation as a site with a search: python docs/make_site.py [FOLDER].

The pages are those of the repository as they are. Files that they link to, examples for one, become pages too.
The first page has the built-in character to steer, exported as the site is built; `--without-character` leaves it out.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {".py": "python", ".toml": "toml", ".mjs": "javascript", ".cpp": "cpp", ".yml": "yaml", ".xml": "xml"}
PICTURES = (".png", ".gif")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FRAME = """\
<iframe src="character/index.html" title="A character to steer" allow="gamepad; fullscreen"
 style="width: 100%; height: min(72vh, 620px); border: 0; border-radius: 8px"></iframe>

Click it, then W A S D or the arrows walk and Shift runs; a gamepad or a finger on the stick does too. It runs in this
page, <a href="character/index.html">or in a window of its own</a>: [how](docs/export.md).

"""
SETTINGS = """\
[project]
site_name = "Kinematch"
site_description = "Motion matching in Python"
docs_dir = "pages"
site_dir = "site"
nav = [
{nav}
]

[project.theme]
font = false
features = ["content.code.copy", "navigation.top", "navigation.tracking", "navigation.footer", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"

[project.markdown_extensions]
attr_list = {{}}
tables = {{}}
toc = {{ permalink = true, slugify = {{ object = "pymdownx.slugs.slugify", kwds = {{ case = "lower" }} }} }}
"pymdownx.highlight" = {{ pygments_lang_class = true }}
"pymdownx.superfences" = {{}}
"""


def list_pages() -> list[Path]:
    """Every page of the repository: the front page, those that it names in its order, then the others."""
    front = ROOT / "README.md"
    named = [front.parent / target.split("#")[0] for target in find_links(front)]
    others = sorted((ROOT / "docs").glob("*.md")) + [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    return [page for page in dict.fromkeys([front, *named, *others]) if page.suffix == ".md" and page.is_file()]


def find_links(page: Path) -> list[str]:
    """Targets of links within the repository, pictures among them, as they are written."""
    found = [match[2] for match in LINK.finditer(FENCE.sub("", page.read_text(encoding="utf-8")))]
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def find_anchors(page: Path) -> set[str]:
    """What links to headings of a page end with."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {make_anchor(heading) for heading in headings}


def make_anchor(heading: str) -> str:
    """As sites that host repositories make them, and as pymdownx does."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def name_page(path: Path) -> str:
    """Where the page of a file or folder of the repository stands in the site."""
    inside = path.relative_to(ROOT)
    if inside.as_posix() == "README.md":
        return "index.md"
    if inside.suffix == ".md":
        return inside.name.lower()
    if inside.parts[0] == "docs" and inside.suffix in PICTURES:
        return inside.relative_to("docs").as_posix()
    return f"files/{inside.as_posix()}.md"


def collect_pages(folder: Path, frame: str = "") -> list[str]:
    """Write all pages of the site and what they show into a folder; their names, those of the navigation.

    `frame` stands in front of the first picture of the front page.
    """
    pages, waiting = list_pages(), []
    for page in pages:

        def lead(link: re.Match[str], page: Path = page) -> str:
            target, _, anchor = link[2].partition("#")
            if not target or re.match(r"[a-z]+:", link[2]):
                return link[0]
            path = (page.parent / target).resolve()
            waiting.append(path)
            return f"{link[1]}{name_page(path)}{'#' * bool(anchor)}{anchor}{link[3]}"

        text = page.read_text(encoding="utf-8")
        if page == ROOT / "README.md":
            text = text.replace("![", f"{frame}![", 1)
        fences = FENCE.findall(text)
        parts = [LINK.sub(lead, part) for part in FENCE.split(text)]
        whole = "".join(part + fence for part, fence in zip(parts, [*fences, ""], strict=True))
        (folder / name_page(page)).write_text(whole, encoding="utf-8")
    for path in dict.fromkeys(waiting):
        if path not in pages:
            place = folder / name_page(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in PICTURES:
                shutil.copyfile(path, place)
            else:
                place.write_text(show_file(path), encoding="utf-8")
    return [name_page(page) for page in pages]


def show_file(path: Path) -> str:
    """The page of a file that pages link to: its text; of a folder: all files of it."""
    title = path.relative_to(ROOT).as_posix()
    files = [path] if path.is_file() else sorted(one for one in path.iterdir() if one.suffix in LANGUAGES)
    blocks = [
        f"## {one.name}\n\n````{LANGUAGES.get(one.suffix, 'text')}\n{one.read_text(encoding='utf-8')}````\n"
        for one in files
    ]
    return f"# {title}\n\n" + "\n".join(blocks)


def export_character(folder: Path) -> None:
    """The built-in character as a page."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "kinematch", "export", "built-in", "-o", str(folder), "--to", "web"]
    subprocess.run(command, check=True)


def build_site(site: Path, frame: str = "") -> None:
    """Build the site into a folder."""
    with tempfile.TemporaryDirectory() as place:
        pages = Path(place) / "pages"
        pages.mkdir()
        nav = ",\n".join(f'  "{name}"' for name in collect_pages(pages, frame))
        settings = Path(place) / "zensical.toml"
        settings.write_text(SETTINGS.format(nav=nav), encoding="utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(settings)]
        subprocess.run(command, check=True, cwd=place)
        shutil.copytree(Path(place) / "site", site, dirs_exist_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "out" / "site", help="a folder to build into")
    parser.add_argument("--without-character", action="store_true", help="a front page without a character to steer")
    given = parser.parse_args()
    build_site(given.site, "" if given.without_character else FRAME)
    if not given.without_character:
        export_character(given.site / "character")
    print(f"built; look at it with: {sys.executable} -m http.server --bind 127.0.0.1 --directory {given.site}")
