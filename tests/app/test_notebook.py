"""The explorer in a notebook: answered by the session of the kernel, which it leads and follows."""

from __future__ import annotations

import queue
import threading

import numpy as np
import pytest
from clocks import wait_until

import altsets
from altsets import Session, quality
from altsets.app import notebook, questions
from altsets.app.assets import module_text
from altsets.app.notebook import LiveSession
from altsets.errors import MissingExtraError

NAMES = ["age", "height", "weight", "shoe size", "<b>hair</b>", "mood"]


def small_session(**more):
    scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=NAMES)
    return Session(scores, **{"n_features": 2, "n_alternatives": 1, **more})


def table_session():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    return Session(rng.normal(size=(60, 6)) + y[:, None], y, n_features=2, n_alternatives=1)


def slow_session():
    rng = np.random.default_rng(3)
    pairs = rng.random((60, 60))
    scored = quality.MRMR(rng.random(60), (pairs + pairs.T) / 2)
    return Session(scored, n_features=12, n_alternatives=3, search="simultaneous")


class Page:
    """A page that asks as the module does, without a browser."""

    def __init__(self, session, client="page"):
        self.client, self.number, self.sent = client, 0, 0
        self.replies, self.moves = {}, []
        self.heard = threading.Condition()
        self.live = LiveSession(session, self.hear)

    def hear(self, content):
        with self.heard:
            if "id" in content:
                self.replies[content["id"]] = content["reply"]
            else:
                self.moves.append(content)
            self.heard.notify_all()

    def send(self, **message):
        self.sent += 1
        self.live.receive({"id": self.sent, "message": {"client": self.client, **message}})
        return self.sent

    def reply(self, sent, seconds=120):
        with self.heard:
            assert self.heard.wait_for(lambda: sent in self.replies, timeout=seconds)
            return self.replies.pop(sent)

    def begin(self, verb="answer", state=None, **more):
        self.number += 1
        return self.send(route="ask", number=self.number, verb=verb, state=state, **{"with": more})

    def ask(self, verb="answer", state=None, **more):
        """Ask until there is a whole reply."""
        reply = self.reply(self.begin(verb, state, **more))
        while not reply["finished"]:
            reply = self.reply(self.send(route="wait", number=self.number))
        return reply


@pytest.fixture
def opened():
    pages = []

    def open_page(session):
        pages.append(Page(session))
        return pages[-1]

    yield open_page
    for page in pages:
        page.live.close()


# --- Questions --------------------------------------------------------------------------------------------


def test_the_session_follows_the_page(opened):
    session = small_session().forbid("age")
    page = opened(session)
    reply = page.ask()
    assert reply["state"] == session.state
    assert reply["error"] is None
    assert [one["features"] for one in reply["view"]["sets"]] == [list(names) for names in session.sets]
    # To open a page is no step.
    assert len(session.history) == 2
    reply = page.ask(state={**session.state, "tau": 1, "forbid": []})
    assert session.sets == [("age", "height"), ("weight", "shoe size")]
    assert session.result.sets == altsets.find(session.quality, 2, 1, 1).sets
    assert len(session.history) == 3
    assert page.moves == [{"state": session.state, "by": "page"}]


def test_the_page_follows_the_session(opened):
    session = small_session()
    page = opened(session)
    page.ask()
    page.moves.clear()
    session.set(tau=1).undo()
    assert [(move["state"]["tau"], move["by"]) for move in page.moves] == [(1.0, None), (0.5, None)]
    page.live.close()
    session.redo()
    assert len(page.moves) == 2


def test_questions_beside_the_answer_are_no_steps(opened, snapshot):
    session = small_session()
    page = opened(session)
    state = page.ask()["state"]
    assert page.ask("stand_in", state, feature="age")["view"]["words"][0] == snapshot
    assert page.ask("stand_in", state, feature="mood")["view"]["words"][0] == snapshot
    assert page.ask("compare", state, other={**state, "tau": 1})["view"]["sides"]
    assert page.ask("frontier", state)["view"]["blocks"]
    assert len(session.history) == 1


def test_only_a_new_answer_moves_the_session(opened, snapshot):
    session = small_session()
    page = opened(session)
    state = page.ask()["state"]
    session.forbid("age")
    for verb, more in (("frontier", {}), ("compare", {"other": state}), ("stand_in", {"feature": "age"})):
        assert page.ask(verb, state, **more)["error"] == snapshot
    assert page.reply(page.send(route="download", state=state, kind="csv"))["error"] == snapshot
    assert session.state["forbid"] == ["age"]
    # A page that follows asks for where the session is, and takes no step.
    assert page.ask()["state"] == session.state
    assert len(session.history) == 2


def test_sets_are_tested_beside_searches(opened):
    session = table_session()
    page = opened(session)
    state = page.ask()["state"]
    reply = page.ask("evaluate", state)
    assert reply["view"]["words"]
    assert session.state == state


def test_a_file(opened):
    page = opened(small_session())
    state = page.ask()["state"]
    reply = page.reply(page.send(route="download", state=state, kind="python"))
    assert reply["name"] == "altsets.py"
    assert "altsets.Session" in reply["content"]


def test_what_cannot_be_is_said_and_changes_nothing(opened, snapshot):
    session = small_session()
    page = opened(session)
    state = page.ask()["state"]
    assert "not a feature" in page.ask(state={**state, "forbid": ["hat"]})["error"]
    assert "unknown fields" in page.ask(state={**state, "hat": 1})["error"]
    reply = page.reply(page.send(route="wait", number=99))
    assert reply["error"] == snapshot
    reply = page.reply(page.send(route="download", state=state, kind="command"))
    assert reply["error"]
    assert session.state == state
    assert len(session.history) == 1


def test_a_long_search_is_stopped_and_keeps_the_best(opened, monkeypatch):
    monkeypatch.setattr(questions, "PATIENCE", 600.0)
    monkeypatch.setattr(questions, "CANCELLED", 600.0)
    session = slow_session()
    page = opened(session)
    first = page.reply(page.begin())
    assert not first["finished"]
    later = page.reply(page.send(route="wait", number=1))
    assert not later["finished"]
    reply = page.reply(page.send(route="cancel", number=1))
    assert reply["finished"]
    assert session.result.stop_reason == "interrupted"
    assert len(session.result.sets) == 4
    assert session.result.gap < float("inf")
    # What was found stays the answer, whatever is asked about it.
    assert page.ask("stand_in", reply["state"], feature="x0")["state"] == session.state
    assert session.result.stop_reason == "interrupted"


def test_a_function_that_hangs_blocks_nobody_and_takes_no_step(opened, monkeypatch):
    monkeypatch.setattr(questions, "PATIENCE", 0.0)
    hanging, released, n_waiting = threading.Event(), threading.Event(), []

    def score(indices):
        if hanging.is_set():
            n_waiting.append(indices)
            released.wait()
        return -float(sum(indices))

    session = Session(quality.BlackBox(score, n_features_in=8), n_features=2, n_alternatives=1)
    page = opened(session)
    state = page.ask()["state"]

    def hang(n_features):
        n_before = len(n_waiting)
        hanging.set()
        page.reply(page.begin(state={**state, "n_features": n_features}))
        wait_until(lambda: len(n_waiting) > n_before)
        hanging.clear()

    hang(3)
    assert page.reply(page.send(route="cancel", number=page.number))["finished"]
    reply = page.ask(state={**state, "forbid": ["x1"]})
    assert reply["view"]["sets"][0]["features"] == ["x0", "x2"]
    # The same where a newer question takes the place of one that hangs.
    hang(4)
    reply = page.ask(state={**state, "forbid": ["x0"]})
    assert reply["view"]["sets"][0]["features"] == ["x1", "x2"]
    n_steps = len(session.history)
    before = threading.enumerate()
    released.set()
    for thread in before:
        if thread.name == "altsets explorer":
            thread.join()
    assert session.state == reply["state"]
    assert len(session.history) == n_steps == 3


def test_pages_of_a_session_take_only_its_lead_from_each_other(opened):
    session = slow_session()
    page = opened(session)
    page.reply(page.begin())
    # Another page asks where the session is, and waits; then it leads it elsewhere.
    page.client = "another"
    page.send(route="ask", number=1, verb="answer", state=None, **{"with": {}})
    page.client = "page"
    assert not page.reply(page.send(route="wait", number=1))["superseded"]
    page.client = "another"
    quick = {**session.state, "search": "sequential", "n_features": 2}
    page.send(route="ask", number=2, verb="answer", state=quick, **{"with": {}})
    assert page.reply(page.send(route="wait", number=1))["superseded"]
    page.client = "page"
    assert page.reply(page.send(route="wait", number=1))["superseded"]


def test_steps_of_cells_and_of_a_page_at_once(opened):
    session = small_session()
    page = opened(session)
    page.ask()
    for number in range(20):
        page.begin(state={**session.state, "tau": number / 20})
        session.set(n_alternatives=number % 3)
    page.ask(state={**session.state, "tau": 1, "n_alternatives": 1})
    assert session.sets == [("age", "height"), ("weight", "shoe size")]
    assert session.history[session.position].state == session.state


# --- The widget -------------------------------------------------------------------------------------------


@pytest.fixture
def widget():
    pytest.importorskip("anywidget")
    made = small_session().explore()
    yield made
    made.close()


def test_the_widget_has_the_module_and_a_picture(widget, snapshot):
    data, _ = widget._repr_mimebundle_()
    assert widget._esm == module_text()
    assert "export default" in module_text()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "height" in data["text/html"]
    assert f'id="{widget.picture}"' in data["text/html"]
    assert data["text/plain"] == snapshot


def test_messages_of_the_widget_are_answered(monkeypatch):
    pytest.importorskip("anywidget")
    heard = queue.Queue()
    monkeypatch.setattr(notebook.widget_class(), "send", lambda _, content: heard.put(content))
    widget = small_session().explore()
    message = {"route": "ask", "client": "c", "number": 1, "verb": "answer", "state": None, "with": {}}
    asked = {"method": "custom", "content": {"id": "c 1", "message": message}}
    widget.comm.handle_msg({"content": {"data": asked}, "buffers": []})
    sent = heard.get(timeout=120)
    while "id" not in sent:
        sent = heard.get(timeout=120)
    assert sent["id"] == "c 1"
    assert sent["reply"]["view"]["sets"]
    widget.close()


def test_without_anywidget_one_sentence_says_what_to_install(monkeypatch, snapshot):
    notebook.widget_class.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    with pytest.raises(MissingExtraError) as refused:
        small_session().explore()
    assert str(refused.value) == snapshot


# --- A notebook, executed and exported --------------------------------------------------------------------

CELLS = [
    """
import altsets
scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
session = altsets.Session(scores, n_features=2, n_alternatives=1, tau=1)
widget = session.explore()
widget
""",
    """
# What a page would send.
message = {"route": "ask", "client": "c", "number": 1, "verb": "answer", "with": {}}
widget._handle_custom_msg({"id": 1, "message": {**message, "state": {**session.state, "forbid": ["age"]}}}, [])
import time
while "forbid" not in session.history[-1].name:
    time.sleep(0.01)
print(session.sets)
""",
    "session",
]


@pytest.mark.slow
def test_a_notebook_is_executed_and_exported(snapshot):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    nbconvert = pytest.importorskip("nbconvert")
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS]
    made = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(made, timeout=120, store_widget_state=True).execute()
    picture, page = made.cells[0].outputs
    assert "weight" in picture.data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in page.data
    assert made.cells[1].outputs[0].text.strip() == "[('height', 'weight')]"
    assert made.cells[2].outputs[0].data["text/plain"] == snapshot
    # The picture is there whether the state of widgets was saved or not.
    saved = made.metadata.pop("widgets")
    for state in (None, saved):
        if state is not None:
            made.metadata["widgets"] = state
        exported, _ = nbconvert.HTMLExporter().from_notebook_node(made)
        assert "altsets-" in exported
        assert "shoe size" in exported
