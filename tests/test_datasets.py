"""Tables: what is read exactly, and what is refused in one clear sentence."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from altsets import datasets
from altsets.datasets import Table, load_demo, read_table, split_target, write_csv
from altsets.errors import MissingExtraError, TableError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "datasets"

SMALL = "a,b,y\n1,0.5,no\n2,-1e3,yes\n3,2,no\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def contents(table):
    return {name: column.tolist() for name, column in zip(table.names, table.columns, strict=True)}


# What is read


@pytest.mark.parametrize(
    "content",
    [
        SMALL,
        SMALL.replace(",", ";"),
        SMALL.replace(",", "\t"),
        SMALL.replace("\n", "\r\n"),
        SMALL.rstrip("\n"),
        SMALL.replace("\n", "\n\n") + "  \n",
        b"\xef\xbb\xbf" + SMALL.encode(),
        SMALL.encode("utf-16"),
        gzip.compress(SMALL.encode()),
        '" a ","b",y\n"1", 0.5 ,"no"\n2,-1e3,yes\n3,2.0,no\n',
    ],
    ids=[
        "comma",
        "semicolon",
        "tab",
        "crlf",
        "no-last-newline",
        "blank-lines",
        "bom",
        "utf-16",
        "gzip",
        "quotes",
    ],
)
def test_csv_in_all_its_dialects(write, content):
    # A misleading name on purpose: the content decides.
    table = read_table(write(content, "table.data"))
    assert contents(table) == {"a": [1.0, 2.0, 3.0], "b": [0.5, -1000.0, 2.0], "y": ["no", "yes", "no"]}
    assert table.n_rows == 3


def test_quoted_fields_may_hold_delimiters_and_newlines(write):
    table = read_table(write('"size, in cm","two\nlines",y\n1,2,"a,b"\n3,4,"c""d"\n'))
    assert contents(table) == {"size, in cm": [1.0, 3.0], "two lines": [2.0, 4.0], "y": ["a,b", 'c"d']}


@pytest.mark.parametrize("word", ["", " ", "NA", "n/a", "NaN", "null", "None", "?", "<NA>"])
def test_missing_values(write, word):
    table = read_table(write(f"a,y\n1,x\n{word},{word}\n"))
    assert np.isnan(table.columns[0]).tolist() == [False, True]
    assert table.columns[1].tolist() == ["x", None]


def test_truth_values_are_numbers(write):
    assert contents(read_table(write("a,b\nTrue,1\nfalse,0\n,1\n")))["a"][:2] == [1.0, 0.0]


@pytest.mark.parametrize("cell", ["12_345", "0x10", "1,5", "1 000", "12%", "2020-01-01"])
def test_what_is_not_a_number(write, cell):
    assert read_table(write(f'a,b\n1,2\n"{cell}",3\n')).columns[0].tolist() == ["1", cell]


@pytest.mark.parametrize("chunk", [1, 4, 1000])
def test_a_column_that_turns_to_text_late_keeps_its_spelling(write, monkeypatch, chunk):
    monkeypatch.setattr(datasets, "CHUNK", chunk)
    table = read_table(write("code,n\n007,1\n1.50,2\nNA,3\nx,4\n8,5\n"))
    assert contents(table) == {"code": ["007", "1.50", None, "x", "8"], "n": [1.0, 2.0, 3.0, 4.0, 5.0]}


def test_the_index_that_pandas_writes_is_left_out(tmp_path):
    frame = pd.DataFrame({"a": [5.0, 6.0], "y": ["u", "v"]})
    frame.to_csv(tmp_path / "frame.csv")
    frame.to_parquet(tmp_path / "frame.parquet")
    frame.set_axis(["first", "second"]).to_parquet(tmp_path / "named.parquet")
    for name in ("frame.csv", "frame.parquet", "named.parquet"):
        assert contents(read_table(tmp_path / name)) == {"a": [5.0, 6.0], "y": ["u", "v"]}


def test_parquet_types(tmp_path):
    columns = {
        "int": pa.array([1, None, 2**60]),
        "small": pa.array([1, 2, 3], pa.uint8()),
        "float": pa.array([0.5, None, 1.5], pa.float32()),
        "bool": pa.array([True, False, None]),
        "decimal": pa.array([None, None, None], pa.decimal128(5, 2)),
        "nothing": pa.nulls(3),
        "text": pa.array(["x", None, "y"]),
        "category": pa.array(["u", "v", None]).dictionary_encode(),
        "when": pa.array([0, 1, None], pa.date32()),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    found = {
        name: ["-" if value is None or value != value else value for value in column]
        for name, column in contents(table).items()
    }
    assert found == {
        "int": [1.0, "-", 2.0**60],
        "small": [1.0, 2.0, 3.0],
        "float": [0.5, "-", 1.5],
        "bool": [1.0, 0.0, "-"],
        "decimal": ["-", "-", "-"],
        "nothing": ["-", "-", "-"],
        "text": ["x", "-", "y"],
        "category": ["u", "v", "-"],
        "when": ["1970-01-01", "1970-01-02", "-"],
    }


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [1], "y": [2]}), tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"altsets\[tables\]"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the collection of data sets is not there")
@pytest.mark.parametrize("name", ["wdbc", "ionosphere", "hepatitis"])
def test_real_tables_are_read_as_pandas_reads_them(name):
    path = SHARED / f"{name}.csv.gz"
    # Python's own conversion of each cell, because that of pandas may be off in the last digit.
    frame = pd.read_csv(path, dtype=str).map(float)
    data = split_target(read_table(path), "target")
    assert data.feature_names == tuple(frame.columns.drop("target"))
    assert np.array_equal(data.X, frame.drop(columns="target").to_numpy(dtype=float))
    assert np.array_equal(data.y, frame["target"])


# What is refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "table.csv is empty"),
        (b"\n \n", "table.csv is empty"),
        (b"\xef\xbb\xbf", "table.csv is empty"),
        (gzip.compress(b""), "table.csv is empty"),
        (gzip.compress(SMALL.encode())[:-12], "damaged gzip file"),
        (b"\x1f\x8bnonsense", "damaged gzip file"),
        (b"PAR1nonsense", "cannot be read as Parquet"),
        (b"a,b\n\xff\xfe,1\n", r"neither Parquet nor text in UTF-8 \(byte 4"),
        (b"PK\x03\x04\0\0\0", "binary file"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields, but the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields, but the header has 2"),
        ("a,b,a,c,c\n1,2,3,4,5\n", "occur more than once: a, c"),
        ("a, a\n1,2\n", "occur more than once: a"),
        ("a,,c,\n1,2,3,4\n", "column 2, 4 has no name"),
        (",a\n7,1\n", "column 1 has no name"),
        ("a,b\n1," + "x" * 200_000 + "\n", "field larger than field limit"),
    ],
)
def test_files_that_are_refused(write, content, message):
    with pytest.raises(TableError, match=message) as caught:
        read_table(write(content))
    assert "\n" not in str(caught.value)


def test_places_that_hold_no_file(tmp_path):
    with pytest.raises(TableError, match=r"there is no file .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is a directory"):
        read_table(tmp_path)
    with pytest.raises(TableError, match="cannot read"):
        read_table("null\0byte")


@pytest.mark.parametrize(
    ("content", "target", "drop", "message"),
    [
        (SMALL, "Y", (), "no target column 'Y'; did you mean 'y'?"),
        (SMALL, "class", (), "no target column 'class'; its columns are: a, b, y"),
        ("1,2,3\n4,5,6\n", "class", (), "may lack a header line"),
        (SMALL, "y", ["a", "d"], "no column to drop 'd'"),
        (SMALL, "y", ["y"], "both the target and dropped"),
        (SMALL, "y", ["a", "b"], "no feature columns besides the target 'y'"),
        ("y\n1\n2\n", "y", (), "no feature columns"),
        (
            "a,town,my land,y\n1,Rome,I,0\n2,Oslo,N,1\n",
            "y",
            (),
            "2 columns are not numeric (town, my land; for example 'Rome' in town); "
            'drop them (--drop town,"my land") or encode them as numbers.',
        ),
        ("a,town,y\n1,,0\n2,Oslo,1\n", "y", (), "1 column is not numeric (town; for example 'Oslo' in town)"),
        ("a;y\n1,5;0\n2,5;1\n", "y", (), "write numbers with a decimal point"),
        (
            "a,b,c,y\n1,,3,0\n,,6,1\n",
            "y",
            (),
            "3 missing values in 2 of 3 feature columns (a: 1, b: 2); fill them in, or drop",
        ),
        ("a,b,y\n1,inf,0\n2,-Infinity,1\n", "y", (), "2 infinite values in 1 of 2 feature columns (b: 2)"),
        ("a,y\n1,u\n2,\n3,v\n", "y", (), "target column 'y' misses 1 of 3 values"),
        ("a,y\n1,1\n2,\n3,2\n", "y", (), "target column 'y' misses 1 of 3 values"),
        ("a,y\n1,1\n2,inf\n", "y", (), "target column 'y' has 1 infinite values"),
        ("a,y\n1,u\n2,u\n", "y", (), "target column 'y' has only one value (u)"),
        ("a,y\n1,7\n2,7\n", "y", (), "target column 'y' has only one value (7.0)"),
    ],
)
def test_tables_that_are_refused(write, content, target, drop, message):
    table = read_table(write(content))
    with pytest.raises(TableError) as caught:
        split_target(table, target, drop=drop)
    assert message in str(caught.value)


def test_many_wrong_columns_are_counted_not_listed(write):
    names = [f"c{i}" for i in range(30)]
    table = read_table(write(",".join([*names, "y"]) + "\n" + "x," * 30 + "0\n" + "z," * 30 + "1\n"))
    with pytest.raises(TableError, match=r"30 columns are not numeric \(c0, .*, c7 and 22 more;"):
        split_target(table, "y")


def test_dropping_a_column_that_is_wrong_helps(write):
    data = split_target(read_table(write("a,town,y\n1,Rome,0\n2,Oslo,1\n")), "y", drop=["town"])
    assert data.feature_names == ("a",)
    assert data.X.tolist() == [[1.0], [2.0]]
    assert data.y.tolist() == [0.0, 1.0]
    assert data.target_name == "y"


# What is written


def test_written_tables_are_read_back_exactly(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=50) * 10.0 ** rng.integers(-300, 300, 50)
    labels = np.array(['a "quoted", word', "b"] * 25, dtype=object)
    write_csv(Table(("x, y", "label"), (values, labels)), tmp_path / "t.csv")
    assert contents(read_table(tmp_path / "t.csv")) == {"x, y": values.tolist(), "label": labels.tolist()}


def test_files_are_never_overwritten(tmp_path):
    table = Table(("a",), (np.array([1.0]),))
    write_csv(table, tmp_path / "t.csv")
    write_csv(table, tmp_path / "t.csv")
    with pytest.raises(TableError, match=r"t\.csv exists already"):
        write_csv(Table(("a",), (np.array([2.0]),)), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a\n1.0\n"
    with pytest.raises(TableError, match="exists already"):
        write_csv(table, tmp_path)
    with pytest.raises(TableError, match="cannot write"):
        write_csv(table, tmp_path / "nowhere" / "t.csv")


def test_the_demo_is_the_breast_cancer_table():
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    data = split_target(load_demo(), "diagnosis")
    assert np.array_equal(data.X, bunch.data)
    assert data.feature_names == tuple(bunch.feature_names)
    assert (data.y == "benign").tolist() == (bunch.target == 1).tolist()


def test_reading_a_table_needs_no_frame_library(write):
    path = write(SMALL)
    code = (
        "import sys\nfrom altsets.datasets import read_table, split_target\n"
        f"split_target(read_table({str(path)!r}), 'y')\n"
        "sys.exit(bool({'pandas', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
