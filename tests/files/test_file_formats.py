"""Files that are no CSV: workbooks and decimal commas that are read, and all others named as what they are."""

from __future__ import annotations

import gzip
import io
import sys
import types
import zipfile

import numpy as np
import pandas as pd
import pytest

from altsets.errors import MissingExtraError, TableError
from altsets.files.contents import BEGINNINGS, text_files
from altsets.files.dataset import read_columns, split_target


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name.replace("__", "/").replace("_", ".")), content)
    return stream.getvalue()


WORKBOOK = zipped(xl__workbook_xml="<workbook/>", Content_Types_xml="<Types/>")


def refusal(path, **options):
    with pytest.raises(TableError) as caught:
        read_columns(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert not message.endswith("..")
    return message


# --- Named as what they are ------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "words"), [
    ('[{"a": 1, "y": 2}]', "is a JSON document; read it with pandas.read_json"),
    ('{"a": [1, 2],\n "y": [3, 4]}\n', "is a JSON document"),
    ('{"a": 1}\n{"a": 2}\n', "is a JSON document"),
    ("[" * 100_000, "is a JSON document"),
    ("<!DOCTYPE html>\n<html><body>Sign in</body></html>", "is a web page (HTML)"),
    ("\n<div><table><tr><td>1</td></tr></table></div>", "is a web page (HTML)"),
    ('<?xml version="1.0"?><rows/>', "is an XML document"),
    (zipped(table_csv="a,y\n1,2\n"), "is a zip archive of table.csv; unpack it"),
    (zipped(one_csv="", two_csv=""), "is a zip archive of 2 files; unpack it"),
    (zipped(mimetype="application/vnd.oasis", content_xml=""), "is an OpenDocument file; save the sheet as CSV"),
    (zipped(xl__workbook_bin=""), "in binary form (.xlsb); save it as .xlsx or CSV"),
    (zipped(arr_npy=""), "is a file of NumPy arrays"),
    (b"PK\x03\x04 cut off", "is a damaged zip archive"),
    (gzip.compress(b'{"a": 1}', mtime=0), "is a JSON document"),
])  # fmt: skip
def test_other_formats_are_named(write, content, words):
    assert words in refusal(write(content))


@pytest.mark.parametrize(
    ("beginning", "kind", "advice"),
    [(one, kind, advice) for several, kind, advice in BEGINNINGS for one in several],
)
def test_beginnings_are_known(write, beginning, kind, advice, snapshot):
    message = refusal(write(beginning + b"\x00\x01\x02\x03" * 10))
    assert message == snapshot


def test_real_files_of_pandas_are_named(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]})
    frame.to_feather(tmp_path / "table.feather")
    frame.to_stata(tmp_path / "table.dta", write_index=False, version=118)
    frame.to_stata(tmp_path / "old.dta", write_index=False, version=114)
    frame.to_json(tmp_path / "table.json")
    frame.to_html(tmp_path / "table.html")
    for name, kind in (
        ("table.feather", "a Feather or Arrow file"),
        ("table.dta", "a Stata file"),
        ("old.dta", "a Stata file"),
        ("table.json", "a JSON document"),
        ("table.html", "a web page (HTML)"),
    ):
        assert refusal(tmp_path / name).startswith(f"{name} is {kind}; ")


@pytest.mark.parametrize("header", ["[a],[b]", "{a};b", "[1],b", "<5,b", "$FL,b", "OR,C", "7z,b", "BZ,h"])
def test_odd_headers_are_still_tables(write, header):
    delimiter = ";" if ";" in header else ","
    table = read_columns(write(f"{header}\n1{delimiter}2\n"))
    assert len(table.names) == 2
    assert [column.tolist() for column in table.columns] == [[1.0], [2.0]]


# --- Decimal commas --------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_commas(write, delimiter):
    content = "dose|town|y\n1,5|Rome, old|0\n-2|Oslo|1\n|3.5 b|0\n1,5e3|Bonn|1\n".replace("|", delimiter)
    with text_files(decimal=","):
        table = read_columns(write(content))
    assert table.names == ("dose", "town", "y")
    assert np.array_equal(table.columns[0], [1.5, -2.0, np.nan, 1500.0], equal_nan=True)
    assert table.columns[1].tolist() == ["Rome, old", "Oslo", "3.5 b", "Bonn"]
    assert table.columns[2].tolist() == [0.0, 1.0, 0.0, 1.0]


def test_a_decimal_point_is_what_is_read_anyway(write):
    path = write("a;y\n1.5;0\n2.5;1\n")
    assert read_columns(path).columns[0].tolist() == [1.5, 2.5]
    with text_files(decimal="."):
        assert read_columns(path).columns[0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(("content", "decimal", "words"), [
    ("a,y\n1,5\n2,6\n", ",", "has commas between its fields, so they cannot be decimal signs as well"),
    ("a;y\n1.234;0\n2.500;1\n", ",", "column a has numbers with a point, such as '1.234', though commas are"),
    ("a;y\n1.234,5;0\n2;1\n3.000,1;0\n", ",", "column a has numbers with a point, such as '1.234,5'"),
    ("a;y\n1,5;0\n", ";", "decimal=';' is not a decimal sign; give a comma or a point."),
])  # fmt: skip
def test_decimal_signs_that_make_no_sense(write, content, decimal, words):
    with text_files(decimal=decimal):
        assert words in refusal(write(content))


def test_dates_beside_decimal_commas_are_dates(write, refused):
    with text_files(decimal=","):
        table = read_columns(write("day;a;y\n31.12.2020;1,5;0\n1.1.2021;2,5;1\n"))
    with refused(TableError):
        split_target(table, "y")


def test_sheets_are_those_of_a_workbook(write, snapshot):
    assert refusal(write("a,y\n1,2\n"), sheet="one") == snapshot


# --- Encodings -------------------------------------------------------------------------------------

WORDS = "größe;y\nklein;0\ngroß;1\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "utf-8", "utf-16"])
def test_text_that_is_not_utf_8_is_read_in_the_encoding_given(write, encoding):
    # Marks, and files that are UTF-8 in any case, do not need it.
    given = "latin-1" if encoding.startswith("utf-8") or encoding == "utf-16" else encoding
    with text_files(given):
        table = read_columns(write(WORDS.encode(encoding)))
    assert (table.names, table.columns[0].tolist()) == (("größe", "y"), ["klein", "groß"])


@pytest.mark.parametrize("encoding", [None, "ascii", "no such", "hex"])
def test_text_in_another_encoding_is_refused(write, snapshot, encoding):
    with text_files(encoding):
        assert refusal(write(WORDS.encode("latin-1"))) == snapshot


# --- Excel -----------------------------------------------------------------------------------------


class Sheet:
    def __init__(self, title, rows):
        self.title, self.rows = title, rows

    def reset_dimensions(self):
        pass

    def iter_rows(self, values_only):
        assert values_only
        return iter([tuple(row) for row in self.rows])


@pytest.fixture
def excel(write, monkeypatch):
    """Sheets in a workbook, as openpyxl would read them."""

    def excel(**sheets):
        book = types.SimpleNamespace(worksheets=[Sheet(title, rows) for title, rows in sheets.items()])
        fake = types.ModuleType("openpyxl")
        fake.load_workbook = lambda stream, read_only, data_only: book
        monkeypatch.setitem(sys.modules, "openpyxl", fake)
        return write(WORKBOOK, "book.xlsx")

    return excel


def test_a_sheet_is_read_like_csv(excel, snapshot):
    path = excel(
        first=[
            ["a, cm", "town", "ok", 2020, None],
            [1, "Rome", True, 0.1, None],
            [2.5, None, False, "NA"],
            [None, "Oslo; old", True, 1e300, None],
            [None] * 5,
        ],
        second=[["b"], [1]],
    )
    table = read_columns(path)
    assert table.names == ("a, cm", "town", "ok", "2020")
    assert np.array_equal(table.columns[0], [1.0, 2.5, np.nan], equal_nan=True)
    assert table.columns[1].tolist() == ["Rome", None, "Oslo; old"]
    assert table.columns[2].tolist() == [1.0, 0.0, 1.0]
    assert np.array_equal(table.columns[3], [0.1, np.nan, 1e300], equal_nan=True)
    assert read_columns(path, sheet="second").names == ("b",)
    assert refusal(path, sheet="third") == snapshot


def test_empty_sheets_and_damaged_workbooks(excel, snapshot):
    assert refusal(excel(first=[[None, None], []])) == snapshot
    assert refusal(excel()) == snapshot


def test_without_openpyxl_the_extra_is_named(write, monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with refused(MissingExtraError):
        read_columns(write(WORKBOOK, "book.xlsx"))


def test_a_real_workbook(tmp_path, snapshot):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "when", "y"], [1.5, None, "no"], [2, None, "yes"]):
        book.active.append(row)
    book.create_sheet("more").append(["b"])
    book.save(tmp_path / "book.xlsx")
    table = read_columns(tmp_path / "book.xlsx")
    assert table.names == ("a", "when", "y")
    assert table.columns[0].tolist() == [1.5, 2.0]
    assert table.columns[2].tolist() == ["no", "yes"]
    assert refusal(tmp_path / "book.xlsx", sheet="more") == snapshot


# --- Rows without a target -------------------------------------------------------------------------


def test_rows_without_a_target_can_be_dropped(write, refused):
    table = read_columns(write("a,g,y\n1,u,no\n2,v,\n3,w,yes\n4,u,NA\n"))
    with refused(TableError):
        split_target(table, "y")
    data = split_target(table, "y", groups="g", drop_missing_target=True)
    assert data.X.values.tolist() == [[1.0], [3.0]]
    assert data.y.tolist() == ["no", "yes"]
    assert data.groups.tolist() == ["u", "w"]
    assert data.n_dropped == 2
    assert data.feature_names == ("a",)


@pytest.mark.parametrize(("content", "words"), [
    ("a,g,y\n1,u,\n2,v,\n", "has no values at all; choose another target"),
    ("a,g,y\n1,u,0\n2,,1\n", r"column 'g' says which rows belong together, and has 1 missing value \(of 2\)"),
    ("a,y\n1,0\n2,1\n", "has no column of groups 'g'"),
])  # fmt: skip
def test_targets_and_groups_that_are_refused(write, content, words):
    with pytest.raises(TableError, match=words):
        split_target(read_columns(write(content)), "y", groups="g", drop_missing_target=True)
