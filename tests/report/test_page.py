"""The page module in a real browser: documents are drawn whatever is in them, and nobody is asked for anything."""

from __future__ import annotations

import csv
import io
import re
from contextlib import contextmanager

import browsers
import pytest
from browsers import CONTRAST, LAPTOP, PHONE, opened, violations
from clocks import wait_until
from pages import (
    HOSTILE,
    N_FEATURES,
    SETS,
    bars,
    chart,
    document,
    everything,
    features_table,
    file_of,
    lines,
    matrix,
    membership,
    module_text,
    table,
    text,
)

pytestmark = pytest.mark.slow

DASH, MINUS = "\u2013", "\u2212"
NAMES = tuple(f"feature {place}" for place in range(N_FEATURES))


@pytest.fixture
def show(browser, tmp_path):
    """Open a document in the browser; at the end nothing may have been asked for or complained about."""

    @contextmanager
    def show(content, *, width=LAPTOP, dark=False, browser_options=None, **file):
        path = file_of(content, tmp_path / "page.html", **file)
        with opened(browser, path, width=width, dark=dark, **(browser_options or {})) as visit:
            yield visit.page
            assert visit.trouble == []

    return show


def until(page, condition):
    """Wait for what happens in the next frame or two."""
    wait_until(condition, lambda: page.wait_for_timeout(20))


def column_of(page, place, block="#features"):
    return page.locator(f"{block} tbody tr > :nth-child({place})").all_inner_texts()


def width_of_content(page):
    return page.evaluate("document.scrollingElement.scrollWidth")


# --- The module as text ---------------------------------------------------------------------------------------
def test_the_module_can_stand_in_a_script_and_asks_for_nothing():
    module = module_text()
    assert "</script" not in module.lower()
    assert "<!--" not in module
    assert re.findall(r"\w+://\S+", module) == ['http://www.w3.org/2000/svg",']
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "eval(",
        "Function(",
        "fetch(",
        "import(",
        "import ",
    ):
        assert not re.search(rf"(?<![a-z]){re.escape(word)}", module), word


def test_the_module_is_small():
    assert len(module_text().encode()) < 82_000


# --- The browser ----------------------------------------------------------------------------------------------
def test_without_a_browser_tests_are_skipped_or_fail(monkeypatch, refused):
    monkeypatch.setattr(browsers, "found", lambda: None)
    monkeypatch.delenv("ALTSETS_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="No browser: "):
        browsers.need_browser()
    monkeypatch.setenv("ALTSETS_BROWSER", "required")
    with refused(pytest.fail.Exception):
        browsers.need_browser()


def test_requests_and_errors_are_heard(browser, tmp_path, snapshot):
    page = tmp_path / "bad.html"
    page.write_text(
        "<img src='https://example.org/x.png'><script>console.error('no'); throw new Error('oh')</script>",
        encoding="utf-8",
    )
    with opened(browser, page) as visit:
        # A request fails when it does, before or after the script.
        said = sorted(visit.trouble)
    assert said == snapshot
    assert {"console: no", "error: oh"} <= set(said)


# --- What is drawn --------------------------------------------------------------------------------------------
def test_a_document_is_drawn_whole(show, snapshot):
    with show(everything()) as page:
        assert page.get_by_role("heading", level=1).inner_text() == snapshot
        assert page.get_by_role("heading", level=2).all_inner_texts() == [
            "Data",
            "Sets",
            "Pictures",
            "Frontier",
            "Again",
        ]
        assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1
        assert page.get_by_role("navigation").get_by_role("link").count() == 5
        assert page.locator("figure svg").count() >= 5
        assert page.get_by_text("The static content.").is_hidden()
        assert page.locator(".message").count() == 0
        assert page.locator("dl.facts").inner_text().split("\n") == ["Rows", "569", "Target", "feature 0"]


def test_contents_lead_to_sections(show):
    with show(everything()) as page:
        page.get_by_role("navigation").get_by_role("link", name="Again").click()
        heading = page.get_by_role("heading", name="Again")
        assert heading.evaluate("e => e.getRootNode().activeElement === e")
        assert page.evaluate("location.hash") == "#again"
        assert heading.evaluate("e => e.getBoundingClientRect().top") < 900
        page.evaluate("scrollTo(0, 0); location.hash = '#frontier'")
        until(page, lambda: page.evaluate("scrollY") > 500)


def test_a_part_of_a_page_begins_one_level_lower_and_has_no_landmarks(show, snapshot):
    with show(everything(), attributes="embedded") as page:
        assert page.get_by_role("heading", level=1).count() == 0
        assert page.get_by_role("heading", level=2).inner_text() == snapshot
        for role in ("banner", "main", "navigation"):
            assert page.get_by_role(role).count() == 0
    with show(document(text("Hello."), title="", subtitle=""), attributes="embedded") as page:
        assert page.get_by_role("heading").all_inner_texts() == ["Section one"]


def test_without_scripts_the_static_content_is_there(show):
    with show(everything(), browser_options={"java_script_enabled": False}) as page:
        assert page.get_by_text("The static content.").is_visible()


@pytest.mark.parametrize("damaged", ["{", '{"sections": 3}'])
def test_a_damaged_document_leaves_the_static_content(show, damaged, snapshot):
    with show(None, embedded_json=damaged) as page:
        assert page.get_by_role("status").inner_text() == snapshot
        assert page.get_by_text("The static content.").is_visible()


def test_a_document_of_a_later_version_leaves_the_static_content(show):
    with show(document(text("Hello."), schema=2)) as page:
        assert "later version" in page.get_by_role("status").inner_text()
        assert page.get_by_text("The static content.").is_visible()


def test_a_new_document_is_drawn_when_the_property_is_set(show):
    with show(everything()) as page:
        page.evaluate(
            "content => { document.querySelector('altsets-page').document = content }",
            document(text("Another one."), features_table(NAMES[:3])),
        )
        assert page.get_by_role("heading", level=1).inner_text() == "A title"
        assert page.get_by_text("Another one.").is_visible()
        assert page.locator("figure").count() == 0
        assert column_of(page, 1) == list(NAMES[:3])
        page.evaluate("document.querySelector('altsets-page').document = 7")
        assert "damaged" in page.get_by_role("status").inner_text()
        assert page.get_by_text("The static content.").is_visible()


def test_a_property_set_before_the_module_ran_counts(show):
    with show(document(text("Hello."))) as page:
        # Small documents have no contents.
        assert page.get_by_role("navigation").count() == 0
        page.evaluate(
            """content => {
                const early = document.createElement("altsets-page");
                early.document = content;
                document.body.replaceChildren(early);
            }""",
            document(text("By property.")),
        )
        assert page.get_by_text("By property.").is_visible()


# --- Odd blocks and values ------------------------------------------------------------------------------------
HUGE = 1.7e308
ODD_BLOCKS = {
    "unknown kind": ({"kind": "hologram"}, "cannot be shown by this version"),
    "no block": (None, "cannot be shown by this version"),
    "name of a method": ({"kind": "constructor"}, "cannot be shown by this version"),
    "unknown chart": (chart("pie"), "cannot be drawn by this version"),
    "no items": ({"kind": "facts", "items": []}, "nothing to show"),
    "no rows": (features_table([]), "nothing to show"),
    "no columns": (table([], []), "nothing to show"),
    "damaged rows": (table([{"name": "A", "kind": "text"}], [None, 3, ["x", "y", "z"]]), "x"),
    "empty membership": (membership([]), "nothing to draw"),
    "empty bars": (bars([]), "nothing to draw"),
    "empty lines": (lines([]), "nothing to draw"),
    "empty matrix": (matrix([]), "nothing to draw"),
    "bare chart": (chart("lines"), "nothing to draw"),
    "damaged chart": (chart("bars", labels=["a"], values=None, lines="none"), "Chart bars"),
}


def test_odd_blocks_are_said_in_words(show):
    sections = [
        {"id": f"case-{place}", "title": case, "blocks": [block, text("The next block.")]}
        for place, (case, (block, _)) in enumerate(ODD_BLOCKS.items())
    ]
    with show(document(sections=sections)) as page:
        for place, (case, (_, said)) in enumerate(ODD_BLOCKS.items()):
            section = page.locator(f"#case-{place}")
            assert section.get_by_text(said).first.is_visible(), case
            assert section.get_by_text("The next block.").is_visible(), case


ODD_CHARTS = {
    "one point": lines(
        ["only"], series=[{"name": "only", "points": [{"x": 1, "y": 2, "label": "", "open": False}]}]
    ),
    "point without value": lines(
        ["a"], series=[{"name": "a", "points": [{"x": 1, "y": None}, {"x": 2, "y": 1}]}]
    ),
    "no value at all": lines(["a"], series=[{"name": "a", "points": [{"x": 1, "y": None}]}]),
    "equal points": lines(["a"], series=[{"name": "a", "points": [{"x": x, "y": 0.5} for x in (1, 2, 3)]}]),
    "huge points": lines(
        ["a"], series=[{"name": "a", "points": [{"x": x, "y": x} for x in (-HUGE, 0, HUGE)]}]
    ),
    "mark that is not there": lines(["a"], mark={"series": 7, "point": 9, "label": "nowhere"}),
    "one bar": bars(["a"]),
    "bars of nothing": bars(["a", "b"], values=[None, None], lines=[]),
    "equal bars": bars(["a", "b"], values=[0, 0], lines=[]),
    "negative bars": bars(["a", "b", "c"], values=[-2, 0, 3.5], lines=[{"label": "below", "value": -1}]),
    "huge bars": bars(["a", "b"], values=[-HUGE, HUGE], lines=[]),
    "tiny bars": bars(["a", "b"], values=[1e-300, 2e-300], lines=[]),
    "half an interval": bars(["a", "b"], low=[None, 0.1], high=[0.9, 0.95]),
    "equal intervals": bars(["a"], values=[1], low=[1], high=[1], lines=[]),
    "no scores": {**membership(["a", "b"]), "scores": [None, None]},
    "negative scores": {**membership(["a", "b"]), "scores": [-1, 2]},
    "no sets": {**membership(["a", "b"]), "sets": [], "members": [[], []]},
    "many sets": {
        **membership(["a", "b"]),
        "sets": [f"set {s}" for s in range(60)],
        "members": [[1] * 60] * 2,
    },
    "one cell": matrix(["a"]),
    "range without extent": matrix(["a", "b"], low=1, high=1),
    "values outside": matrix(["a", "b"], values=[[-5, 5], [1e9, None]]),
    "matrix with holes": matrix(["a", "b"], values=[[1], []]),
}


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_odd_charts_are_drawn_without_a_broken_number(show, width):
    blocks = [
        {**block, "id": f"odd-{place}", "title": case}
        for place, (case, block) in enumerate(ODD_CHARTS.items())
    ]
    with show(document(*blocks), width=width) as page:
        assert page.locator("figure svg").count() >= len(blocks)
        assert page.locator(".message").count() == 0
        attributes = (
            "nodes => nodes.flatMap((node) => [...node.attributes].map(({ value }) => value)).join('\\n')"
        )
        assert not re.search("NaN|Infinity|undefined", page.locator(".plot *").evaluate_all(attributes))
        outside = """nodes => nodes.filter((node) => {
            const box = node.getBoundingClientRect(), room = node.closest(".plot").getBoundingClientRect();
            return box.left < room.left - 3 || box.right > room.right + 3;
        }).map((node) => node.outerHTML)"""
        assert page.locator(".plot svg > text, .plot svg > rect").evaluate_all(outside) == []
        assert width_of_content(page) <= width


# --- Names from data ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_hostile_names_are_shown_as_text(show, width):
    with show(everything(HOSTILE + NAMES), width=width) as page:
        assert page.evaluate("window.hacked") is None
        assert page.locator("script:not([type])").count() == 0
        assert page.locator("img").count() == 0
        assert width_of_content(page) <= width
        shown = column_of(page, 1)
        assert shown[0] == HOSTILE[0]
        assert shown[2] == HOSTILE[2]
        assert shown[6] == HOSTILE[6]
        assert shown[9] == "(blank)"


def test_long_names_are_cut_and_whole_on_request(show):
    with show(document(features_table(HOSTILE))) as page:
        cell = page.locator("#features tbody tr").nth(4).locator("th")
        assert len(cell.inner_text()) < 60
        whole = cell.locator(".whole")
        assert whole.is_hidden()
        cell.locator("summary").focus()
        page.keyboard.press("Enter")
        assert whole.is_visible()
        assert whole.inner_text() == "x" * 10_000
        assert cell.evaluate("e => e.getBoundingClientRect().width") < 600
        assert page.locator("#features").evaluate("e => e.getBoundingClientRect().height") < 2000


def test_names_are_kept_apart_from_the_text_around_them(show):
    with show(document(features_table(HOSTILE), membership(HOSTILE))) as page:
        name = page.locator("#features tbody th").nth(3).locator("bdi")
        assert name.inner_text() == HOSTILE[3]
        assert name.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"
        label = page.locator("#membership svg text").filter(has_text="right to left").first
        assert label.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"


def test_names_in_sentences_do_not_turn_around_what_follows(show, snapshot):
    sentence = f"Mind {HOSTILE[3]}. The rest."
    isolated = "Of \u2068\u05d0\u05d1\u2069 and others."
    with show(document(text(sentence, isolated), bars([HOSTILE[3]]))) as page:
        shown = page.locator(".text p").all_text_contents()
        assert shown == ["Mind right to left without an end. The rest.", isolated]
        page.get_by_role("group", name="Chart bars").focus()
        page.keyboard.press("Home")
        assert page.locator(".tip").text_content() == snapshot


def test_downloads_are_safe_from_formulas(show, snapshot):
    names = [*HOSTILE, "+1", "-2", "@sum", "\t=1", " =1", 'a,"b"\nc', "plain", "größe"]
    with show(document(features_table(names))) as page:
        with page.expect_download() as started:
            page.get_by_role("button", name="Download CSV").click()
        assert started.value.suggested_filename == "features.csv"
        content = started.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.reader(io.StringIO(content, newline="")))
    assert rows[0] == ["Feature", "Score", "Sets"]
    written = [row[0] for row in rows[1:]]
    assert not any(re.match(r"\s*[=+\-@]|[\t\r]", name) for name in written)
    assert [name.removeprefix("'") for name in written] == names
    assert [row[1] for row in rows[1:6]] == ["1", "0.5", "0.3333333333333333", "", "0.2"]
    assert rows[4][2] == snapshot


# --- Tables ---------------------------------------------------------------------------------------------------
def test_numbers_are_sorted_as_numbers_by_mouse(show):
    content = table(
        [{"name": "Name", "kind": "text"}, {"name": "Value", "kind": "number"}],
        [["b 10", 10], ["B 9", 9.5], ["a", None], ["c", -200]],
        id="features",
    )
    with show(document(content)) as page:
        assert column_of(page, 1) == ["b 10", "B 9", "a", "c"]
        head = page.get_by_role("columnheader", name="Value")
        assert head.get_attribute("aria-sort") is None
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert column_of(page, 2) == ["10", "9.5", f"{MINUS}200", DASH]
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert column_of(page, 1) == ["c", "B 9", "b 10", "a"]
        page.get_by_role("columnheader", name="Name").get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") is None
        assert column_of(page, 1) == ["a", "B 9", "b 10", "c"]
        page.keyboard.press("Space")
        assert column_of(page, 1) == ["c", "b 10", "B 9", "a"]


def test_numbers_have_the_digits_that_one_of_them_needs_and_at_most_those_asked_for(show):
    cases = [
        (None, [0, 0.5, 1 / 3, 1], ["0", "0.5", "0.3333", "1"]),
        (3, [0, 0.5, 2 / 3, 1, 123456.7, 999.96], ["0", "0.500", "0.667", "1.00", "123,457", "1000"]),
        (3, [5, 12, 12345, -3], ["5", "12", "12,345", f"{MINUS}3"]),
        (2, [1e-7, 1e300, -2.5e-9, 0.1], [f"1.0e{MINUS}7", "1.0e300", f"{MINUS}2.5e{MINUS}9", "0.1"]),
    ]
    blocks = [
        table(
            [{"name": "Value", "kind": "number", "digits": digits}],
            [[value] for value in values],
            id=f"case-{place}",
        )
        for place, (digits, values, _) in enumerate(cases)
    ]
    with show(document(*blocks)) as page:
        for place, (_, _, shown) in enumerate(cases):
            assert column_of(page, 1, f"#case-{place}") == shown


def test_rows_are_paged_by_mouse(show, snapshot):
    with show(document(features_table(NAMES))) as page:
        block = page.locator("#features")
        assert column_of(page, 1) == list(NAMES[:25])
        assert block.locator("dl.legend div").all_inner_texts() == snapshot
        assert block.locator(".range").inner_text() == f"1{DASH}25 of 40 rows"
        block.get_by_role("button", name="Next rows").click()
        assert column_of(page, 1) == list(NAMES[25:])
        assert block.locator(".range").inner_text() == f"26{DASH}40 of 40 rows"
        block.get_by_role("button", name="Next rows").click(force=True)
        assert column_of(page, 1) == list(NAMES[25:])
        block.get_by_role("button", name="First rows").click()
        assert column_of(page, 1) == list(NAMES[:25])


def test_rows_are_paged_by_keyboard_and_the_focus_stays(show):
    with show(document(features_table(NAMES))) as page:
        block = page.locator("#features")
        following = block.get_by_role("button", name="Next rows")
        following.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert column_of(page, 1) == list(NAMES[25:])
        assert following.get_attribute("aria-disabled") == "true"
        assert following.evaluate("e => e.getRootNode().activeElement === e")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Space")
        assert column_of(page, 1) == list(NAMES[:25])


def test_rows_are_searched(show):
    with show(document(features_table(NAMES))) as page:
        search = page.get_by_role("searchbox", name="Search in All features")
        search.fill("FEATURE 3")
        assert column_of(page, 1) == ["feature 3", *NAMES[30:]]
        search.fill("0.3333")
        assert column_of(page, 1) == ["feature 2"]
        search.fill("<none>")
        assert page.get_by_text("No row matches.").is_visible()
        search.fill("")
        assert len(column_of(page, 1)) == 25


def test_many_names_in_a_cell_are_shown_on_request(show):
    content = table(
        [{"name": "Set", "kind": "text"}, {"name": "Features", "kind": "names"}], [["0", list(NAMES)]]
    )
    with show(document(content)) as page:
        assert page.locator(".names li").count() == 17
        page.get_by_role("button", name="and 24 more").click()
        assert page.locator(".names li").all_inner_texts() == list(NAMES)


# --- Charts ---------------------------------------------------------------------------------------------------
def test_membership_shows_scores_sets_and_noise(show, snapshot):
    with show(document(membership(NAMES))) as page:
        figure = page.locator("#membership")
        inside = sum(place % 4 for place in range(25))
        assert figure.locator(".plot .member").count() == inside
        assert figure.locator(".plot .absent").count() == 75 - inside
        assert figure.locator(".plot .outlined").count() == 16
        assert figure.locator(".key li").all_inner_texts() == snapshot
        figure.get_by_role("button", name="Next features").click()
        assert figure.locator(".plot text").filter(has_text="feature 39").count() == 1
        assert figure.locator(".plot .outlined").count() == 15


def test_bars_show_values_and_lines_across(show, snapshot):
    with show(document(bars(SETS), bars(SETS, id="intervals", low=[0.8] * 3, high=[0.95] * 3))) as page:
        assert page.locator("#bars .plot .bar").count() == 3
        assert page.locator("#bars .plot .across").count() == 1
        assert page.locator("#bars .plot text").all_text_contents() == snapshot
        assert {"0.90", "0.89", "0.88"} <= set(page.locator("#bars .plot text").all_text_contents())
        widths = page.locator("#bars .plot .bar").evaluate_all(
            "bars => bars.map((bar) => bar.width.baseVal.value)"
        )
        assert widths[0] / widths[2] == pytest.approx(0.9 / 0.88, abs=1e-3)
        assert page.locator("#intervals .plot .bar").count() == 0
        assert page.locator("#intervals .plot .member").count() == 3
        assert page.locator("#intervals .plot .whisker").count() == 9


def test_lines_show_series_open_points_and_the_mark(show):
    with show(document(lines(["k = 3", "k = 4"]))) as page:
        figure = page.locator("#lines")
        assert figure.locator(".plot .series").count() == 2
        assert figure.locator(".plot .dot").count() == 8
        assert figure.locator(".plot .open").count() == 2
        assert figure.locator(".plot .ring").count() == 1
        assert figure.locator(".plot text").filter(has_text="it bends here").count() == 1
        shapes = figure.locator(".plot .dot").evaluate_all(
            "dots => new Set(dots.map((dot) => dot.getAttribute('d'))).size"
        )
        assert shapes == 2


def test_many_series_are_paged(show, snapshot):
    with show(document(lines(NAMES[:10]))) as page:
        figure = page.locator("#lines")
        assert figure.locator(".plot .series").count() == 8
        figure.get_by_role("button", name="Next series").click()
        assert figure.locator(".key li").all_inner_texts() == snapshot


def test_a_matrix_has_a_number_in_each_cell_and_hatches_holes(show, snapshot):
    with show(document(matrix(SETS))) as page:
        figure = page.locator("#matrix")
        assert figure.locator(".plot .cell").count() == 9
        assert figure.locator(".plot .on-high, .plot .on-low").all_text_contents() == snapshot
        assert figure.locator(".plot .cell[fill^=url]").count() == 2


def test_a_large_matrix_is_paged_both_ways(show):
    with show(document(matrix(NAMES))) as page:
        figure = page.locator("#matrix")
        figure.get_by_role("button", name="Last rows").click()
        figure.get_by_role("button", name="Last columns").click()
        assert figure.locator(".plot text").filter(has_text=re.compile("^feature 39$")).count() == 2


def test_every_chart_can_be_shown_as_a_table(show):
    second_rows = {
        "membership": ["feature 1", "0.5000", "set 0", "yes"],
        "bars": ["feature 1", "0.89"],
        "lines": ["k = 3", "0.25", "2.9", "tau 0.25", "yes"],
        "matrix": ["set 1", DASH, "1.0", "0.50"],
    }
    with show(document(membership(NAMES), bars(NAMES), lines(["k = 3", "k = 4"]), matrix(SETS))) as page:
        for kind, row in second_rows.items():
            figure = page.locator(f"#{kind}")
            assert figure.get_by_role("table").count() == 0
            figure.get_by_role("button", name="Show as table").focus()
            page.keyboard.press("Enter")
            assert figure.locator("tbody tr").nth(1).locator("> *").all_inner_texts() == row
            figure.get_by_role("button", name="Hide table").click()
            assert figure.get_by_role("table").count() == 0


def test_charts_read_their_values_by_keyboard_and_mouse(show, snapshot):
    with show(document(membership(NAMES), matrix(SETS))) as page:
        plot = page.get_by_role("group", name="Chart membership")
        plot.focus()
        page.keyboard.press("ArrowDown")
        assert plot.get_by_role("status").inner_text() == snapshot
        page.keyboard.press("End")
        page.keyboard.press("Escape")
        assert plot.get_by_role("status").inner_text() == ""
        cells = page.get_by_role("group", name="Chart matrix")
        cells.focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
            page.keyboard.press(key)
        assert cells.get_by_role("status").inner_text() == snapshot
        page.locator("#matrix .cell").nth(2).hover(force=True)


def test_charts_follow_the_width_of_the_window(show):
    with show(document(membership(NAMES), matrix(NAMES))) as page:
        page.set_viewport_size({"width": PHONE, "height": 800})
        drawn = page.locator("#matrix .plot svg")
        until(page, lambda: drawn.evaluate("e => e.width.baseVal.value") < PHONE)
        assert width_of_content(page) <= PHONE


# --- Code -----------------------------------------------------------------------------------------------------
def test_code_is_copied(show):
    code = {"kind": "code", "language": "python", "text": "a = 1\nb = '<b>'", "label": "In Python"}
    with show(document(code)) as page:
        assert page.locator("pre").inner_text() == code["text"]
        page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text } }")
        page.get_by_role("button", name="Copy: In Python").click()
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("window.copied") == code["text"]


def test_code_is_copied_where_the_clipboard_is_out_of_reach(show):
    code = {"kind": "code", "language": "shell", "text": "altsets demo", "label": ""}
    with show(document(code)) as page:
        page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no') } }")
        page.evaluate(
            "() => document.addEventListener('copy', () => { window.copied = `${getSelection()}` })"
        )
        page.get_by_role("button", name="Copy: Command line").click()
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("window.copied") == code["text"]


# --- People, paper, speed -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("width", "rules"), [(PHONE, ()), (LAPTOP, (CONTRAST,))], ids=["light", "dark"])
def test_axe_finds_no_violation(show, width, rules):
    with show(everything(HOSTILE[:5] + NAMES), dark=bool(rules), width=width) as page:
        closed = page.get_by_role("button", name="Show as table")
        while closed.count():
            closed.first.click()
        assert violations(page, *rules) == []


def test_axe_finds_no_violation_where_a_document_is_damaged_or_a_part(show):
    with show(None, embedded_json="{", static="<main><h1>All</h1></main>") as page:
        assert violations(page) == []
    with show(document(text("Hello."), features_table(NAMES)), attributes="embedded") as page:
        assert [
            found
            for found in violations(page)
            if not found.startswith(("region", "landmark-one-main", "page-has"))
        ] == []


def test_paper_has_no_buttons_and_more_than_a_page_of_rows(show):
    names = [f"feature {place}" for place in range(300)]
    with show(everything(names)) as page:
        page.emulate_media(media="print")
        rows = page.locator("#features tbody tr")
        until(page, lambda: rows.count() == 200)
        for control in ("button", "input", "nav", ".tip"):
            assert not any(found.is_visible() for found in page.locator(control).all()), control
        assert page.get_by_text("The first 200 of 300 rows.").is_visible()
        assert page.locator("#features thead").inner_text().split() == ["Feature", "Score", "Sets"]
        page.emulate_media(media="screen")
        until(page, lambda: rows.count() == 25)


def test_paper_is_a4_and_light_whatever_the_screen(show, tmp_path):
    with show(everything(), dark=True) as page:
        page.emulate_media(media="print")
        assert page.locator(".page").evaluate("e => getComputedStyle(e).color") == "rgb(29, 33, 38)"
        pdf = page.pdf(prefer_css_page_size=True)
    (box,) = set(re.findall(rb"/MediaBox\s*\[([^]]*)\]", pdf))
    assert [float(side) for side in box.split()] == pytest.approx([0, 0, 595, 842], abs=1)


def test_two_thousand_features_are_shown_in_pages(browser, tmp_path):
    names = [f"probe {place:05d} of some assay" for place in range(2000)]
    blocks = [features_table(names), membership(names), bars(names), matrix(names[:100])]
    path = file_of(document(*blocks), tmp_path / "page.html")
    with opened(browser, path) as visit:
        assert visit.page.locator("#features tbody tr").count() == 25
        assert visit.page.locator("#matrix .cell").count() > 100
        assert visit.trouble == []
