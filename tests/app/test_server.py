import contextlib
import json
import os
import signal
import socket
import threading
import time
from functools import partial

import psutil
import pytest
from clocks import wait_until
from explorers import HANGING, STATE, Page, running, slow_to_score, stand_in, unprepared

from altsets.app import clients, server, workers
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


def children():
    """Processes of this one, without the two helpers that multiprocessing keeps until this process ends."""
    this = psutil.Process()
    helpers = {one.pid for one in this.children() if "import main" in str(one.cmdline())}
    return {one.pid for one in this.children(recursive=True)} - helpers


@pytest.fixture
def patient(monkeypatch):
    """Processes may take as long as they need to stop, also on a busy machine."""
    monkeypatch.setattr(workers, "PATIENCE", 600.0)
    monkeypatch.setattr(server, "CANCELLED", 600.0)


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
    assert page.follow(page.ask())["view"]["pid"] == kept["view"]["pid"]


def test_a_process_that_does_not_stop_is_ended(page, monkeypatch):
    monkeypatch.setattr(server, "CANCELLED", 600.0)
    reply = page.seen(page.ask(state={"require": ["deaf"]}))
    kept = page.cancel(reply["number"])
    assert (kept["finished"], kept["error"], kept["view"]["best"]) == (True, None, "so far")
    # It goes on with another one.
    assert page.follow(page.ask())["view"]["pid"] != kept["view"]["pid"]


def test_a_newer_question_supersedes_the_older_one(page, monkeypatch):
    monkeypatch.setattr(server, "FIRST_REPLY", 600.0)
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


def test_an_evaluation_runs_beside_the_search_and_its_process_ends(page):
    pid = page.follow(page.ask())["view"]["pid"]
    evaluation = page.ask("evaluate", {"require": ["slow"]})
    reply = page.follow(page.ask())
    assert reply["view"]["pid"] == pid
    while evaluation["view"] is None:
        _, evaluation = page.post("wait", {"client": page.name, "number": evaluation["number"]})
    evaluation = page.cancel(evaluation["number"])
    other = evaluation["view"]["pid"]
    assert other != pid
    wait_until(lambda: not psutil.pid_exists(other))


def test_a_worker_that_is_killed_costs_one_answer(page, snapshot):
    pid = page.follow(page.ask())["view"]["pid"]
    reply = page.ask(state={"require": ["slow"]})
    os.kill(pid, signal.SIGKILL)
    reply = page.follow(reply)
    assert reply["error"] == snapshot
    after = page.follow(page.ask(state={"forbid": ["after"]}))
    assert after["view"]["words"] == ["after"]
    assert after["view"]["pid"] != pid
    # Also while nothing is searched.
    os.kill(after["view"]["pid"], signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(after["view"]["pid"]))
    assert page.follow(page.ask())["error"] is None


def test_errors_are_sentences_and_the_worker_goes_on(page, snapshot):
    pid = page.follow(page.ask())["view"]["pid"]
    assert page.follow(page.ask(state={"require": ["error"]}))["error"] == snapshot
    said = page.follow(page.ask(state={"require": ["defect"]}))["error"]
    assert said == snapshot
    assert page.follow(page.ask())["view"]["pid"] == pid


def test_files(page, snapshot):
    for kind, (name, type_) in server.FILES.items():
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_oldest_client_makes_room(monkeypatch):
    monkeypatch.setattr(clients, "MOST_CLIENTS", 2)
    with running() as explorer:
        first = Page(explorer, "first")
        pid = first.follow(first.ask())["view"]["pid"]
        for name in ("second", "third"):
            other = Page(explorer, name, first.entry)
            other.follow(other.ask())
        wait_until(lambda: not psutil.pid_exists(pid))
        # A page that comes back is a new client.
        assert first.follow(first.ask())["view"]["pid"] != pid


@pytest.mark.slow
def test_idle_clients_end(monkeypatch):
    monkeypatch.setattr(clients, "IDLE", 5.0)
    with running() as explorer:
        page = Page(explorer)
        pid = page.follow(page.ask())["view"]["pid"]
        assert psutil.pid_exists(pid)
        wait_until(lambda: not psutil.pid_exists(pid))


def test_the_page_is_told_how_far_scores_are_and_they_are_computed_once(tmp_path, snapshot):
    gate = tmp_path / "gate"
    with running(partial(slow_to_score, gate)) as explorer:
        page = Page(explorer)
        reply = page.seen(page.ask())
        assert (reply["finished"], reply["view"]["words"]) == (False, ["Scoring: 0 of 40."])
        gate.touch()
        assert page.follow(reply)["view"]["words"] == []
        gate.unlink()
        # By its name, it is the same quality.
        assert page.follow(page.ask(state={"quality": "mutual_info"}))["view"]["words"] == []
        # A page that moves on while it waits does not make scores begin anew.
        pids = set()
        for tau in (0.1, 0.2, 0.3):
            reply = page.seen(page.ask(state={"quality": "mrmr", "tau": tau}))
            assert not reply["finished"]
            pids.add(reply["view"]["pid"])
        assert len(pids) == 1
        gate.touch()
        assert page.follow(reply)["state"]["tau"] == 0.3
        gate.unlink()
        other = Page(explorer, "other", page.entry)
        assert other.follow(other.ask(state={"quality": "mrmr"}))["view"]["words"] == []
        reply = page.follow(page.ask(state={"quality": "nonsense"}))
        assert reply["error"] == snapshot
        assert (reply["state"], reply["view"]) == (None, None)


@pytest.mark.slow
def test_scores_that_nobody_waits_for_are_given_up(monkeypatch, patient, tmp_path):
    monkeypatch.setattr(clients, "UNWANTED", 0.1)
    gate = tmp_path / "gate"
    gate.touch()
    with running(partial(slow_to_score, gate)) as explorer:
        page = Page(explorer)
        page.follow(page.ask())
        gate.unlink()
        assert not page.seen(page.ask(state={"quality": "mrmr"}))["finished"]
        page.follow(page.ask())
        wait_until(gate.with_suffix(".stopped").exists)
        # They are computed from the start.
        reply = page.seen(page.ask(state={"quality": "mrmr"}))
        assert (reply["finished"], reply["view"]["words"]) == (False, ["Scoring: 0 of 40."])
        gate.touch()
        assert page.follow(reply)["view"]["words"] == []


def test_a_table_that_cannot_be_scored(snapshot):
    said = []
    with running(unprepared, on_failure=said.append) as explorer:
        page = Page(explorer)
        reply = page.follow(page.ask())
        assert reply["error"] == snapshot
        wait_until(lambda: said == ["the target has one value only."])


def test_no_process_is_left_behind():
    before, ended = children(), []
    with running(on_end=lambda: ended.append(True)) as explorer:
        page = Page(explorer)
        page.follow(page.ask())
        page.ask(state={"require": ["deaf"]})
        page.ask("evaluate", {"require": ["deaf"]})
        assert children() - before
    wait_until(lambda: children() <= before)
    assert ended == [True]


def test_a_server_that_ends_at_once():
    before = children()
    with running() as explorer:
        port = explorer.port
    # One that was about to start ends as soon as it has.
    wait_until(lambda: children() <= before)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def fork_server():
    """The process that workers are forked from; there is one for all tests of this process."""
    names = ("forkserver", "altsets.app.preload")
    return next(
        one for one in psutil.Process().children() if all(name in str(one.cmdline()) for name in names)
    )


@pytest.fixture
def forked(monkeypatch):
    """An explorer, and the process that its workers are forked from; it keeps no spare worker."""
    if workers.METHOD != "forkserver":
        pytest.skip("processes are not forked here")
    monkeypatch.setattr(clients, "SPARE_AFTER", HANGING)
    ended = []
    with running(on_end=lambda: ended.append(True)) as explorer:
        pages = [Page(explorer)]
        pages += [Page(explorer, name, pages[0].entry) for name in "abc"]
        pages[0].follow(pages[0].ask())
        yield explorer, pages, fork_server(), ended


def test_the_server_ends_though_its_processes_do_not_start(forked, monkeypatch):
    monkeypatch.setattr(workers, "GONE", 0.2)
    explorer, pages, helper, ended = forked
    before = children()
    helper.suspend()
    try:
        assert not all(page.ask()["finished"] for page in pages)
        while not ended:
            explorer.stop()
            time.sleep(0.01)
    finally:
        helper.resume()
    # A process that starts after all ends itself.
    wait_until(lambda: children() <= before)


@pytest.mark.slow
def test_what_processes_are_forked_from_is_killed_and_all_goes_on(forked, snapshot):
    explorer, pages, helper, ended = forked
    first = pages[0].follow(pages[0].ask())["view"]["pid"]
    helper.suspend()
    replies = [page.ask() for page in pages]
    helper.kill()
    said = [page.follow(reply)["error"] for page, reply in zip(pages, replies, strict=True)]
    assert said == snapshot
    again = [page.follow(page.ask()) for page in pages]
    assert [reply["error"] for reply in again] == [None] * len(pages)
    pids = {reply["view"]["pid"] for reply in again}
    assert first in pids
    while not ended:
        explorer.stop()
        time.sleep(0.01)
    wait_until(lambda: not any(map(psutil.pid_exists, pids)))


def test_temporary_files_that_disappear_are_named(forked, snapshot):
    _, pages, helper, _ = forked
    [reached_by] = {
        one.laddr for one in psutil.net_connections("unix") if one.pid == helper.pid and one.laddr
    }
    os.rename(reached_by, f"{reached_by}.gone")
    try:
        said = {page.follow(page.ask())["error"] for page in pages}
    finally:
        os.rename(f"{reached_by}.gone", reached_by)
    assert None in said
    assert [one for one in said if one is not None] == snapshot
    assert {page.follow(page.ask())["error"] for page in pages} == {None}


def test_a_process_that_is_never_there_is_an_error(monkeypatch, snapshot):
    monkeypatch.setattr(workers, "STARTED", 0.0)
    with running() as explorer:
        page = Page(explorer)
        assert page.follow(page.ask())["error"] == snapshot


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
