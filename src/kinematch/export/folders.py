"""What `kinematch export --to web` and `--to native` write: a folder that runs the character without Python."""

import base64
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from kinematch.errors import KinematchError
from kinematch.export import format as at
from kinematch.export.ahead import make_code
from kinematch.export.link import FILES, find_host, find_linker, link_shared, name_library, write_static
from kinematch.export.targets import WEB
from kinematch.writing import check_folder, replacing, replacing_folder

HERE = Path(__file__).parent
PAGE = HERE.parent / "studio" / "static" / "character"  # what the build makes of client/character.html
DATA = "character.dat"
WEB_PAGES = ("kinematch.d.ts", "kinematch-three.js", "kinematch-three.d.ts", "README.md")
NATIVE_PAGES = ("kinematch.hpp", "Kinematch.cs", "kinematch_native.py", "README.md")
NAMES = {
    *("step.wasm", "kinematch.js", "package.json", "index.html", "assets", DATA, "libkinematch.a", "kinematch.h"),
    *WEB_PAGES, *NATIVE_PAGES, *FILES.values(),
}  # fmt: skip
LINKS = re.compile(r'<script[^>]* src="\./[^>]*></script>|<link[^>]* href="\./[^>]*>')  # of the page's own files
Say = Callable[[str], None]


def write_web(data: bytes, output: Path, say: Say = lambda text: None) -> dict[str, int]:
    """A folder for any static host, of what `write_download` made; the sizes of its files."""
    page = read_page()
    page["index.html"] = page.pop("character.html")
    files = {
        **page, "step.wasm": make_code(WEB, say), DATA: data, "kinematch.js": write_module(),
        "package.json": (HERE / "web" / "package.json").read_bytes(),
    } | {name: (HERE / "web" / name).read_bytes() for name in WEB_PAGES}  # fmt: skip
    return _write(files, output)


def write_page(data: bytes, output: Path, say: Say = lambda text: None) -> dict[str, int]:
    """One HTML file with everything in it, which opens from the disk; its size."""
    page = read_page()
    text = page["character.html"].decode()
    scripts = [content.decode() for name, content in page.items() if name.endswith(".js")]
    styles = [content.decode() for name, content in page.items() if name.endswith(".css")]
    held = {
        "step": base64.b64encode(make_code(WEB, say)).decode(),
        "data": base64.b64encode(data).decode(),
        "module": _guard(write_module().decode()),
    }
    text = LINKS.sub("", text).replace("</head>", f"<style>{''.join(styles)}</style></head>")
    inside = [f'<script type="text/plain" id="kinematch-{name}">{content}</script>' for name, content in held.items()]
    inside += [f'<script type="module">{_guard(script)}</script>' for script in scripts]
    before, after = text.split("</body>")
    content = (before + "".join(inside) + "</body>" + after).encode()
    with replacing(output) as beside:
        beside.write_bytes(content)
    return {output.name: len(content)}


def read_page() -> dict[str, bytes]:
    """The files of the built page."""
    page = {str(path.relative_to(PAGE)): path.read_bytes() for path in PAGE.rglob("*") if path.is_file()}
    if "character.html" not in page:
        raise KinematchError("the page is not built, so none can be exported: `pip install .` builds it")
    return page


def _guard(script: str) -> str:
    """A script element whose text cannot end it early."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def write_native(data: bytes, output: Path, target: str | None = None, say: Say = lambda text: None) -> dict[str, int]:
    """Libraries for a target, this machine's by default, with headers for C, C++, C# and Python."""
    target = target or find_host()
    find_linker(target)  # fail before a minute of compiling
    code = make_code(target, say)
    files = {
        name_library(target): link_shared(code, target), "libkinematch.a": write_static(code, target), DATA: data,
        "kinematch.h": write_header(),
    } | {name: (HERE / "native" / name).read_bytes() for name in NATIVE_PAGES}  # fmt: skip
    return _write(files, output)


def check_place(folder: Path) -> None:
    """Refuse a place that holds anything but an earlier export, before the work begins."""
    check_folder(folder, NAMES.__contains__)


def _write(files: Mapping[str, bytes], output: Path) -> dict[str, int]:
    with replacing_folder(output, NAMES.__contains__) as beside:
        for name, content in files.items():
            (beside / name).parent.mkdir(exist_ok=True)
            (beside / name).write_bytes(content)
    return {name: len(content) for name, content in files.items()}


def write_module() -> bytes:
    """kinematch.js with the texts of errors."""
    texts = json.dumps({str(code): text for code, text in at.ERRORS.items()}, indent=2)
    module = (HERE / "web" / "kinematch.js").read_text().replace("{/* ERRORS */}", texts)
    return f"{module}\n{(HERE / 'web' / 'expand.js').read_text()}".encode()


def write_header() -> bytes:
    """kinematch.h with the numbers of errors."""
    codes = {value: name for name, value in vars(at).items() if name.isupper() and isinstance(value, int)}
    lines = "\n".join(f"#define KINEMATCH_{codes[code]} ({code}) /* {text} */" for code, text in at.ERRORS.items())
    return (HERE / "native" / "kinematch.h").read_text().replace("/* ERRORS */", lines).encode()
