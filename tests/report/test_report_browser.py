"""Reports of real searches, opened from disk in a real browser without a network."""

from __future__ import annotations

import csv
import shlex

import browsers
import numpy as np
import pytest
from pages import HOSTILE

pytestmark = pytest.mark.slow

pytest.importorskip("jinja2")

#: Names that a CSV file can hold; each also says which it is.
NAMES = [f"{number} {name}".replace("\x00", "").strip() for number, name in enumerate(HOSTILE[:8])]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The report of altsets find on a table with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, len(NAMES))) + y[:, None] * np.linspace(3, 0, len(NAMES))
    with open(folder / "table.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "<i>target</i>"])
        writer.writerows([*row, "yes" if label else "no"] for row, label in zip(X.tolist(), y, strict=True))
    return folder


@pytest.fixture
def report(hostile, run):
    """Made for the first test that wants it."""
    path = hostile / "report.html"
    if path.exists():
        return path
    asked = shlex.split("-t <i>target</i> -k 3 -a 2 --quality f --distinct 0.9 --evaluate --cv 3")
    code, _, err = run("find", hostile / "table.csv", *asked, "--report", path)
    assert code == 0, err
    return path


def drawn(visit):
    """Wait until the module has taken the place of the static content."""
    visit.page.locator("altsets-page .sections h2").first.wait_for()


def test_a_report_with_hostile_names_is_quiet_and_shows_them_as_text(browser, report):
    with browsers.opened(browser, report) as visit:
        page = visit.page
        drawn(visit)
        assert visit.trouble == []
        assert page.evaluate("window.hacked") is None
        shown = page.locator("altsets-page").evaluate("element => element.shadowRoot.textContent")
        assert "0 <script>window.hacked = 1</script>" in shown
        assert "<i>target</i>" in page.title()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.locator("altsets-page section").count() >= 8
        assert "is not understood" not in shown


def test_axe_finds_nothing(browser, report):
    with browsers.opened(browser, report) as visit:
        drawn(visit)
        assert browsers.violations(visit.page) == []
        visit.page.emulate_media(color_scheme="dark")
        assert browsers.violations(visit.page, browsers.CONTRAST) == []


def test_without_javascript_the_sets_are_readable(browser, report):
    with browsers.opened(browser, report, width=browsers.PHONE, java_script_enabled=False) as visit:
        shown = visit.page.locator("main").inner_text()
        assert visit.trouble == []
        for words in ("need JavaScript", "In short", "proven best", "<script>window.hacked = 1</script>"):
            assert words in shown
        assert len(shown) < 60_000


#: What is left of a sheet of A4 between the margins, in pixels of a browser.
SHEET = {"width": 665, "height": 979}


def first_page(visit):
    """Where the decisions of a report end, and its table of sets, in pixels from the top."""
    return visit.page.locator("altsets-page").evaluate(
        "element => ['.banner', '#in-short .table'].map("
        "(part) => element.shadowRoot.querySelector(part).getBoundingClientRect().bottom)"
    )


def test_decisions_are_on_the_first_screen_and_the_sets_on_the_first_sheet(browser, run, tmp_path):
    from sklearn.datasets import load_breast_cancer

    load_breast_cancer(as_frame=True).frame.to_csv(tmp_path / "wdbc.csv", index=False)
    path = tmp_path / "wdbc.html"
    asked = ("-t", "target", "-k", 5, "-a", 2, "--tau", 0.8, "--evaluate", "--report", path)
    assert run("find", tmp_path / "wdbc.csv", *asked)[0] == 0
    with browsers.opened(browser, path) as visit:
        drawn(visit)
        assert first_page(visit)[0] <= 800
        banner = visit.page.locator("altsets-page .banner")
        assert banner.locator("p").first.inner_text().startswith("Use set ")
    with browsers.opened(browser, path, **SHEET) as visit:
        visit.page.emulate_media(media="print")
        drawn(visit)
        assert first_page(visit)[1] <= SHEET["height"]
