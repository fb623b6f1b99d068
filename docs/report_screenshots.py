"""Write the reports of two tables, and take screenshots of them in a browser, into docs/images::

    python docs/report_screenshots.py DATA_FOLDER

The folder holds ``wdbc.csv.gz`` and ``house_votes_84.csv.gz``, as for plots.py. The screenshots show what a reader
sees first: the upper part of the page on a laptop, and on a phone in dark mode.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browsers import LAPTOP, PHONE, opened, started  # noqa: E402

#: The tables, and the options for each.
ASKED = {
    "wdbc": ("--evaluate",),
    "house_votes_84": ("-k", "4", "--distinct", "0.7", "--evaluate"),
}
#: What the guide shows of each: a name, the width and the height of the window, and whether it is dark.
VIEWS = {"wdbc": ("phone", PHONE, 1300, True), "house_votes_84": ("laptop", LAPTOP, 1750, False)}


def report_of(table: Path, page: Path, asked: tuple[str, ...]) -> None:
    """Run the command in the folder of the table, as a user does."""
    words = ["find", table.name, "--target", "target", *asked, "--report", str(page)]
    subprocess.run(
        [sys.executable, "-m", "altsets", *words], cwd=table.parent, check=True, capture_output=True
    )


def main(folder: Path) -> None:
    """Write all screenshots."""
    with tempfile.TemporaryDirectory() as temporary, started() as browser:
        for name, asked in ASKED.items():
            page = Path(temporary) / f"{name}.html"
            report_of(folder / f"{name}.csv.gz", page, asked)
            view, width, height, dark = VIEWS[name]
            image = IMAGES / f"{name}_report_{view}.png"
            with opened(browser, page, width=width, height=height, dark=dark) as visit:
                visit.page.locator("altsets-page .sections h2").first.wait_for()
                visit.page.screenshot(path=image)
            # A page has few colours.
            few = Image.open(image).convert("RGB").quantize(64, dither=Image.Dither.NONE)
            few.save(image, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
