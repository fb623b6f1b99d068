import contextlib
import http.client
import json
import socket
import threading

import pytest
from clocks import wait_until
from explorers import RELEASED, STATE, Page, running, stand_in, unprepared

from altsets.app import clients, questions, server
from altsets.app.messages import FILES
from altsets.app.server import Explorer
from altsets.errors import InputError


@pytest.fixture(scope="module")
def explorer():
    with running() as explorer:
        explorer.entry = Page(explorer).entry
        yield explorer


@pytest.fixture(scope="module")
def page(explorer):
    page = Page(explorer, "page", explorer.entry)
    page.follow(page.ask())
    return page


@pytest.fixture
def patient(monkeypatch):
    """Threads may take as long as they need to stop, also on a busy machine."""
    monkeypatch.setattr(questions, "PATIENCE", 600.0)
    monkeypatch.setattr(questions, "CANCELLED", 600.0)


@pytest.fixture
def impatient(monkeypatch):
    """Threads that do not stop are left behind at once."""
    monkeypatch.setattr(questions, "PATIENCE", 0.0)
    monkeypatch.setattr(questions, "CANCELLED", 600.0)


def test_an_answer_has_the_number_the_state_and_the_view(page):
    reply = page.follow(page.ask(state={"forbid": ["a"]}))
    assert reply["number"] == page.number
    assert reply["state"] == STATE | {"forbid": ["a"]}
    assert reply["view"]["words"] == ["a"]
    assert (reply["error"], reply["superseded"]) == (None, False)
    assert reply["seconds"] >= 0


def test_a_long_search_replies_with_the_best_so_far(page):
    reply = page.ask(state={"require": ["slow"]})
    assert not reply["finished"]
    reply = page.seen(reply)
    assert (reply["finished"], reply["view"]["best"]) == (False, "so far")
    page.cancel(reply["number"])


def test_cancel_keeps_the_best(page, patient):
    reply = page.seen(page.ask(state={"require": ["slow"]}))
    kept = page.cancel(reply["number"])
    assert (kept["finished"], kept["error"], kept["view"]["best"]) == (True, None, "kept")


def test_a_search_that_does_not_stop_blocks_nobody(page, impatient):
    reply = page.seen(page.ask(state={"require": ["deaf"], "forbid": ["a"]}))
    kept = page.cancel(reply["number"])
    assert (kept["finished"], kept["error"], kept["view"]["best"]) == (True, None, "so far")
    assert page.follow(page.ask(state={"forbid": ["b"]}))["view"]["words"] == ["b"]
    # Also if a newer question takes its place, and another one waits.
    older = page.seen(page.ask(state={"require": ["deaf"]}))
    newer, frontier = page.ask(state={"forbid": ["c"]}), page.ask("frontier", {"forbid": ["d"]})
    assert page.wait(older)["superseded"]
    assert page.follow(newer)["view"]["words"] == ["c"]
    assert page.follow(frontier)["view"]["words"] == ["d"]
    # What comes late changes nothing.
    RELEASED.set()
    RELEASED.clear()
    assert page.follow(page.ask(state={"forbid": ["e"]}))["view"]["words"] == ["e"]
    assert page.wait(reply)["view"]["best"] == "so far"


def test_a_newer_question_supersedes_the_older_one(page, monkeypatch):
    monkeypatch.setattr(questions, "FIRST_REPLY", 600.0)
    replies = []
    thread = threading.Thread(target=lambda: replies.append(page.ask(state={"require": ["slow"]})))
    number = page.number + 1
    thread.start()
    wait_until(lambda: page.post("wait", {"client": page.name, "number": number})[0] == 200)
    newer = page.follow(page.ask(state={"forbid": ["b"]}))
    thread.join()
    assert replies[0]["superseded"]
    assert replies[0]["view"] is None
    assert newer["view"]["words"] == ["b"]
    assert not newer["superseded"]


def test_the_frontier_waits_for_the_answer_and_is_not_superseded_by_a_comparison(page):
    answer = page.ask(state={"require": ["slow"]})
    frontier = page.ask("frontier", {"forbid": ["f"]})
    compared = page.ask("compare", {"forbid": ["c"]}, other=STATE)
    assert not frontier["finished"]
    page.cancel(answer["number"])
    assert page.follow(frontier)["view"]["words"] == ["f"]
    assert page.follow(compared)["view"]["words"] == ["c"]


def test_an_evaluation_runs_beside_the_search(page):
    evaluation = page.seen(page.ask("evaluate", {"require": ["slow"]}))
    assert page.follow(page.ask(state={"forbid": ["a"]}))["view"]["words"] == ["a"]
    assert not page.wait(evaluation)["finished"]
    assert page.cancel(evaluation["number"])["finished"]


def test_errors_are_sentences_and_the_explorer_goes_on(page, capsys, snapshot):
    assert page.follow(page.ask(state={"require": ["error"]}))["error"] == snapshot
    said = page.follow(page.ask(state={"require": ["defect"]}))["error"]
    assert said == snapshot
    assert "RuntimeError: a defect" in capsys.readouterr().err
    assert page.follow(page.ask())["error"] is None


def test_files(page, snapshot):
    for kind, (name, type_) in FILES.items():
        body = json.dumps({"client": page.name, "state": STATE | {"forbid": ["ü"]}, "kind": kind}).encode()
        status, headers, content = page.send("POST", "/api/download", page.headers(), body)
        assert status == 200
        assert headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert headers["Content-Type"] == type_
        assert json.loads(content) == [kind, ["ü"]]
    status, reply = page.post(
        "download", {"client": page.name, "state": STATE | {"require": ["error"]}, "kind": "csv"}
    )
    assert status == 409
    assert reply["error"] == snapshot


def test_questions_that_are_not_known(page):
    for route in ("wait", "cancel"):
        status, reply = page.post(route, {"client": "nobody", "number": 1})
        assert status == 404
        assert "ask again" in reply["error"]


def test_ten_clients_at_once_do_not_mix(explorer):
    wrong = []

    def play(name):
        page = Page(explorer, name, explorer.entry)
        for step in range(20):
            said = [name, str(step)]
            reply = page.follow(page.ask(state={"forbid": said, "n_features": step}))
            if reply["error"] or reply["view"]["words"] != said or reply["state"]["n_features"] != step:
                wrong.append(reply)

    threads = [threading.Thread(target=play, args=(f"client-{number}",)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def assert_forgotten(page, number):
    status, reply = page.post("wait", {"client": page.name, "number": number})
    assert status == 404
    assert "ask again" in reply["error"]


def test_the_oldest_client_makes_room(monkeypatch):
    monkeypatch.setattr(clients, "MOST_CLIENTS", 2)
    with running() as explorer:
        first = Page(explorer, "first")
        first.ask(state={"require": ["slow"]})
        for name in ("second", "third"):
            other = Page(explorer, name, first.entry)
            other.follow(other.ask())
        assert_forgotten(first, 1)
        # A page that comes back is a new client.
        assert first.follow(first.ask(state={"forbid": ["a"]}))["view"]["words"] == ["a"]


def test_idle_clients_end(monkeypatch):
    with running() as explorer:
        page = Page(explorer)
        page.follow(page.ask())
        assert page.wait({"number": 1})["finished"]
        monkeypatch.setattr(clients, "IDLE", 0.0)
        assert_forgotten(page, 1)


def test_pages_that_wait_do_not_keep_each_other_out(monkeypatch):
    """Fifteen pages with files that are not ready, and answers that do not come."""
    monkeypatch.setattr(questions, "FIRST_REPLY", 600.0)

    def wait(send, *given):
        # At the end, nothing comes, or half of it.
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            send(*given)

    with running() as explorer:
        entry, waiting = Page(explorer).entry, []
        for number in range(15):
            page = Page(explorer, f"page-{number}", entry)
            body = json.dumps({"client": page.name, "state": STATE | {"require": ["deaf"]}, "kind": "csv"})
            asked = (page.send, "POST", "/api/download", page.headers(), body.encode())
            waiting += [threading.Thread(target=wait, args=asked) for _ in range(3)]
            waiting.append(threading.Thread(target=wait, args=(page.ask, "answer", {"require": ["deaf"]})))
        for thread in waiting:
            thread.start()
        page = Page(explorer, "last", entry)
        for step in range(20):
            assert page.ask(state={"forbid": [str(step)]})["view"]["words"] == [str(step)]
        assert sum(thread.is_alive() for thread in waiting) == len(waiting)
    for thread in waiting:
        thread.join()


def test_a_table_that_cannot_be_scored(snapshot):
    said = []
    with running(unprepared, on_failure=said.append) as explorer:
        page = Page(explorer)
        reply = page.follow(page.ask())
        assert reply["error"] == snapshot
        assert (reply["state"], reply["view"]) == (None, None)
        wait_until(lambda: said == ["the target has one value only."])


def test_the_server_ends_though_nothing_stops():
    with running() as explorer:
        page = Page(explorer)
        page.follow(page.ask())
        page.ask(state={"require": ["deaf"]})
        page.ask("evaluate", {"require": ["deaf"]})
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", explorer.port), timeout=5)


def test_a_server_that_ends_at_once():
    with running() as explorer:
        pass
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", explorer.port), timeout=5)


def test_idle_connections_do_not_keep_the_page_out(monkeypatch):
    monkeypatch.setattr(server, "MOST_REQUESTS", 8)
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 4)
    with running() as explorer, contextlib.ExitStack() as opened:
        page = Page(explorer)
        page.follow(page.ask())
        idle = [opened.enter_context(socket.create_connection(("127.0.0.1", page.port))) for _ in range(20)]
        for one in idle[::2]:
            with contextlib.suppress(OSError):
                one.sendall(b"POST /api/ask HTTP/1.1\r\nHost: ")
        assert page.follow(page.ask())["error"] is None
        # The first ones were closed.
        for one in idle[:10]:
            one.settimeout(20)
            with contextlib.suppress(ConnectionResetError):
                assert one.recv(1) == b""


def test_a_port_in_use(snapshot):
    with running() as explorer:
        with pytest.raises(InputError) as refused:
            Explorer(stand_in, explorer.port)
        assert str(refused.value).replace(str(explorer.port), "PORT") == snapshot
        with pytest.raises(InputError) as refused:
            Explorer(stand_in, 70000)
        assert str(refused.value) == snapshot
