"""Access keys: what a browser or program shows to be let in: in the address, in a header, or the cookie for it."""

import hmac
import secrets
from urllib.parse import urlsplit

from kinematch.access.asgi import Application, Receive, Scope, Send

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 letters and digits that are not mistaken for one another
KEY_LETTERS = 20  # of 5 bits each
HEADER = b"x-kinematch-key"
PARAMETER = b"key"
MISSING = "this server needs the key that `kinematch` printed when it started: add ?key=KEY to the address"
KEY_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Kinematch Studio</title>
<meta name="viewport" content="width=device-width">{refresh}
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:12vh auto;padding:0 1em}}
input,button{{font:inherit;padding:.4em}}</style>
<h1>This studio needs a key</h1>
<p>{problem}It stands after <code>key=</code> in the address that <code>kinematch play</code> printed.</p>
<form><label>Key <input name="key" required autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<button>Enter</button></form>
"""


class AccessKey:
    """The key of one run of a server."""

    def __init__(self, *, is_required: bool = True):
        """Where it is not required, as on loopback, it is exchanged all the same, and requests without it pass."""
        self.text = "".join(secrets.choice(ALPHABET) for _ in range(KEY_LETTERS))
        self.is_required = is_required
        self._session = secrets.token_urlsafe(32)  # the cookie's value, from which the key cannot be derived

    def add_to(self, address: str) -> str:
        """The address with the key as its query."""
        parts = urlsplit(address)
        return parts._replace(path=parts.path or "/", query=f"key={self.text}").geturl()

    def find_answer(self, scope: Scope, headers: dict[bytes, str]) -> Application | None:
        """None for a request that may pass; else what it is answered: a redirect, a page that asks, or a refusal.

        The key is taken out of the scope's query, so that no log of addresses has it.
        """
        parts = [part for part in scope.get("query_string", b"").split(b"&") if part]
        given = [part for part in parts if part.partition(b"=")[0] == PARAMETER]
        scope["query_string"] = b"&".join(part for part in parts if part not in given)
        has_key = any(_is_same(part.partition(b"=")[2], self.text) for part in given)
        is_page = scope["type"] == "http" and not scope["path"].startswith("/api")
        if has_key and is_page and "text/html" in headers.get(b"accept", ""):
            return self._exchange
        if has_key or not self.is_required or _is_same(headers.get(HEADER, "").encode("latin-1"), self.text):
            return None
        if any(_is_same(value.encode("latin-1"), self._session) for value in _find_cookies(scope, headers)):
            return None
        if not is_page:
            return _refuse
        # a Strict cookie does not come along when another site led here; asked from this page, it does
        comes_from_link = headers.get(b"sec-fetch-site") == "cross-site" and not given
        problem = "That is not the key. " if given else ""
        refresh = '<meta http-equiv="refresh" content="0">' if comes_from_link else ""
        return _make_page(KEY_PAGE.format(problem=problem, refresh=refresh))

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import Response

        # one slash: two, or a backslash, would lead to another host
        place = b"/" + (scope.get("raw_path") or scope["path"].encode()).lstrip(b"/\\")
        place += b"?" + scope["query_string"] if scope["query_string"] else b""
        response = Response(status_code=303, headers={"location": place.decode("latin-1"), "cache-control": "no-store"})
        response.set_cookie(
            _name_cookie(scope), self._session, path="/", httponly=True, samesite="strict",
            secure=scope.get("scheme") == "https",
        )  # fmt: skip
        await response(scope, receive, send)


def _is_same(given: bytes, expected: str) -> bool:
    return hmac.compare_digest(given, expected.encode())  # takes as long wherever they differ


def _name_cookie(scope: Scope) -> str:
    """Browsers send cookies to all ports of a host: two servers must not overwrite each other's."""
    return f"kinematch-{(scope.get('server') or ('', 0))[1]}"


def _find_cookies(scope: Scope, headers: dict[bytes, str]) -> list[str]:
    pairs = [one.strip().partition("=") for one in headers.get(b"cookie", "").split(";")]
    return [value for name, _, value in pairs if name == _name_cookie(scope)]


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    from starlette.responses import JSONResponse

    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": "no key"})
        return
    await JSONResponse({"message": MISSING}, status_code=401)(scope, receive, send)


def _make_page(text: str) -> Application:
    from starlette.responses import HTMLResponse

    return HTMLResponse(text, status_code=401, headers={"cache-control": "no-store"})
