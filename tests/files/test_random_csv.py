"""Random CSV files, read as the rules of the guide say: cell by cell, by the csv module and Python's own numbers."""

from __future__ import annotations

import csv
import gzip
import io
import math
import random

import pytest

from altsets.files.contents import text_files
from altsets.files.dataset import read_columns

MISSING = ("", " ", "NA", "n/a", "NaN", "null", "None", "?", "<NA>", "#N/A")
CELLS = {
    "numbers": ["1", "-2.5", "1e-300", ".5", "+3", " 7 ", "0.1", "12345678.9", "007"],
    "plain": ["0.25", "17", "-1e5", "3.000000000000001"],
    "truth": ["True", "false", "1"],
    "huge": ["9007199254740993", "1", "2"],
    "text": ["a", " b b", "c,d", 'e"f', "g\nh", "ü", "1_000", "0x10", "1;5"],
    "spelled": ["12_345", "0x10", "1 000", "12%", "2020-01-01", "1"],
    "late": ["1", "2", "3", "4", "5", "6", "7", "x"],
    "infinite": ["inf", "-Infinity", "1", "1e400"],
    "digits": ["\u0661", "2"],
}


def expected(cells, comma):
    """A column as numbers if all of its cells are, else as text; None is missing."""
    known = [None if cell in MISSING else cell.strip() for cell in cells]
    swapped = [cell and cell.translate(str.maketrans(",.", ".,") if comma else {}) for cell in known]
    truth = {"true": "1", "false": "0"}
    try:
        if any(cell and ("_" in cell or cell == "9007199254740993") for cell in swapped):
            return known
        return [None if cell is None else float(truth.get(cell.lower(), cell)) for cell in swapped]
    except ValueError:
        return known


def as_written(rows, pick, delimiter):
    end = pick.choice(["\n", "\r\n", "\r"])
    # Newlines in cells are quoted only where lines end so.
    quoting = csv.QUOTE_ALL if end == "\r" else pick.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    lines = []
    for row in rows:
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting).writerow(row)
        lines += [stream.getvalue(), *pick.choices(["", end, f"  {end}", f'""{end}'], [9, 1, 1, 1])]
    text = "".join(lines)
    text = text.rstrip("\r\n") if pick.random() < 0.2 else text
    content = text.encode(pick.choice(["utf-8", "utf-8-sig", "utf-16"]))
    return gzip.compress(content) if pick.random() < 0.2 else content


@pytest.mark.parametrize("seed", range(60))
def test_cells_become_what_the_guide_says(write, seed):
    pick = random.Random(seed)
    comma = pick.random() < 0.2
    delimiter = pick.choice([";", "\t"] if comma else [",", ";", "\t"])
    n_rows = pick.choice([2, 5, 40])
    columns = []
    for kind in pick.choices(list(CELLS), k=pick.randrange(2, 6)):
        cells = [pick.choice(CELLS[kind]) for _ in range(n_rows)]
        cells = [cell.replace(".", ",") if comma else cell for cell in cells]
        share = pick.choice([0, 0, 0.3, 1])
        columns.append([pick.choice(MISSING) if pick.random() < share else cell for cell in cells])
    names = [f"c{place}" for place in range(len(columns))]
    path = write(as_written([names, *zip(*columns, strict=True)], pick, delimiter))
    with text_files(decimal="," if comma else None):
        table = read_columns(path)
    assert table.names == tuple(names)
    for found, cells in zip(table.columns, columns, strict=True):
        plain = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in found.tolist()]
        assert plain == expected(cells, comma)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("y\nNA\n\n  \n7\n", [None, 7.0]),
        ('a,y\n1,"2\n', [2.0]),
        ('a,y\n1,2"3\n4,"5"6\n', ['2"3', "56"]),
        ("a,y\n1,2\n   \n3,4\n", [2.0, 4.0]),
    ],
    ids=["one column", "a quote without an end", "quotes inside", "a line of blanks"],
)
def test_dialects_that_are_read_line_by_line(write, content, rows):
    found = read_columns(write(content)).columns[-1].tolist()
    assert [None if cell != cell else cell for cell in found] == rows
