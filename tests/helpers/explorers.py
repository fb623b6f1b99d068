"""Explorers for tests: a stand-in for the engine, servers that end with the test, and clients over real sockets."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import contextmanager
from contextvars import copy_context

from altsets.app.server import Explorer
from altsets.errors import InputError

#: Seconds after which something will never come; machines that do much else are slow.
HANGING = 120.0
STATE = {
    "quality": "mutual_info",
    "n_features": 5,
    "n_alternatives": 3,
    "tau": 0.5,
    "search": "sequential",
    "aggregation": "sum",
    "distinct": None,
    "require": [],
    "forbid": [],
    "pinned": [],
    "rejected": [],
}


#: Lets those go on that are deaf.
RELEASED = threading.Event()


def stand_in():
    """An engine that does what the required features of a state say, and answers with the forbidden ones."""
    return _run


def unprepared():
    """An engine whose table cannot be scored."""

    def engine(ask, tell, stopped):
        raise InputError("the target has one value only.")

    return engine


def _run(ask, tell, stopped):
    if ask.verb == "prepare":
        return {"state": {"quality": "mutual_info"}, "view": None}
    state = ask.state or {"require": [], "forbid": []}
    orders, view = state["require"], {"words": state["forbid"]}
    if "error" in orders:
        raise InputError("there is no feature 'error'.")
    if "defect" in orders:
        raise RuntimeError("a defect")
    if "slow" in orders or "deaf" in orders:
        tell({"state": state, "view": view | {"best": "so far"}})
        if "deaf" in orders:
            RELEASED.wait()
        while not stopped():
            time.sleep(0.01)
        view["best"] = "kept"
    if ask.verb == "download":
        return {"text": json.dumps([ask.more["kind"], view["words"]])}
    return {"state": state, "view": view}


@contextmanager
def running(open_engine=stand_in, **options):
    """An explorer in a thread of this process."""
    explorer = Explorer(open_engine, **options)
    thread = threading.Thread(target=copy_context().run, args=[explorer.run], daemon=True)
    thread.start()
    try:
        yield explorer
    finally:
        while thread.is_alive():
            explorer.stop()
            thread.join(0.05)
        # Nobody waits for those that are still deaf.
        RELEASED.set()
        RELEASED.clear()


class Page:
    """A client: what a browser with the page would send."""

    def __init__(self, explorer, name="page", entry=None):
        self.port, self.name, self.number = explorer.port, name, 0
        self.entry = entry or self.enter(explorer.address)

    def enter(self, address):
        """Exchange the token of an address for the cookie and the key."""
        status, headers, _ = self.send("GET", address.partition(str(self.port))[2], {})
        assert status == 303
        return headers["Set-Cookie"].partition(";")[0], headers["Location"].removeprefix("/#key=")

    def headers(self, **changed):
        """The headers of a request of the page; None leaves one out."""
        own = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Cookie": self.entry[0],
            "altsets-key": self.entry[1],
            "Content-Type": "application/json",
        }
        changed = {name.replace("_", "-"): value for name, value in changed.items()}
        return {name: value for name, value in (own | changed).items() if value is not None}

    def send(self, method, path, headers, body=b""):
        """Send one request; the status, headers and body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGING)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def post(self, route, message):
        """Send a message; the status and what came back."""
        body = json.dumps(message).encode()
        status, _, content = self.send("POST", f"/api/{route}", self.headers(), body)
        return status, json.loads(content)

    def ask(self, verb="answer", state=None, **more):
        """Ask about a state, or the one that the page begins with; the first reply."""
        self.number += 1
        message = {
            "client": self.name,
            "number": self.number,
            "verb": verb,
            "state": None if state is None else STATE | state,
            "with": more,
        }
        status, reply = self.post("ask", message)
        assert status == 200, reply
        return reply

    def follow(self, reply):
        """Wait for the whole answer."""
        while not reply["finished"]:
            reply = self.wait(reply)
        return reply

    def seen(self, reply):
        """Wait until there is something to show."""
        while not reply["view"]:
            reply = self.wait(reply)
        return reply

    def wait(self, reply):
        """Wait for the next change."""
        return self.post("wait", {"client": self.name, "number": reply["number"]})[1]

    def cancel(self, number):
        """Cancel a question."""
        return self.post("cancel", {"client": self.name, "number": number})[1]
