"""Files that are built to do harm, or hold what no table can: refused in one sentence."""

from __future__ import annotations

import gzip
import re
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from altsets import machine
from altsets.errors import TableError
from altsets.files import contents
from altsets.files.dataset import read_columns, read_table, split_target
from altsets.files.feature_files import Scores, read_scores
from altsets.files.writing import escape_formula, unescape_formula

pq = pytest.importorskip("pyarrow.parquet")


def refusal(path):
    with pytest.raises(TableError) as caught:
        read_columns(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def small_machine(monkeypatch):
    """A machine of 2 MiB that counts the bytes in gzipped texts of more than 64 KiB before it unpacks them."""
    monkeypatch.setattr(contents, "MOST_AT_ONCE", 2**16)
    monkeypatch.setattr(machine, "memory", lambda: 2**21)


@pytest.mark.parametrize("packed", [True, False])
def test_long_texts_are_read(write, small_machine, packed):
    rows = "".join(f"{row},{row / 7},town {row % 3},{row % 2}\r\n" for row in range(5_000))
    content = f"a,b,town,y\r\n{rows}".encode()
    table = read_columns(write(gzip.compress(content) if packed else content))
    assert table.column("b").tolist() == [row / 7 for row in range(5_000)]
    assert table.column("town").tolist() == [f"town {row % 3}" for row in range(5_000)]


@pytest.mark.parametrize("packed", [True, False])
def test_tables_that_take_too_much_memory_are_refused_early(write, small_machine, packed):
    content = b"a,b,c,y\n" + b"0.25,1,2,1\n" * 2**15
    message = refusal(write(gzip.compress(content) if packed else content))
    assert re.search(
        r"\d MB .* 50 % of the 2 MB .*columns=.*dataset\('table\S*', format='csv'\), 'table'", message
    )
    # Fewer columns fit.
    assert read_table(write(gzip.compress(content)), columns=["a"]).X.n_rows == 2**15


@pytest.mark.slow
def test_a_gzip_file_of_gigabytes_is_refused_without_unpacking_it(write, monkeypatch):
    # Four gigabytes in four megabytes; several members count together.
    monkeypatch.setattr(machine, "memory", lambda: 2**32)
    block = gzip.compress(b"0,1\n" * 2**22)
    content = gzip.compress(b"a,y\n") + block * 256
    path = write(content)
    del content
    tracemalloc.start()
    try:
        assert re.search(r"[\d.]+ GB .* 50 % of the 4\.3 GB", refusal(path))
        assert tracemalloc.get_traced_memory()[1] < 6 * contents.MOST_AT_ONCE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (b"\xff\xfe1,2\n", "is not text in UTF-8 (byte 65540 of it"),
        (b"1,\0\n", "is a binary file"),
        (b"1,2,3\n", "line 16386: 3 fields, but the header has 2"),
    ],
)
def test_long_texts_with_something_wrong_far_down(write, small_machine, more, words):
    assert words in refusal(write(b"a,y\n" + b"0,1\n" * 2**14 + more))
    assert words in refusal(write(gzip.compress(b"a,y\n" + b"0,1\n" * 2**14 + more)))


def test_a_long_text_that_ends_too_early(write, small_machine, snapshot):
    rng = np.random.default_rng(0)
    content = b"a,y\n" + "".join(f"{value},1\n" for value in rng.random(20_000)).encode()
    assert refusal(write(gzip.compress(content)[:-50_000])) == snapshot


@pytest.mark.parametrize("columns", ["a,y", "a"])
def test_lines_without_an_end(write, small_machine, columns):
    assert "table" in refusal(write(gzip.compress(f"{columns}\n".encode() + b"1" * 2**19)))


def test_utf_16_in_a_long_text(write, small_machine):
    content = ("a,\u00fc\n" + "0,1\n" * 2**14).encode("utf-16")
    assert read_columns(write(gzip.compress(content))).names == ("a", "\u00fc")


def test_parquet_files_unpack_to_a_limit(tmp_path, monkeypatch, snapshot):
    """One value that repeats a million times is stored once; a large file may hold more than a small one."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.zeros(2**20), "y": np.ones(2**20)}), path)
    assert path.stat().st_size < 2**15
    assert read_columns(path).n_rows == 2**20
    monkeypatch.setattr(contents, "MOST_UNPACKED", 2**20)
    assert refusal(path) == snapshot
    numbers = np.random.default_rng(0).random(2**18)
    pq.write_table(pa.table({"a": numbers, "y": numbers}), path)
    assert read_columns(path).n_rows == 2**18


@pytest.mark.parametrize(
    "how", [{"write_page_checksum": True, "compression": "none"}, {"compression": "gzip"}]
)
def test_changed_bytes_of_a_parquet_file_are_found(how, tmp_path):
    path = tmp_path / "t.parquet"
    numbers = np.random.default_rng(0).random(2000)
    pq.write_table(pa.table({"a": numbers, "y": numbers}), path, use_dictionary=False, **how)
    content = bytearray(path.read_bytes())
    content[1000] ^= 255
    path.write_bytes(content)
    assert path.name in refusal(path)


def test_workbooks_unpack_to_a_limit(write, tmp_path, monkeypatch, snapshot):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [["a", "y"], *([0, 1] for _ in range(2000))]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert read_columns(tmp_path / "t.xlsx").n_rows == 2000
    monkeypatch.setattr(contents, "MOST_UNPACKED", 2**15)
    assert refusal(tmp_path / "t.xlsx") == snapshot


@pytest.mark.parametrize("content", ['"', '""', '"\n', '"\n\n\n', '""\n""\n', " \t,", '"" ""'])
def test_files_of_hardly_anything_are_refused_in_a_sentence(write, content):
    assert refusal(write(content)).startswith("table.csv")


PARQUET = {
    "list": pa.array([[1.0], [2.0, 3.0], None]),
    "large_list": pa.array([[1.0], [2.0, 3.0], None], pa.large_list(pa.float64())),
    "fixed_list": pa.array([[1.0, 2.0]] * 3, pa.list_(pa.float64(), 2)),
    "struct": pa.array([{"u": 1}, {"u": 2}, None]),
    "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"a", b"b", None]),
    "large_bytes": pa.array([b"a", b"b", None], pa.large_binary()),
    "fixed_bytes": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "bytes_as_categories": pa.array([b"a", b"b", None]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", PARQUET)
def test_parquet_columns_without_one_value_in_a_cell_are_refused(tmp_path, kind, refused):
    columns = {"v": PARQUET[kind], "a": [1.0, 2.0, 4.0], "y": [0, 1, 1]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = read_columns(tmp_path / "t.parquet")
    with refused(TableError):
        split_target(table, "y")
    with refused(TableError):
        split_target(table, "v")
    assert split_target(table, "y", drop=["v"]).feature_names == ("a",)


@pytest.mark.parametrize("values", [
    pa.array(["p", "q", "p"]),
    pa.array(["p", "q", "p"], pa.large_string()),
    pa.array(["p", "q", None]).dictionary_encode(),
    pa.array([True, False, None]),
    pa.array([1, 2, None], pa.int8()),
    pa.array([None, None, None]),
])  # fmt: skip
def test_parquet_columns_with_one_value_in_a_cell_are_taken(tmp_path, values):
    pq.write_table(pa.table({"v": values, "a": [1.0, 2.0, 4.0], "y": [0, 1, 1]}), tmp_path / "t.parquet")
    assert split_target(read_columns(tmp_path / "t.parquet"), "y").feature_names == ("v", "a")


@pytest.mark.parametrize("name", ["", "  "])
def test_parquet_columns_without_a_name_are_refused(tmp_path, name, snapshot):
    pq.write_table(pa.table({"a": [1.0, 2.0], name: [1.0, 2.0], "y": [0, 1]}), tmp_path / "t.parquet")
    assert refusal(tmp_path / "t.parquet") == snapshot


# --- Names that a spreadsheet would run ------------------------------------------------------------

NAMES = ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "'=quoted", "''=twice", "'plain", "a,b", "with =b", "x_{1}"]


@pytest.mark.parametrize("pairs", [None, np.eye(len(NAMES))])
def test_names_in_files_of_scores_are_no_formulas_and_come_back(tmp_path, pairs):
    path = tmp_path / "scores.csv"
    Scores(tuple(NAMES), np.arange(len(NAMES)) / 3, pairs).write(path)
    for line in path.read_text().splitlines():
        assert not line.startswith(("=", "+", "-", "@", '"=', '"+', '"-', '"@'))
    scores = Scores.read(path)
    assert scores.names == tuple(NAMES)
    assert scores.values.tolist() == [number / 3 for number in range(len(NAMES))]
    assert pairs is None or (scores.pairs == pairs).all()


def test_scores_that_were_saved_before_names_were_escaped_are_read(tmp_path):
    (tmp_path / "scores.csv").write_text("feature,score\n=cmd,1\n-b,0.5\n")
    assert read_scores(tmp_path / "scores.csv").feature_names == ["=cmd", "-b"]


@pytest.mark.parametrize("text", [*NAMES, "", "'", "''", "'" * 3 + "=x", "\t=1", "\ra"])
def test_escaping_can_be_undone(text):
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))
