"""The explorer's page in a real browser: everything that people can do with it, on real sessions."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager

import numpy as np
import pytest
from browsers import LAPTOP, PHONE, violations
from clocks import wait_until
from explorers import running
from pages import HOSTILE

import altsets
from altsets.app.engine import engines_of
from altsets.app.server import entrance_to

# All in a browser.
pytestmark = pytest.mark.slow

#: Milliseconds until what is waited for counts as missing.
PATIENCE, START = 60_000, 120_000
#: Names that a table can have; each also says which it is.
NAMES = [f"{number} {name}".replace("\x00", "").strip() for number, name in enumerate(HOSTILE[:8])]


def table(n_rows, names, seed=0):
    """Features that say less and less about two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, len(names))) + y[:, None] * np.linspace(2, 0, len(names))
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=list(names)), y


@contextmanager
def exploring(X, y, **options):
    """An explorer of a table, for browsers."""
    with running(
        engines_of(altsets.Session(X, y, **options), {}, file="table.csv", target="class")
    ) as explorer:
        yield explorer


@pytest.fixture(scope="module")
def explorer():
    """Sixteen features, quick to search."""
    X, y = table(120, [f"sensor {number}" for number in range(16)])
    with exploring(X, y, quality="f", n_features=3, n_alternatives=2) as explorer:
        yield explorer


class Visitor:
    """The page in a browser, with what it asked for and complained about."""

    def __init__(self, context, explorer, fragment=""):
        self.context, self.trouble = context, []
        self.base = f"http://127.0.0.1:{explorer.port}/"
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.page.on("request", self._asked)
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("console", self._heard)
        if not hasattr(explorer, "stored"):
            self.page.goto(explorer.address)
            explorer.stored = context.storage_state()
        # The page of another visitor of the same browser.
        context.add_cookies(explorer.stored["cookies"])
        stored = {
            one["name"]: one["value"] for each in explorer.stored["origins"] for one in each["localStorage"]
        }
        context.add_init_script(f"Object.assign(localStorage, {json.dumps(stored)});")
        self.page.goto(self.base + fragment)
        self.settled()

    def _asked(self, request):
        if not request.url.startswith((self.base, "blob:", "data:")):
            self.trouble.append(f"request: {request.url}")

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.trouble.append(f"console: {message.text}")

    def settled(self):
        """Wait until the page has an answer, and wants no other."""
        self.page.locator(".sets > li").first.wait_for(timeout=START)
        self.page.wait_for_function(
            "() => !document.querySelector('altsets-explorer').shadowRoot.querySelector('.answer')"
            ".hasAttribute('aria-busy')"
        )

    def begin(self):
        """Back to the settings at the start, as if the address had been typed."""
        self.page.keyboard.press("Escape")
        self.page.evaluate("location.hash = ''")
        self.until(lambda: "n_features=3&" in self.fragment and "require" not in self.fragment)
        self.settled()
        return self

    def until(self, condition):
        """Wait until something holds."""
        wait_until(condition, lambda: self.page.wait_for_timeout(20))

    @property
    def sets(self):
        """The features of each set that is listed."""
        cards = self.page.locator(".answer > .sets > li")
        return [card.locator(".names li").all_inner_texts() for card in cards.all()]

    @property
    def said(self):
        """All that is to be read."""
        return self.page.locator("altsets-explorer .answer, altsets-explorer dialog[open]").all_inner_texts()

    @property
    def labels(self):
        """What the sets are called."""
        return self.page.locator(".answer > .sets strong").all_inner_texts()

    @property
    def fragment(self):
        """What the address says after #."""
        return self.page.evaluate("location.hash")

    def press(self, name, **options):
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True, **options).click()

    def slide(self, control, value):
        """Move a slider, as a drag does: a value at a time, and then let go."""
        slider = self.page.locator(f"#{control}-range")
        slider.evaluate(
            "(slider, value) => {"
            " const from = Number(slider.value), steps = 5;"
            " for (let step = 1; step <= steps; step += 1) {"
            "  slider.value = from + ((value - from) * step) / steps;"
            "  slider.dispatchEvent(new Event('input', { bubbles: true }));"
            " }"
            " slider.dispatchEvent(new Event('change', { bubbles: true }));"
            "}",
            value,
        )

    def choose(self, feature, action):
        """Do something with a feature of the first set that has it."""
        self.page.locator(".sets .names").get_by_role("button", name=feature, exact=True).first.click()
        self.page.get_by_role("dialog").get_by_role("button", name=action, exact=True).click()


@contextmanager
def visiting(browser, explorer, fragment="", *, width=LAPTOP, height=900, dark=False):
    """Open an explorer; at the end nothing may have gone elsewhere or been complained about."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    try:
        visitor = Visitor(context, explorer, fragment)
        yield visitor
        assert visitor.trouble == []
    finally:
        context.close()


@pytest.fixture(scope="module")
def visitor(browser, explorer):
    """One page for tests that leave nothing behind but steps."""
    with visiting(browser, explorer) as visitor:
        yield visitor


@pytest.fixture
def at(visitor):
    """The page with the settings at the start."""
    return visitor.begin()


# --- Settings ---------------------------------------------------------------------------------------------


def test_controls_change_the_sets_and_the_address(at):
    assert "Proven" in at.page.locator(".banner").inner_text()
    assert [len(one) for one in at.sets] == [3, 3, 3]
    at.slide("n_features", 5)
    at.until(lambda: [len(one) for one in at.sets] == [5, 5, 5])
    at.slide("n_sets", 4)
    at.until(lambda: len(at.sets) == 4)
    at.slide("tau", 1)
    at.until(lambda: len({name for one in at.sets for name in one}) > 10)
    at.until(lambda: "tau=1" in at.fragment)
    assert "n_features=5" in at.fragment
    assert at.page.locator("#tau").input_value() == "1"


def test_sets_as_different_or_as_many_as_possible(at):
    at.page.select_option("#goal", "tau")
    at.until(lambda: "tau=max" in at.fragment and "within=0.05" in at.fragment)
    at.until(lambda: not at.page.locator("#tau").is_visible())
    at.page.select_option("#within", "0.1")
    at.until(lambda: "within=0.1" in at.fragment)
    at.page.select_option("#goal", "n_sets")
    at.until(lambda: "n_alternatives=max" in at.fragment and "tau=max" not in at.fragment)
    at.until(lambda: not at.page.locator("#n_sets").is_visible())
    at.page.select_option("#goal", "")
    at.until(lambda: "max" not in at.fragment and at.page.locator("#n_sets").is_visible())
    assert at.page.locator("#tau").is_visible()


def test_undo_redo_back_and_forward_are_the_same(at):
    start = at.sets
    at.slide("n_features", 4)
    at.until(lambda: len(at.sets[0]) == 4)
    at.press("One more set")
    at.until(lambda: len(at.sets) == 4)
    at.press("Undo")
    at.until(lambda: len(at.sets) == 3)
    at.page.go_back()
    at.until(lambda: at.sets == start)
    assert at.page.locator("#n_features").input_value() == "3"
    at.page.go_forward()
    at.until(lambda: "n_features=4&" in at.fragment and len(at.sets[0]) == 4)
    at.press("Redo")
    at.until(lambda: [len(one) for one in at.sets] == [4] * 4)


def test_require_forbid_pin_and_reject(at):
    last = next(name for name in at.sets[2] if name not in at.sets[0])
    at.choose(last, "Require in every set")
    at.until(lambda: all(last in one for one in at.sets))
    first = next(name for name in at.sets[0] if name != last)
    at.choose(first, "Forbid")
    at.until(lambda: not any(first in one for one in at.sets) and at.sets)
    assert at.page.locator(".conditions li").count() == 2
    at.page.get_by_role("button", name=f"Allow {first}").click()
    at.until(lambda: at.page.locator(".conditions li").count() == 1)
    at.settled()
    kept = at.sets[1]
    at.press("Pin set 1")
    at.until(lambda: at.labels[:1] == ["pinned 1"])
    at.settled()
    assert at.sets[0] == kept
    rejected = at.sets[1]
    at.press("Reject set 0")
    at.until(lambda: rejected not in at.sets and at.sets)
    assert at.sets[0] == kept
    state = at.sets
    at.page.reload()
    at.settled()
    at.until(lambda: at.sets == state)


# --- Addresses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("#n_features=many", "n_features=many, which is no number"),
        ("#colour=red", '"colour", which is no setting'),
        ("#pinned=[1", "which is no list of features"),
        ("#require=sensor 99", "sensor 99"),
        ("#tau=7", "tau"),
        ("#n_features=400", "400"),
        # Another process looks into qualities that are new.
        pytest.param("#quality=best", "best"),
    ],
)
def test_an_address_that_cannot_be_is_refused_in_a_sentence(at, fragment, said):
    before = at.sets
    at.page.evaluate("fragment => { location.hash = fragment; }", fragment)
    at.until(lambda: said in at.page.locator(".trouble").inner_text())
    assert at.sets == before
    assert "n_features=3&" in at.fragment


# --- Further questions ------------------------------------------------------------------------------------


def test_what_stands_in_is_told_where_it_was_asked(at):
    lost = at.sets[0][0]
    at.choose(lost, "What stands in for it?")
    dialog = at.page.get_by_role("dialog")
    at.until(lambda: f"In the place of {lost}: " in dialog.inner_text())
    at.page.keyboard.press("Escape")
    assert not dialog.is_visible()
    other = next(name for name in at.sets[1] if name not in at.sets[0])
    at.choose(other, "What is it worth?")
    at.until(lambda: f"{other} is not in set 0" in dialog.inner_text() and "keeps" in dialog.inner_text())


def test_two_settings_side_by_side(at):
    at.press("Compare from here")
    at.slide("tau", 1)
    at.until(lambda: at.page.locator(".side").count() == 2)
    at.until(lambda: "Changed: tau from 0.5 to 1" in at.page.locator(".panel").first.inner_text())
    at.press("Stop comparing")
    at.until(lambda: not at.page.locator(".side").first.is_visible())
    assert not at.page.locator(".side").first.is_visible()


def test_predictions_are_tested_in_the_background(at):
    at.press("Test predictions")
    at.page.locator("#prediction").wait_for(timeout=START)
    assert at.page.locator(".panel").nth(1).inner_text().count("baseline")


@pytest.mark.parametrize(
    ("kind", "name", "first"),
    [
        ("CSV", "altsets.csv", b""),
        ("JSON", "altsets.json", b"{"),
        ("Report", "altsets.html", b"<!doctype html>"),
        ("Python", "altsets.py", b""),
        ("Command", "altsets.txt", b"altsets find"),
    ],
)
def test_downloads(at, tmp_path, kind, name, first):
    with at.page.expect_download() as caught:
        at.press(kind)
    assert caught.value.suggested_filename == name
    caught.value.save_as(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    assert content.startswith(first)
    assert b"sensor 0" in content or kind in ("Python", "Command")


# --- Keyboard and screen readers ---------------------------------------------------------------------------


def test_the_keyboard_does_all_that_a_mouse_does(at, snapshot):
    page = at.page
    page.locator("#tau-range").focus()
    page.keyboard.press("End")
    at.until(lambda: "tau=1&" in at.fragment)
    at.until(lambda: len({name for one in at.sets for name in one}) == 9)
    voice = page.locator(".voice")
    at.until(lambda: "The best set of 3 features: " in voice.inner_text())
    page.locator("#membership .plot").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = page.get_by_role("dialog").get_by_role("heading").inner_text()
    page.keyboard.press("Tab")
    assert page.locator("altsets-explorer").evaluate("e => e.shadowRoot.activeElement.tagName") == snapshot
    page.get_by_role("button", name="Forbid", exact=True).focus()
    page.keyboard.press("Enter")
    at.until(lambda: not any(chosen in one for one in at.sets) and at.sets)
    # Where one was.
    focused = "e => e.shadowRoot.activeElement?.className"
    at.until(lambda: page.locator("altsets-explorer").evaluate(focused) == "plot")


def test_the_focus_stays_where_it_was_when_sets_change(at):
    at.page.get_by_role("button", name="Reject set 1").focus()
    before = at.sets
    at.page.keyboard.press("Enter")
    at.until(lambda: at.sets != before)
    assert before[1] not in at.sets
    focused = "e => e.shadowRoot.activeElement?.getAttribute('aria-label')"
    at.until(lambda: at.page.locator("altsets-explorer").evaluate(focused) == "Reject set 1")


def test_features_are_searched(at):
    at.page.get_by_text("All features").click()
    at.page.get_by_role("searchbox", name="Search features").fill("SENSOR 1")
    names = at.page.locator(".features button")
    # 1, and 10 to 15.
    at.until(lambda: names.count() == 7)
    assert all("sensor 1" in name.lower() for name in names.all_inner_texts())
    names.first.click()
    at.page.get_by_role("button", name="Require in every set").click()
    at.until(lambda: at.page.locator(".features .mark").all_inner_texts() == ["required"])


# --- A page of one's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("dark", "width"), [(False, PHONE), (True, LAPTOP)])
def test_axe_finds_no_violation(browser, explorer, dark, width):
    with visiting(browser, explorer, dark=dark, width=width) as at:
        at.page.locator("#frontier").wait_for()
        assert violations(at.page) == []
        at.press("Compare from here")
        at.press("Pin set 1")
        at.until(lambda: at.page.locator(".side").count() == 2)
        at.press("Test predictions")
        at.page.locator("#prediction").wait_for(timeout=START)
        at.page.locator(".sets .names button").first.click()
        assert violations(at.page) == []
        for across in (width, 1900):
            at.page.set_viewport_size({"width": across, "height": 900})
            assert at.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_reload_and_an_address_of_another_keep_everything(browser, explorer):
    with visiting(browser, explorer) as at:
        undo, redo = (at.page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
        assert undo.get_attribute("aria-disabled") == redo.get_attribute("aria-disabled") == "true"
        at.slide("tau", 0.8)
        at.press("One more set")
        at.until(lambda: len(at.sets) == 4)
        at.press("Undo")
        at.until(lambda: len(at.sets) == 3)
        before, fragment = at.sets, at.fragment
        at.page.reload()
        at.settled()
        at.until(lambda: at.sets == before)
        at.until(lambda: redo.get_attribute("aria-disabled") == "false")
        at.press("Redo")
        at.until(lambda: len(at.sets) == 4)
    with visiting(browser, explorer, fragment) as at:
        at.until(lambda: at.sets == before)


def test_hostile_names_are_text(browser):
    X, y = table(60, NAMES)
    with (
        exploring(X, y, quality="f", n_features=3, n_alternatives=2) as explorer,
        visiting(browser, explorer, width=PHONE) as at,
    ):
        at.page.get_by_text("All features").click()
        at.page.locator(".features button").first.click()
        at.page.get_by_role("button", name="Require in every set").click()
        at.page.locator(".conditions li").first.wait_for()
        at.press("Compare from here")
        at.press("Pin set 0")
        at.until(lambda: at.page.locator(".side").count() == 2)
        shown = at.page.locator("altsets-explorer").evaluate("element => element.shadowRoot.textContent")
        assert [name for name in NAMES[:3] if name not in shown] == []
        assert at.page.evaluate("window.hacked") is None
        assert at.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        before = at.sets
        at.page.reload()
        at.settled()
        at.until(lambda: at.sets == before)


# --- Long searches -----------------------------------------------------------------------------------------

#: Many sets at once of a quality of pairs.
LONG = "n_features=12&n_alternatives=9&search=simultaneous"


@pytest.fixture(scope="module")
def slow_explorer():
    """A search that takes longer than anybody waits."""
    X, y = table(80, [f"gene {number}" for number in range(200)])
    with exploring(X, y, quality="mrmr", n_features=3, n_alternatives=0) as explorer:
        yield explorer


def test_a_long_search_shows_the_best_so_far_and_can_be_stopped(browser, slow_explorer):
    with visiting(browser, slow_explorer) as at:
        at.page.evaluate("fragment => { location.hash = fragment; }", LONG)
        stop = at.page.get_by_role("button", name="Stop and keep the best")
        stop.wait_for()
        at.until(lambda: at.page.locator(".banner .sure").inner_text() == "Best so far")
        at.until(lambda: "no sets can have more than" in at.page.locator(".banner").inner_text())
        stop.click()
        at.settled()
        assert re.search("Not proven|Proven for . of", at.page.locator(".banner").inner_text())
        assert len(at.sets) == 10


def test_a_newer_wish_takes_the_place_of_a_long_search(browser, slow_explorer):
    with visiting(browser, slow_explorer) as at:
        at.page.evaluate("fragment => { location.hash = fragment; }", LONG)
        at.page.get_by_role("button", name="Stop and keep the best").wait_for()
        at.page.go_back()
        at.until(lambda: [len(one) for one in at.sets] == [3])
        at.until(lambda: "Proven:" in at.page.locator(".banner").inner_text())


def test_settings_change_while_the_first_search_goes_on(browser):
    X, y = table(80, [f"gene {number}" for number in range(200)])
    options = {"n_features": 12, "n_alternatives": 9, "search": "simultaneous"}
    with exploring(X, y, quality="mrmr", **options) as explorer, slowly(browser, explorer) as page:
        page.locator(".banner", has_text="Best so far").wait_for(timeout=START)
        page.locator("#n_features-range").evaluate(
            "slider => { slider.value = 2; slider.dispatchEvent(new Event('input')); }"
        )
        page.locator("#n_sets-range").evaluate(
            "slider => { slider.value = 1; slider.dispatchEvent(new Event('input')); }"
        )
        # Between the two changes the page may show a proven answer to the first one.
        cards = page.locator(".answer > .sets > li")
        cards.nth(1).wait_for(state="detached", timeout=START)
        page.locator(".banner", has_text="Proven").wait_for(timeout=START)
        assert cards.count() == 1


@contextmanager
def slowly(browser, explorer):
    """A page that is not waited for."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(explorer.address)
        yield page
    finally:
        context.close()


def test_a_file_leads_to_the_page(browser):
    """Browsers are given this file, so that the list of processes does not show the address."""
    X, y = table(60, [f"sensor {number}" for number in range(6)])
    with (
        exploring(X, y, quality="f", n_features=2) as explorer,
        closing(browser.new_context()) as context,
        entrance_to(explorer.address) as entrance,
    ):
        page = context.new_page()
        page.goto(entrance)
        page.locator(".sets > li").first.wait_for(timeout=START)
        assert "key=" not in page.url


def test_when_the_server_is_gone_the_page_says_so(browser):
    X, y = table(60, [f"sensor {number}" for number in range(6)])
    with exploring(X, y, quality="f", n_features=2) as explorer:
        context = browser.new_context()
        at = Visitor(context, explorer)
    at.press("One more set")
    at.until(lambda: "Is its program still running?" in at.page.locator(".trouble").inner_text())
    assert at.page.get_by_role("button", name="Try again").is_visible()
    context.close()


def test_twenty_thousand_features_never_freeze_the_page(browser):
    X, y = table(100, [f"probe {number:05d}" for number in range(20_000)])
    with exploring(X, y, quality="f", n_features=5) as explorer:
        context = browser.new_context()
        context.add_init_script(
            "window.longest = 0; new PerformanceObserver((list) => { for (const task of list.getEntries())"
            " window.longest = Math.max(window.longest, task.duration); }).observe({ type: 'longtask' });"
        )
        at = Visitor(context, explorer)
        at.page.get_by_text("All features").click()
        at.page.get_by_role("searchbox", name="Search features").type("probe 0199")
        at.until(lambda: at.page.locator(".features button").count() == 10)
        at.slide("tau", 1)
        at.until(lambda: "tau=1&" in at.fragment)
        assert at.trouble == []
        assert at.page.evaluate("window.longest") < 1000
        context.close()
