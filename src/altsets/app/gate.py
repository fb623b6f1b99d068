"""The outermost layer of the server: it refuses every request that does not come from the page of this explorer.

Any web page can make a browser send requests to a server on loopback. So nothing passes unless all of this holds: the
Host is an address of this server with its port, which a page from elsewhere cannot have even if it lets its name point
here (DNS rebinding); the Origin of a write is that address; the request has the cookie that only the one-time token of
the printed address gives, and a write also the key that comes with it; path, method and kind of content are on the
list. Bodies are JSON, read here with limits on size and depth, so that no route sees anything else.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from itertools import accumulate
from typing import Any

from altsets.documents import document_in

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: The most bytes of a body, levels of nesting, and seconds until it is there.
MOST_BYTES, MOST_LEVELS, MOST_SECONDS = 1_000_000, 8, 10.0
#: Where a route finds the body.
BODY = "altsets.body"

#: On every response; the policy of the page itself, which has hashes, comes from its route.
HEADERS = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}

#: What a browser shows where the cookie is missing.
NO_ENTRY = (
    "The address that altsets explore printed opens the page once, in one browser; end the command and start it again "
    "for a new address."
)
#: Goes on to the page by a navigation of its own: a browser keeps a strict cookie back from a redirection that began on
#: another site, such as a terminal in the browser.
GO_ON = '<!doctype html><meta http-equiv="refresh" content="0; url={}"><title>altsets</title>'
#: The header in which the page sends its key.
KEY = b"altsets-key"


class Refused(Exception):
    """A request that does not pass: the status and a sentence."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, headers


class Gate:
    """An ASGI application that lets requests of its own page through to another one.

    ``routes`` are the paths with their methods. The token is valid for one request, and is never in a response.
    """

    def __init__(self, app: App, port: int, routes: Mapping[str, str]) -> None:
        self._app, self._routes = app, {path.encode(): method for path, method in routes.items()}
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self._token: str | None = secrets.token_urlsafe(32)
        # Browsers send cookies to all ports of a host: with the port in the name, two explorers do not get in each
        # other's way.
        self._cookie_name, self._cookie = f"altsets-{port}", secrets.token_urlsafe(32)
        # So another server on this machine may see the cookie. The key goes into the storage of the page, which no
        # other port can read.
        self._key = secrets.token_urlsafe(32)
        self.address = f"http://127.0.0.1:{port}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send))
        else:
            # WebSockets are not asked for their origin by browsers; the page needs none.
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = _Headers(scope)
            self._check_host(headers)
            if scope["method"] == "GET" and scope["query_string"] and _path(scope) == b"/":
                await self._enter(scope["query_string"], headers, send)
                return
            self._check_sender(headers)
            self._check_route(scope)
            if scope["method"] == "POST":
                self._check_write(headers)
                scope[BODY] = await _read(receive, headers)
        except Refused as refused:
            await _respond(send, refused.status, str(refused), refused.headers)
            return
        await self._app(scope, receive, send)

    def _check_host(self, headers: _Headers) -> None:
        if headers.one(b"host") not in self._hosts:
            raise Refused(
                403,
                "This server answers at the address that altsets explore printed, with that port, and at no other.",
            )

    async def _enter(self, query: bytes, headers: _Headers, send: Send) -> None:
        """Exchange the token for cookie and key, once; whoever has the cookie already only goes on."""
        given = query.removeprefix(b"token=")
        valid = self._token is not None and secrets.compare_digest(given, self._token.encode())
        if not valid and not self._has_cookie(headers):
            raise Refused(403, NO_ENTRY)
        target, more = "/", {}
        if valid:
            self._token = None
            # Behind #, it is sent to no server.
            target = f"/#key={self._key}"
            more["Set-Cookie"] = f"{self._cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"
        if headers.one(b"sec-fetch-site") == b"cross-site":
            page = GO_ON.format(target).encode()
            await _respond(send, 200, page, more | {"Content-Type": "text/html; charset=utf-8"})
        else:
            await _respond(send, 303, b"", more | {"Location": target})

    def _has_cookie(self, headers: _Headers) -> bool:
        name = self._cookie_name.encode()
        pairs = (pair.strip().partition(b"=") for line in headers.all(b"cookie") for pair in line.split(b";"))
        values = [value for key, _, value in pairs if key == name]
        return len(values) == 1 and secrets.compare_digest(values[0], self._cookie.encode())

    def _check_sender(self, headers: _Headers) -> None:
        if not self._has_cookie(headers):
            raise Refused(403, NO_ENTRY)
        # The address of the request itself, which has been checked: a page at localhost has another cookie.
        if headers.all(b"origin") not in ([], [b"http://" + (headers.one(b"host") or b"")]):
            raise Refused(403, "This request comes from another page.")

    def _check_route(self, scope: Scope) -> None:
        method = self._routes.get(_path(scope))
        if method is None or scope["query_string"]:
            raise Refused(404, "There is nothing at this address.")
        if scope["method"] != method:
            raise Refused(405, f"This address takes {method} only.", Allow=method)

    def _check_write(self, headers: _Headers) -> None:
        if not secrets.compare_digest(headers.one(KEY) or b"", self._key.encode()):
            raise Refused(403, NO_ENTRY)
        if not headers.all(b"origin"):
            raise Refused(403, "This request does not say which page it comes from.")
        if headers.one(b"sec-fetch-site") not in (None, b"same-origin"):
            raise Refused(403, "This request comes from another page.")
        kind = (headers.one(b"content-type") or b"").replace(b" ", b"").lower()
        if kind not in (b"application/json", b"application/json;charset=utf-8"):
            raise Refused(415, "This address takes JSON only (Content-Type: application/json).")
        if headers.all(b"content-encoding"):
            raise Refused(415, "This address takes JSON that is not compressed.")


class _Headers:
    """The headers of a request."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: list[tuple[bytes, bytes]] = [(name.lower(), value) for name, value in scope["headers"]]

    def all(self, name: bytes) -> list[bytes]:
        """All values of a header."""
        return [value for key, value in self._pairs if key == name]

    def one(self, name: bytes) -> bytes | None:
        """The value of a header that is there once; None if it is missing, or there more than once."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None


def _path(scope: Scope) -> bytes:
    """The path as it was sent: %61 for "a" is another path, which no page of ours asks for."""
    raw = scope.get("raw_path")
    return raw if isinstance(raw, bytes) else str(scope["path"]).encode()


# --- Bodies -----------------------------------------------------------------------------------------------


async def _read(receive: Receive, headers: _Headers) -> Any:
    """The JSON value in the body of a request."""
    too_large = Refused(413, f"The request is longer than {MOST_BYTES:,} bytes.")
    declared = headers.one(b"content-length") or b""
    if declared.isdigit() and (len(declared) > 18 or int(declared) > MOST_BYTES):
        raise too_large
    parts, length, more = [], 0, True
    try:
        async with asyncio.timeout(MOST_SECONDS):
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400, "The request ended too early.")
                parts.append(message.get("body", b""))
                length, more = length + len(parts[-1]), message.get("more_body", False)
                if length > MOST_BYTES:
                    raise too_large
    except TimeoutError:
        raise Refused(408, f"The request was not there after {MOST_SECONDS:g} s.") from None
    return parse(b"".join(parts))


def parse(body: bytes) -> Any:
    """The value of a JSON text: finite numbers, no key twice, characters that UTF-8 has, and few levels."""
    try:
        text = body.decode("utf-8")
        # Counted before the text is parsed.
        signs = re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*+"', "", text, flags=re.DOTALL))
        levels = max(accumulate((1 if sign in "[{" else -1 for sign in signs), initial=0))
        # Files may begin with a byte-order mark, requests may not.
        if levels > MOST_LEVELS or text.startswith("\ufeff"):
            raise ValueError
        value = document_in(text)
        # Escapes can make half a character, which could not be sent on.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except ValueError:
        raise Refused(
            400, f"The request is no JSON text in UTF-8 with at most {MOST_LEVELS} levels."
        ) from None
    return value


# --- Responses --------------------------------------------------------------------------------------------


async def _respond(send: Send, status: int, said: str | bytes, headers: Mapping[str, str]) -> None:
    """Send a whole response; a sentence becomes JSON, which a browser shows as well."""
    body = said if isinstance(said, bytes) else json.dumps({"error": said}).encode()
    kind = {} if isinstance(said, bytes) else {"Content-Type": "application/json"}
    sent = {**kind, **headers, "Content-Length": str(len(body))}
    pairs = [(name.lower().encode(), value.encode()) for name, value in sent.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send) -> Send:
    """Responses get the headers that every one has, where it does not have its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            names = {name.lower() for name, _ in given}
            message["headers"] = given + [
                (name, value) for name, value in HEADERS.items() if name not in names
            ]
        await send(message)

    return sending
