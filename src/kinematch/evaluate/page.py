"""A page of HTML that needs nothing but itself: text is escaped, pictures stand in it as data."""

import base64
import html
import io
from collections.abc import Sequence

from PIL import Image

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #27313d; background: #fff; max-width: 1180px; margin: 2em auto;
  padding: 0 1em }
h1 { font-size: 1.7em } h2 { margin-top: 2em; border-bottom: 1px solid #dde2e8; padding-bottom: .2em }
table { border-collapse: collapse; font-size: 13px; margin: 1em 0 } th, td { padding: .25em .7em; text-align: right }
th { text-align: right; color: #5d6875; font-weight: 600; vertical-align: bottom }
th:first-child, td:first-child { text-align: left; white-space: nowrap } tr:nth-child(even) td { background: #f6f7f9 }
.met { color: #0b7d55; font-weight: 600 } .missed { color: #c03221; font-weight: 600 }
.ours { background: #eaf3ff !important }
.faint { color: #7d8896 } .pictures { display: flex; flex-wrap: wrap; gap: 8px } figure { margin: 0 }
img { max-width: 100% }
figcaption { font-size: 12px; color: #5d6875 } .wide { overflow-x: auto }
"""


def text(value: str) -> str:
    return html.escape(value)


def data_uri(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def still(picture: Image.Image) -> bytes:
    """A picture of few colours as a small PNG."""
    content = io.BytesIO()
    picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
    return content.getvalue()


def figure(content: bytes, kind: str, caption: str = "") -> str:
    below = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    return f'<figure><img alt="{text(caption)}" src="{data_uri(content, kind)}">{below}</figure>'


def drawn(picture: Image.Image, caption: str = "") -> str:
    return figure(still(picture), "image/png", caption)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, mark: int | None = None) -> str:
    """Cells are HTML already; `mark` is a column to stand out."""

    def cell(n: int, content: str) -> str:
        return f'<td class="ours">{content}</td>' if n == mark else f"<td>{content}</td>"

    top = "".join(f"<th>{name}</th>" for name in head)
    body = "".join(f"<tr>{''.join(cell(n, c) for n, c in enumerate(row))}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def page(title: str, parts: Sequence[str]) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n<h1>{text(title)}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )
