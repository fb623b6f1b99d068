"""Take screenshots of the explorer on two tables in a browser, into docs/images::

    python docs/explorer_screenshots.py DATA_FOLDER [IMAGE_FOLDER]

The folder holds ``wdbc.csv.gz`` and ``house_votes_84.csv.gz``, as for plots.py. The pages are in the states that the
guide walks through.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browsers import LAPTOP, PHONE, started  # noqa: E402

#: Milliseconds until something counts as missing.
PATIENCE = 120_000


@contextmanager
def explored(table: Path, *options: str) -> Iterator[str]:
    """The address of an explorer of a table."""
    words = ["explore", str(table), "--target", "target", "--no-browser", *options]
    command = subprocess.Popen(
        [sys.executable, "-u", "-m", "altsets", *words], stdout=subprocess.PIPE, text=True
    )
    assert command.stdout is not None
    try:
        yield command.stdout.readline().strip()
    finally:
        command.terminate()
        command.wait()


def press(page: Any, name: str) -> None:
    """Press a button."""
    page.get_by_role("button", name=name, exact=True).first.click()


def start(page: Any) -> None:
    """Nothing: the page as it is opened."""


def stand_in(page: Any) -> None:
    """What stands in for a feature of the best set."""
    page.locator(".sets .names button").first.click()
    press(page, "What stands in for it?")
    page.get_by_text("In the place of").wait_for()


def side_by_side(page: Any) -> None:
    """Sets that may share features, beside sets that share none."""
    press(page, "Compare from here")
    page.locator("#tau-range").focus()
    page.keyboard.press("End")
    page.locator(".side").nth(1).wait_for()
    page.locator(".panel").first.evaluate("panel => panel.scrollIntoView()")


def conditions(page: Any) -> None:
    """A feature that is forbidden, and a set that is pinned."""
    page.locator(".sets .names button").first.click()
    press(page, "Forbid")
    page.locator(".conditions li").first.wait_for()
    press(page, "Pin set 1")
    page.get_by_role("button", name="Unpin pinned 1").wait_for()


def predictions(page: Any) -> None:
    """Cross-validated scores of the sets."""
    press(page, "Test predictions")
    page.locator("#prediction").wait_for()
    page.locator(".panel").nth(1).evaluate("panel => panel.scrollIntoView()")


#: Pictures: the table and its options, what is done, the width and height of the window, and whether it is dark.
PICTURES: dict[str, tuple[str, tuple[str, ...], Callable[[Any], None], int, int, bool]] = {
    "wdbc_explorer_laptop": ("wdbc", ("--quality", "mrmr"), start, LAPTOP, 1000, False),
    "wdbc_explorer_stand_in": ("wdbc", ("--quality", "mrmr"), stand_in, LAPTOP, 620, False),
    "wdbc_explorer_side_by_side": ("wdbc", ("--quality", "mrmr"), side_by_side, LAPTOP, 900, False),
    "house_votes_84_explorer_phone": ("house_votes_84", ("-k", "4"), conditions, PHONE, 1000, True),
    "house_votes_84_explorer_predictions": ("house_votes_84", ("-k", "4"), predictions, LAPTOP, 800, False),
}


def main(folder: Path, images: Path) -> None:
    """Write all pictures."""
    with started() as browser:
        for name, (table, options, act, width, height, dark) in PICTURES.items():
            scheme = "dark" if dark else "light"
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            context.set_default_timeout(PATIENCE)
            with explored(folder / f"{table}.csv.gz", *options) as address:
                page = context.new_page()
                page.goto(address)
                page.locator("#frontier").wait_for()
                act(page)
                page.wait_for_timeout(1000)
                page.screenshot(path=images / f"{name}.png")
            context.close()
            # A page has few colours.
            picture = Image.open(images / f"{name}.png").convert("RGB")
            few = picture.quantize(64, dither=Image.Dither.NONE)
            few.save(images / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "images")
