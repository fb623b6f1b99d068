"""The explorer of a notebook in a real browser: alive as a widget, and as an exported file."""

from __future__ import annotations

import queue
import subprocess
import sys
from contextlib import contextmanager

import pytest

from altsets import Session, quality
from altsets.app.assets import module_text
from altsets.app.notebook import LiveSession

NAMES = ["age", "height", "weight", "shoe size", "<b>hair</b>", "mood"]

#: What a notebook does for a widget: a model with messages both ways, and the picture in the same cell.
HOST = """
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>notebook</title></head><body>
<div id="picture">PICTURE</div><div id="one"></div><div id="two"></div>
<script type="module">
const module = await import("/module.js");
const heard = [];
const model = {
  get: (name) => ({ picture: "picture" })[name],
  on: (name, callback) => heard.push(callback),
  off: (name, callback) => heard.splice(heard.indexOf(callback), 1),
  send: (content) => window.toPython(content),
};
setInterval(async () => {
  for (const content of await window.fromPython()) for (const callback of [...heard]) callback(content);
}, 10);
window.close_one = module.default.render({ model, el: document.getElementById("one") });
window.open_two = () => {
  window.close_two = module.default.render({ model, el: document.getElementById("two") });
};
</script></body></html>
"""


def small_session():
    scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=NAMES)
    return Session(scores, n_features=2, n_alternatives=1, tau=1)


@contextmanager
def shown(browser, session, lost=lambda content: False):
    """A notebook with a page; messages that are ``lost`` are answered as if another page had been faster."""
    sent = queue.Queue()
    live = LiveSession(session, sent.put)
    page = browser.new_page()
    trouble = []
    page.on("console", lambda said: trouble.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))

    def serve(route):
        if route.request.url.endswith("/module.js"):
            route.fulfill(content_type="text/javascript", body=module_text())
        else:
            route.fulfill(content_type="text/html", body=HOST.replace("PICTURE", "A picture of the sets."))

    def receive(content):
        if lost(content["message"]):
            sent.put({"id": content["id"], "reply": {"finished": True, "superseded": True}})
        else:
            live.receive(content)

    page.route("http://notebook.test/**", serve)
    page.expose_function("toPython", receive)
    page.expose_function("fromPython", lambda: [sent.get() for _ in range(sent.qsize())])
    page.goto("http://notebook.test/")
    try:
        yield page
    finally:
        live.close()
        page.close()
    assert trouble == []


@pytest.mark.slow
def test_a_page_in_a_notebook(browser):
    session = small_session()
    with shown(browser, session) as page:
        one, two = page.locator("#one altsets-explorer"), page.locator("#two altsets-explorer")
        sets = one.locator("ol.sets > li")
        sets.nth(1).wait_for()
        # The picture makes room for what works.
        assert page.locator("#picture").is_hidden()
        assert "weight" in sets.nth(1).inner_text()

        # The session follows the page.
        one.get_by_role("button", name="One more set").click()
        sets.nth(2).wait_for()
        assert session.sets == [("age", "height"), ("weight", "shoe size"), ("<b>hair</b>", "mood")]
        assert "<b>hair</b>" in sets.nth(2).inner_text()

        # The page follows the session, and so does a second view of the widget.
        page.evaluate("open_two()")
        two.locator("ol.sets > li").nth(2).wait_for()
        session.forbid("age")
        sets.filter(has_text="age").first.wait_for(state="detached")
        two.locator("ol.sets > li").filter(has_text="age").first.wait_for(state="detached")
        assert session.history[session.position].name == "forbid age"

        # One view leads the other; back in a view is a step of the session, too.
        two.get_by_role("button", name="Undo").click()
        sets.filter(has_text="age").first.wait_for()
        assert session.state["forbid"] == []
        page.evaluate("close_one(); close_two()")
        assert page.locator("altsets-explorer").count() == 0


@pytest.mark.slow
def test_a_page_follows_another_one_that_was_faster(browser):
    # Of the answers, the first one is lost, and the one after a step of the session.
    asked = iter([True, False, True])
    session = small_session()
    with shown(browser, session, lambda one: one.get("verb") == "answer" and next(asked, False)) as page:
        sets = page.locator("#one ol.sets > li")
        sets.nth(1).wait_for()
        session.forbid("age")
        # Whatever has been lost, it goes where the session is.
        sets.filter(has_text="age").first.wait_for(state="detached")
        page.locator("#one").get_by_role("button", name="Undo").click()
        sets.filter(has_text="age").first.wait_for()
        assert session.state["forbid"] == []


#: Executes and exports a notebook; in a process of its own, as a browser in this one has an event loop already.
EXPORT = """
import sys
import nbclient, nbconvert, nbformat
cell = '''
import altsets
scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "<b>height</b>", "weight", "shoe size"])
altsets.Session(scores, n_features=2, n_alternatives=1, tau=1).explore()
'''
made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip())])
nbclient.NotebookClient(made, timeout=120).execute()
text, _ = nbconvert.HTMLExporter().from_notebook_node(made)
open(sys.argv[1], "w", encoding="utf-8").write(text)
"""


@pytest.mark.slow
def test_an_exported_notebook_shows_the_sets_without_a_network(browser, tmp_path):
    for package in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(package)
    path = tmp_path / "exported.html"
    subprocess.run([sys.executable, "-c", EXPORT, path], check=True, timeout=180, capture_output=True)
    page = browser.new_page()
    page.route(
        "**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort()
    )
    page.goto(path.as_uri())
    page.get_by_role("heading", name="2 feature sets").wait_for()
    assert page.get_by_text("<b>height</b>").first.is_visible()
    assert page.get_by_text("shoe size").first.is_visible()
    page.close()
