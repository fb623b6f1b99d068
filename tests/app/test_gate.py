import asyncio
import json
import logging
import re
import socket

import pytest
from explorers import STATE, Page, running, stand_in
from hypothesis import given, settings
from hypothesis import strategies as st

from altsets.app import gate
from altsets.app.gate import BODY, MOST_BYTES, MOST_LEVELS, Gate, Refused, parse
from altsets.app.messages import Ask, Download, Question
from altsets.app.server import ROUTES, Explorer
from altsets.errors import InputError

PORT = 4321
OWN = f"127.0.0.1:{PORT}"


class Browser:
    """Requests to a gate, without a server; the application behind it answers with the body that it got."""

    def __init__(self):
        self.gate = Gate(self.behind, PORT, ROUTES)
        self.passed = 0
        self.cookie = self.key = None

    async def behind(self, scope, receive, send):
        self.passed += 1
        body = json.dumps(scope.get(BODY)).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    @property
    def token(self):
        return self.gate.address.partition("token=")[2]

    def enter(self, **headers):
        status, got, body = self.send("GET", "/", f"token={self.token}", host=OWN, **headers)
        self.cookie = got["set-cookie"].partition(";")[0]
        self.key = re.search(r"#key=([\w-]{40,})", got.get("location") or body.decode())[1]
        return status, got, body

    def page(self, method="POST", path="/api/ask", query="", body=b"{}", **headers):
        """A request of the page itself, but for what is given; None leaves a header out."""
        own = {
            "host": OWN,
            "cookie": self.cookie,
            "altsets_key": self.key,
            "origin": f"http://{OWN}",
            "content_type": "application/json",
        }
        return self.send(method, path, query, body, **(own | headers))

    def send(self, method, path, query="", body=b"", receive=None, **headers):
        pairs = [
            (name.replace("_", "-").encode(), value.encode())
            for name, values in headers.items()
            for value in ([] if values is None else [values] if isinstance(values, str) else values)
        ]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": pairs,
        }
        parts = [body[start : start + 65536] for start in range(0, len(body), 65536)] or [b""]
        received = [
            {"type": "http.request", "body": part, "more_body": number < len(parts) - 1}
            for number, part in enumerate(parts)
        ]
        sent = []

        async def receive_all():
            return received.pop(0)

        async def take(message):
            sent.append(message)

        asyncio.run(self.gate(scope, receive or receive_all, take))
        start, content = sent
        return (
            start["status"],
            {name.decode(): value.decode() for name, value in start["headers"]},
            content["body"],
        )


@pytest.fixture
def browser():
    browser = Browser()
    browser.enter()
    return browser


# --- The token and the cookie -------------------------------------------------------------------------


def test_the_token_becomes_a_cookie_once():
    browser = Browser()
    token = browser.token
    status, headers, body = browser.enter()
    assert (status, headers["location"], body) == (303, f"/#key={browser.key}", b"")
    name, *attributes = headers["set-cookie"].split("; ")
    assert name.startswith(f"altsets-{PORT}=")
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert token not in str(headers)
    status, headers, _ = browser.send("GET", "/", f"token={token}", host=OWN)
    assert status == 403
    assert "set-cookie" not in headers


def test_an_old_address_leads_whoever_has_the_cookie_to_the_page(browser):
    for query in (f"token={browser.token}", "token=nonsense"):
        status, headers, _ = browser.send("GET", "/", query, host=OWN, cookie=browser.cookie)
        assert (status, headers["location"]) == (303, "/")
        assert "set-cookie" not in headers


def test_from_another_site_the_page_goes_on_by_itself():
    # Browsers keep a strict cookie back from a redirection that another site began.
    browser = Browser()
    status, headers, body = browser.enter(sec_fetch_site="cross-site")
    assert status == 200
    assert "location" not in headers
    assert f'url=/#key={browser.key}"'.encode() in body
    assert browser.token.encode() not in body
    assert browser.page("GET", "/", origin=None)[0] == 200


@pytest.mark.parametrize("query", ["token=", "token", "x=1", "token=%00", "token=a&token=b", "="])
def test_other_tokens_do_not_open(query):
    browser = Browser()
    status, headers, body = browser.send("GET", "/", query, host=OWN)
    assert status == 403
    assert "set-cookie" not in headers
    assert browser.token.encode() not in body
    # A wrong token does not use up the right one.
    assert browser.enter()[0] == 303


@pytest.mark.parametrize("path", [*ROUTES, "/nothing"])
@pytest.mark.parametrize(
    "cookie", [None, "", f"altsets-{PORT}=", f"altsets-{PORT}=nonsense", "altsets-1=x", "twice", "token"]
)
def test_nothing_without_the_cookie(path, cookie):
    browser = Browser()
    token = browser.token
    browser.enter()
    if cookie == "twice":
        cookie = f"{browser.cookie}; altsets-{PORT}=other"
    elif cookie == "token":
        cookie = f"altsets-{PORT}={token}"
    for method in ("GET", "POST", "OPTIONS"):
        assert browser.page(method, path, cookie=cookie)[0] == 403
    assert browser.passed == 0


@pytest.mark.parametrize("key", [None, "", "nonsense", "cookie", "twice"])
def test_the_cookie_alone_asks_nothing(browser, key):
    """Browsers send it to every server on this machine, whatever its port."""
    if key == "cookie":
        key = browser.cookie.partition("=")[2]
    elif key == "twice":
        key = [browser.key, browser.key]
    for path, method in ROUTES.items():
        if method == "POST":
            assert browser.page(path=path, altsets_key=key)[0] == 403
    assert browser.passed == 0


def test_the_cookie_alone_gets_no_key(browser):
    replies = [
        browser.page("GET", "/", altsets_key=None),
        browser.page("GET", "/", f"token={browser.token}", altsets_key=None),
        browser.page("GET", "/", "token=x", altsets_key=None, sec_fetch_site="cross-site"),
        browser.page(altsets_key=None),
    ]
    for _, headers, body in replies:
        assert browser.key not in str(headers)
        assert browser.key.encode() not in body


def test_other_cookies_do_not_matter(browser):
    assert browser.page(cookie=f"theme=dark; {browser.cookie};x")[0] == 200


def test_tokens_and_cookies_are_random():
    browsers = [Browser() for _ in range(50)]
    for browser in browsers:
        browser.enter()
        assert len(browser.token) >= 40
        assert browser.token not in browser.cookie
        assert browser.key not in (browser.token, browser.cookie.partition("=")[2])
    assert (
        len({secret for browser in browsers for secret in (browser.token, browser.cookie, browser.key)})
        == 150
    )


# --- Who asks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "localhost",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil.example:{PORT}",
        f"127.0.0.2:{PORT}",
        f"LOCALHOST.:{PORT}",
        f"[::1]:{PORT}",
        f"{OWN}, evil.example",
        "",
        None,
        [OWN, "evil.example"],
        [OWN, OWN],
    ],
)
def test_other_hosts_are_refused(browser, host):
    # A page whose name was made to point at this machine (DNS rebinding) has its own name as Host.
    origin = f"http://{host}" if isinstance(host, str) else f"http://{OWN}"
    for method, path in (("GET", "/"), ("POST", "/api/ask")):
        status, _, body = browser.page(method, path, host=host, origin=origin)
        assert status == 403
        assert b"printed" in body
    # Not even the token helps.
    fresh = Browser()
    status, headers, _ = fresh.send("GET", "/", f"token={fresh.token}", host=host)
    assert (status, "set-cookie" in headers) == (403, False)
    assert browser.passed == 0


def test_localhost_is_this_server(browser):
    host = f"localhost:{PORT}"
    assert browser.page(host=host, origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "",
        "http://evil.example",
        f"https://{OWN}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{PORT + 1}",
        f"http://{OWN}/",
        f"http://{OWN}.evil.example",
        f"http://localhost:{PORT}",
        [f"http://{OWN}", "http://evil.example"],
        [f"http://{OWN}", f"http://{OWN}"],
    ],
)
def test_writes_from_other_pages_are_refused(browser, origin):
    for path, method in ROUTES.items():
        if method == "POST":
            assert browser.page(path=path, origin=origin)[0] == 403
    assert browser.passed == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_writes_that_the_browser_calls_foreign_are_refused(browser, site):
    assert browser.page(sec_fetch_site=site)[0] == 403
    assert browser.page(sec_fetch_site="same-origin")[0] == 200


def test_the_page_is_not_given_to_other_pages(browser):
    assert browser.page("GET", "/", origin="http://evil.example")[0] == 403
    assert browser.page("GET", "/", origin=None)[0] == 200


# --- What is asked ------------------------------------------------------------------------------------

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "X"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", ROUTES)
def test_every_route_by_every_method(browser, method, path):
    status, headers, _ = browser.page(method, path)
    if method == ROUTES[path]:
        assert status == 200
    else:
        assert (status, headers["allow"]) == (405, ROUTES[path])
    assert browser.passed == (method == ROUTES[path])


@pytest.mark.parametrize(
    "path",
    [
        "",
        "//",
        "/api",
        "/api/",
        "/api/ask/",
        "/api/%61sk",
        "/../etc/passwd",
        "/api/ask/../wait",
        "/API/ASK",
        "/favicon.ico",
        "http://evil.example/",
        "*",
        "/docs",
        "/openapi.json",
        "/static/x",
    ],
)
def test_there_are_no_other_paths(browser, path):
    for method in ("GET", "POST"):
        assert browser.page(method, path)[0] == 404
    assert browser.passed == 0


def test_no_queries(browser):
    assert browser.page(query="x=1")[0] == 404
    assert browser.passed == 0


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "application/json; charset=utf-16",
        "text/json",
        ["application/json", "text/plain"],
    ],
)
def test_json_only(browser, kind):
    assert browser.page(content_type=kind)[0] == 415
    assert browser.passed == 0
    assert browser.page(content_type="application/json; charset=UTF-8")[0] == 200
    assert browser.page(content_encoding="gzip")[0] == 415


@pytest.mark.parametrize("declared", [True, False])
def test_long_bodies_are_refused(browser, declared):
    body = json.dumps(["x" * MOST_BYTES]).encode()
    more = {"content_length": str(len(body))} if declared else {}
    assert browser.page(body=body, **more)[0] == 413
    assert browser.page(content_length="9" * 5000)[0] == 413
    assert browser.passed == 0
    assert browser.page(body=body[10:-2].join([b'["', b'"]']))[0] == 200


def test_slow_bodies_are_refused(browser, monkeypatch):
    monkeypatch.setattr(gate, "MOST_SECONDS", 0.01)

    async def never():
        await asyncio.sleep(60)

    assert browser.page(receive=never)[0] == 408
    assert browser.passed == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b"{} {}",
        b"\xff",
        b'{"a": NaN}',
        b"[Infinity]",
        b"[-Infinity]",
        b"[1e999]",
        b'["\\ud800"]',
        b'{"a": 1, "a": 2}',
        b"[" * 100_000,
        b"[" * (MOST_LEVELS + 1) + b"]" * (MOST_LEVELS + 1),
        b"9" * 10_000,
        b'{"a":' * 9 + b"1" + b"}" * 9,
        b"\xef\xbb\xbf{}",
        b"'a'",
        b"{a: 1}",
        b"\x00",
    ],
)
def test_what_is_no_plain_json_is_refused(browser, body, snapshot):
    status, _, said = browser.page(body=body)
    assert status == 400
    assert json.loads(said)["error"] == snapshot
    assert browser.passed == 0


def test_brackets_in_strings_are_no_levels(browser):
    body = json.dumps({"a": "[" * 50, '"\\"[[[[[[[[[[[': ["\\", "{" * 50]}).encode()
    assert json.loads(browser.page(body=body)[2]) == json.loads(body)


def test_every_response_has_the_headers(browser, snapshot):
    replies = [
        browser.page(),
        browser.page("GET", "/"),
        browser.page("GET", "/nothing"),
        browser.page(host="evil.example"),
        browser.page(body=b"{"),
        Browser().enter(),
    ]
    for _, headers, _ in replies:
        policy = headers["content-security-policy"]
        assert policy == snapshot
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert not any(name.startswith("access-control") for name in headers)


def test_no_websockets():
    sent = []

    async def take(message):
        sent.append(message)

    browser = Browser()
    asyncio.run(browser.gate({"type": "websocket", "path": "/", "headers": []}, None, take))
    assert [message["type"] for message in sent] == ["websocket.close"]
    assert browser.passed == 0


# --- Fuzzed -------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
#: Messages that are nearly right: every field may be missing or hold anything.
FIELDS = {
    "client": st.just("page") | VALUES,
    "number": st.just(1) | VALUES,
    "verb": st.just("answer") | VALUES,
    "state": st.none()
    | st.fixed_dictionaries({}, optional={name: st.just(value) | VALUES for name, value in STATE.items()}),
    "with": st.just({}) | st.dictionaries(st.sampled_from(["feature", "other", "scores_of", "x"]), VALUES),
    "kind": st.just("csv") | VALUES,
}
MESSAGES = st.fixed_dictionaries({}, optional=FIELDS) | VALUES


def outcome(function, given):
    """What a function returns, or the refusal."""
    try:
        return function(given)
    except Refused as refused:
        return refused


@settings(max_examples=40, deadline=None)
@given(body=st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_parsed_or_refused(body):
    value = outcome(parse, body)
    if isinstance(value, Refused):
        assert value.status == 400
    else:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@settings(max_examples=40, deadline=None)
@given(MESSAGES)
def test_any_message_is_understood_or_refused(message):
    for kind in (Ask, Question, Download):
        made = outcome(kind.of, message)
        if isinstance(made, Refused):
            assert made.status == 400
            assert str(made).endswith(".")
        else:
            assert made.client == message["client"]
            assert type(message["client"]) is str


SETTING = "a number, a name or a similarity such as 0.9:pearson"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"quality": "os.system"}, f"The state: quality must be {SETTING}."),
        ({"quality": "../x"}, f"The state: quality must be {SETTING}."),
        ({"n_features": True}, f"The state: n_features must be {SETTING}."),
        ({"n_features": 1e300}, f"The state: n_features must be {SETTING}."),
        ({"tau": [0.5]}, f"The state: tau must be {SETTING}."),
        ({"within": "5 %"}, f"The state: within must be {SETTING}."),
        ({"distinct": "/etc/passwd"}, f"The state: distinct must be {SETTING}."),
        ({"require": "a"}, "The state: require must be a list of names."),
        ({"pinned": ["a"]}, "The state: pinned must be a list of lists of names."),
        ({"groups": "file.csv"}, "The state has unknown fields: 'groups'."),
    ],
)
def test_states_are_plain_data(changed, said, snapshot):
    message = {"client": "page", "number": 1, "verb": "answer", "state": STATE | changed, "with": {}}
    with pytest.raises(Refused) as refused:
        Ask.of(message)
    assert str(refused.value) == said
    message["state"] = STATE
    assert Ask.of(message).state == STATE
    with pytest.raises(Refused, match="compare"):
        Ask.of(message | {"verb": "__class__"})
    with pytest.raises(Refused) as refused:
        Ask.of(message | {"with": {"path": "x"}})
    assert str(refused.value) == snapshot


# --- Over the network ---------------------------------------------------------------------------------


def test_the_server_listens_on_loopback_only(monkeypatch):
    bound = []

    def bind(_, address):
        bound.append(address)
        raise OSError("enough is known")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InputError):
        Explorer(stand_in, PORT)
    assert bound == [("127.0.0.1", PORT)]


def test_the_server_keeps_the_token_to_itself(caplog, capfd):
    with caplog.at_level(logging.DEBUG), running() as explorer:
        token = explorer.address.partition("token=")[2]
        page = Page(explorer)
        replies = [page.send("GET", "/", page.headers(Origin=None))]
        assert replies[0][0] == 200
        replies += [
            page.send("GET", f"/?token={token}", {"Host": f"127.0.0.1:{page.port}"}),
            page.send("GET", "/", page.headers(Host="evil.example", Origin=None)),
            page.send("POST", "/api/ask", page.headers(Origin="http://evil.example"), b"{}"),
            page.send("POST", "/api/ask", page.headers(), b"[" * 2_000_000),
            page.send("GET", "/", page.headers(Origin=None, Upgrade="websocket", Connection="Upgrade")),
        ]
        assert [status for status, _, _ in replies[1:5]] == [403, 403, 403, 413]
        assert replies[5][0] != 101
        for _, headers, body in replies:
            assert token not in str(headers)
            assert token.encode() not in body
            assert "Server" not in headers
    said = capfd.readouterr()
    assert token not in caplog.text + said.out + said.err
