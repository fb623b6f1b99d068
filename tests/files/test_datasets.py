"""Tables: what is read exactly, and what is refused in one clear sentence."""

from __future__ import annotations

import gzip
import sys
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from shared_data import DATASETS, needs_datasets

from altsets.errors import InputError, MissingExtraError, TableError
from altsets.files.dataset import load_demo, read_columns, read_table, split_target
from altsets.files.writing import write_csv
from altsets.tables.conversion import features_of

pq = pytest.importorskip("pyarrow.parquet")


SMALL = "a,b,y\n1,0.5,no\n2,-1e3,yes\n3,2,no\n"


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
        gzip.compress(SMALL.encode(), mtime=0),
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
    table = read_columns(write(content, "table.data"))
    assert contents(table) == {"a": [1.0, 2.0, 3.0], "b": [0.5, -1000.0, 2.0], "y": ["no", "yes", "no"]}
    assert table.n_rows == 3


def test_quoted_fields_may_hold_delimiters_and_newlines(write):
    table = read_columns(write('"size, in cm","two\nlines",y\n1,2,"a,b"\n3,4,"c""d"\n'))
    assert contents(table) == {"size, in cm": [1.0, 3.0], "two lines": [2.0, 4.0], "y": ["a,b", 'c"d']}


def test_a_column_that_turns_to_text_late_keeps_its_spelling(write):
    table = read_columns(write("code,n\n007,1\n1.50,2\nNA,3\nx,4\n8,5\n"))
    assert contents(table) == {"code": ["007", "1.50", None, "x", "8"], "n": [1.0, 2.0, 3.0, 4.0, 5.0]}


def test_the_index_that_pandas_writes_is_left_out(tmp_path):
    frame = pd.DataFrame({"a": [5.0, 6.0], "y": ["u", "v"]})
    frame.to_csv(tmp_path / "frame.csv")
    frame.to_parquet(tmp_path / "frame.parquet")
    frame.set_axis(["first", "second"]).to_parquet(tmp_path / "named.parquet")
    for name in ("frame.csv", "frame.parquet", "named.parquet"):
        assert contents(read_columns(tmp_path / name)) == {"a": [5.0, 6.0], "y": ["u", "v"]}


def test_parquet_types(tmp_path):
    columns = {
        "int": pa.array([1, None, 2**50]),
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
    table = read_columns(tmp_path / "t.parquet")
    found = {
        name: ["-" if value is None or value != value else value for value in column]
        for name, column in contents(table).items()
    }
    assert found == {
        "int": [1.0, "-", 2.0**50],
        "small": [1.0, 2.0, 3.0],
        "float": [0.5, "-", 1.5],
        "bool": [1.0, 0.0, "-"],
        "decimal": ["-", "-", "-"],
        "nothing": ["-", "-", "-"],
        "text": ["x", "-", "y"],
        "category": ["u", "v", "-"],
        "when": ["1970-01-01", "1970-01-02", "-"],
    }


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [1], "y": [2]}), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(SMALL)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for read in (*(partial(read_table, tmp_path / name, "y") for name in ("t.parquet", "t.csv")), load_demo):
        with pytest.raises(MissingExtraError, match=r"\.\[tables\]"):
            read()


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A table with numbers in many spellings, of many sizes."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 8)) * 10.0 ** rng.integers(-12, 13, (300, 8))
    spelled = [[rng.choice([repr, "{:.3e}".format, "{:f}".format])(float(x)) for x in row] for row in numbers]
    lines = [",".join([*(f"f{j}" for j in range(8)), "target"])]
    lines += [",".join([*row, str(rng.integers(2))]) for row in spelled]
    path = tmp_path_factory.mktemp("made up") / "made_up.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


REAL = [pytest.param(name, marks=needs_datasets) for name in ("wdbc", "ionosphere", "hepatitis")]


@pytest.mark.parametrize("name", ["made up", *REAL])
def test_tables_are_read_as_pandas_reads_them(name, made_up):
    path = made_up if name == "made up" else DATASETS / f"{name}.csv.gz"
    # Python's own conversion of each cell, because that of pandas may be off in the last digit.
    frame = pd.read_csv(path, dtype=str).map(float)
    data = split_target(read_columns(path), "target")
    assert data.feature_names == tuple(frame.columns.drop("target"))
    assert np.array_equal(data.X.values, frame.drop(columns="target").to_numpy(dtype=float))
    assert np.array_equal(data.y, frame["target"])


# What is refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "table.csv is empty"),
        (b"\n \n", "table.csv is empty"),
        (b"\xef\xbb\xbf", "table.csv is empty"),
        (gzip.compress(b"", mtime=0), "table.csv is empty"),
        (gzip.compress(SMALL.encode(), mtime=0)[:-12], "damaged gzip file"),
        (b"\x1f\x8bnonsense", "damaged gzip file"),
        (b"PAR1nonsense", "cannot be read as Parquet"),
        (b"a,b\n\xff\xfe,1\n", r"is not text in UTF-8 \(byte 4"),
        (b"PK\x03\x04\0\0\0", "is a damaged zip archive; download it again."),
        (b"\x01\x00\x02", "binary file"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields, but the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields, but the header has 2"),
        ("a,b,a,c,c\n1,2,3,4,5\n", "occur more than once: a, c"),
        ("a, a\n1,2\n", "occur more than once: a"),
        ("a,,c,\n1,2,3,4\n", "column 2, 4 has no name"),
        (",a\n7,1\n", "column 1 has no name"),
        ("a,b\n1," + "x" * 200_000 + "\n", "more than the limit"),
    ],
)
def test_files_that_are_refused(write, content, message):
    with pytest.raises(TableError, match=message) as caught:
        read_columns(write(content))
    assert "\n" not in str(caught.value)


def test_places_that_hold_no_file(tmp_path, refused):
    with refused(TableError):
        read_columns(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is a directory"):
        read_columns(tmp_path)
    with pytest.raises(TableError, match="cannot read"):
        read_columns("null\0byte")


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
            "a;y\n1,5;0\n2,5;1\n",
            "y",
            (),
            "1 column (a) with numbers such as 1,5 cannot be used; use decimal=',' if commas are the decimal signs of "
            "a CSV file, or say that these are categories (categorical=['a']).",
        ),
        ("a,y\n12_345,0\n12_346,1\n", "y", (), "looks like numbers, for example '12_345'"),
        ("a,y\n1 000,0\n2 500,1\n", "y", (), "looks like numbers, for example '1 000'"),
        ("a,y\n12%,0\n7 %,1\n", "y", (), "looks like numbers, for example '12%'"),
        (
            "my age,y\n42,0\n17,1\n4o,0\n18,1\n,0\nold,1\n",
            "y",
            (),
            "column my age holds numbers in 3 cells and text in 2 ('4o', 'old'); correct these cells, leave them empty "
            "if they are not known, or say that it is a category (categorical=['my age']).",
        ),
        ("a,y\n<5,0\n<5,1\n<5,0\n7,1\n8,0\n9,1\n", "y", (), "numbers in 3 cells and text in 3 ('<5')"),
        ("a,b,y\n1,2020-01-31,0\n2,2021-02-28,1\n", "y", (), "b holds dates or times"),
        ("a,b,y\n1,2020-01-31 12:00,0\n2,,1\n", "y", (), "(its first value is '2020-01-31 12:00')"),
        ("a,b,y\n1,2020-01-31T12:00:30.5Z,0\n2,2020-01-31T12:00+01:00,1\n", "y", (), "b holds dates"),
        (
            "a,b,c,y\n1,31.12.2020,12:30,0\n2,1.1.2021,9:15,1\n",
            "y",
            (),
            "2 columns cannot be used: b holds dates",
        ),
        ("a,y\n1,2020-01-31\n2,2020-02-28\n", "y", (), "target column 'y' holds dates or times"),
        ("a,y\n1,7\n2,8\n3,x\n", "y", (), "column y holds numbers in 2 cells and text in 1 ('x')"),
        (
            "a,y\n" + "\n".join(f"id{number},{number % 2}" for number in range(20)),
            "y",
            (),
            "a has 20 categories in 20 rows, which name rows instead of grouping them; drop it",
        ),
        ("a,b,y\n1,inf,0\n2,-Infinity,1\n", "y", (), "b holds 2 infinite values; drop"),
        ("a,y\n1,u\n2,\n3,v\n", "y", (), "target column 'y' has 1 missing value (of 3)"),
        ("a,y\n1,1\n2,\n3,2\n", "y", (), "target column 'y' has 1 missing value (of 3)"),
        ("a,y\n1,1\n2,inf\n", "y", (), "target column 'y' has 1 infinite value;"),
        ("a,y\n1,u\n2,u\n", "y", (), "target column 'y' has only one value (u)"),
        ("a,y\n1,7\n2,7\n", "y", (), "target column 'y' has only one value (7.0)"),
    ],
)
def test_tables_that_are_refused(write, content, target, drop, message):
    table = read_columns(write(content))
    with pytest.raises(TableError) as caught:
        split_target(table, target, drop=drop)
    assert message in str(caught.value)


def test_a_named_index_in_a_parquet_file_is_no_feature_unless_it_is_named(tmp_path, snapshot):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": [0, 1, 1]}, index=pd.Index([4, 4, 5], name="patient"))
    frame.to_parquet(tmp_path / "indexed.parquet")
    table = read_columns(tmp_path / "indexed.parquet")
    data = split_target(table, "y")
    assert data.feature_names == ("a",)
    assert data.notes == snapshot
    assert split_target(table, "y", groups="patient").groups.tolist() == [4, 4, 5]
    assert split_target(table, "y", categorical=["patient"]).feature_names == ("a", "patient")
    assert split_target(table, "patient").feature_names == ("a", "y")
    frame.reset_index().to_parquet(tmp_path / "plain.parquet")
    assert split_target(read_columns(tmp_path / "plain.parquet"), "y").feature_names == ("patient", "a")


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_only_some_columns_are_read(tmp_path, ending, refused):
    frame = pd.DataFrame(
        {
            "id": ["p", "q", "r"],
            "s_1": [1, 2, 3],
            "t": [0, 1, 1],
            "s_2": [4.0, 5, 7],
            "g": [1, 1, 2],
            "y": [0, 1, 1],
        }
    )
    path = tmp_path / f"table.{ending}"
    {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}[ending](path, index=False)
    data = read_table(path, "y", columns=["s_*"])
    assert data.feature_names == ("s_1", "s_2")
    assert data.X.values.tolist() == [[1, 4], [2, 5], [3, 7]]
    assert data.y.tolist() == [0, 1, 1]
    data = read_table(path, "y", columns=["t", "s_2"], groups="g", categorical=["t"], drop=["id"])
    assert data.feature_names == ("t", "s_2")
    assert data.groups.tolist() == [1, 1, 2]
    assert read_table(path, columns=["s_*"], groups="g").feature_names == ("s_1", "s_2")
    for wrong in ("u", "u_*"):
        with refused(TableError):
            read_table(path, "y", columns=["t", wrong])


def test_an_index_is_a_feature_if_it_is_to_be_read(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "y": [0, 1, 1]}, index=pd.Index([4, 4, 5], name="patient"))
    frame.to_parquet(tmp_path / "indexed.parquet")
    assert read_table(tmp_path / "indexed.parquet", "y", columns=["patient"]).feature_names == ("patient",)


def test_many_wrong_columns_are_counted_not_listed(write, refused):
    names = [f"c{i}" for i in range(30)]
    table = read_columns(
        write(",".join([*names, "y"]) + "\n" + "2020-01-31," * 30 + "0\n" + "2020-01-31," * 30 + "1\n")
    )
    with refused(TableError):
        split_target(table, "y")


# Text and holes

MIXED = "age,town,smoker,nothing,code,y\n42,Rome,yes,,1,0\n,Oslo,no,,2,1\n17,,yes,,1,0\n18,Rome,,,3,1\n"


def test_text_is_categories_and_holes_stay(write):
    data = split_target(read_columns(write(MIXED)), "y")
    nan = np.nan
    expected = [[42, 1, 1, nan, 1], [nan, 0, 0, nan, 2], [17, 2, 1, nan, 1], [18, 1, 2, nan, 3]]
    assert np.array_equal(data.X.values, np.array(expected, dtype=float), equal_nan=True)
    assert data.X.categories == {1: ("Oslo", "Rome", "(missing)"), 2: ("no", "yes", "(missing)")}
    assert data.X.names == list(data.feature_names) == ["age", "town", "smoker", "nothing", "code"]


def test_what_is_a_category_can_be_said(write, refused):
    table = read_columns(write(MIXED.replace("42", "2020-01-31")))
    data = split_target(table, "y", categorical=["code", "age", "y", "nothing"])
    assert data.X.categories[0] == ("17", "18", "2020-01-31", "(missing)")
    assert data.X.categories[4] == ("1", "2", "3")
    assert data.X.values[:, 4].tolist() == [0, 1, 0, 2]
    assert np.isnan(data.X.values[:, 3]).all()
    assert data.y.tolist() == ["0", "1", "0", "1"]
    with refused(TableError):
        split_target(table, "y", categorical=["cod"])


def test_categories_of_numbers_keep_their_order(write):
    table = read_columns(
        write("a,y\n" + "\n".join(f"{number % 12},{number % 2}" for number in range(40)) + "\n0.5,1\n")
    )
    labels = split_target(table, "y", categorical=["a"]).X.categories[0]
    assert labels == ("0", "0.5", *map(str, range(1, 12)))


def test_categories_in_parquet(tmp_path):
    grades = pd.Categorical(["low", "high", None, "low"], categories=["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame(
        {
            "grade": grades,
            "code": pd.Categorical([7, 8, 7, None]),
            "note": ["x", None, "x", "z"],
            "y": pd.Categorical([1, 2, 1, 2]),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    data = split_target(read_columns(tmp_path / "t.parquet"), "y")
    assert np.array_equal(data.X.values[:, 0], [0, 2, np.nan, 0], equal_nan=True)
    assert data.X.categories == {1: ("7", "8", "(missing)"), 2: ("x", "z", "(missing)")}
    assert data.y.tolist() == ["1", "2", "1", "2"]
    # If they are to be categories, their order is of no interest.
    named = split_target(read_columns(tmp_path / "t.parquet"), "y", categorical=["grade"])
    assert named.X.categories[0] == ("high", "low", "(missing)")
    # The library says the same of the frame itself.
    direct = features_of(frame.drop(columns="y"))
    assert np.array_equal(direct.values, data.X.values, equal_nan=True)
    assert direct.categories == data.X.categories


def test_patterns_do_not_match_targets(write):
    path = write(
        "time,event,tall,tiny,x\n" + "\n".join(f"{i},{i % 2},{i % 3},{i},{i % 5}" for i in range(20))
    )
    for target in ({"time": "time", "event": "event"}, {"target": ["time", "event"]}):
        assert read_table(path, **target, drop=["t*"]).feature_names == ("x",)


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("ms"), pa.time32("s"), pa.duration("s")])
def test_dates_in_parquet_are_refused(tmp_path, kind, refused):
    when = pa.array([0, 90_000 if "time32" not in str(kind) else 60, None], pa.int64())
    when = when.cast(pa.int32()).cast(kind) if kind.bit_width == 32 else when.cast(kind)
    pq.write_table(pa.table({"a": [1, 2, 3], "when": when, "y": [0, 1, 0]}), tmp_path / "t.parquet")
    table = read_columns(tmp_path / "t.parquet")
    with refused(TableError):
        split_target(table, "y")
    assert split_target(table, "y", drop=["when"]).feature_names == ("a",)


def test_dropping_a_column_that_is_wrong_helps(write):
    data = split_target(read_columns(write("a,day,y\n1,2020-01-31,0\n2,2020-02-28,1\n")), "y", drop=["day"])
    assert data.feature_names == ("a",)
    assert data.X.values.tolist() == [[1.0], [2.0]]
    assert data.y.tolist() == [0.0, 1.0]
    assert data.target_name == "y"


# What is written


def test_written_tables_are_read_back_exactly(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=50) * 10.0 ** rng.integers(-300, 300, 50)
    labels = np.array(['a "quoted", word', "b"] * 25, dtype=object)
    write_csv(("x, y", "label"), (values, labels), tmp_path / "t.csv")
    assert contents(read_columns(tmp_path / "t.csv")) == {"x, y": values.tolist(), "label": labels.tolist()}


def test_files_are_never_overwritten(tmp_path, refused):
    table = ("a",), (np.array([1.0]),)
    write_csv(*table, tmp_path / "t.csv")
    write_csv(*table, tmp_path / "t.csv")
    with refused(InputError):
        write_csv(("a",), (np.array([2.0]),), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a\n1.0\n"
    with pytest.raises(InputError, match="exists already"):
        write_csv(*table, tmp_path)
    with refused(InputError):
        write_csv(*table, tmp_path / "nowhere" / "t.csv")


def test_the_demo_is_the_breast_cancer_table():
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    data = split_target(load_demo(), "diagnosis")
    assert np.array_equal(data.X.values, bunch.data)
    assert data.feature_names == tuple(bunch.feature_names)
    assert (data.y == "benign").tolist() == (bunch.target == 1).tolist()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(tmp_path, kind, refused):
    table = pd.DataFrame({"id": 2**60 + np.arange(40), "a": np.arange(40.0) ** 2, "y": [0, 1] * 20})
    path = tmp_path / f"table.{kind}"
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    with refused(TableError):
        split_target(read_columns(path), "y")
    assert split_target(read_columns(path), "y", drop=["id"]).feature_names == ("a",)
    huge = table.assign(id=1e300 * np.arange(40))
    huge.to_csv(path, index=False) if kind == "csv" else huge.to_parquet(path)
    read = split_target(read_columns(path), "y").X
    assert not read.categories
    assert not read.incomplete.any()


# --- Decimal commas -----------------------------------------------------------------------------------


def with_commas(path, n_columns, odd=()):
    """A table of numbers with decimal commas, but for some cells of the first columns."""
    names = [f"c{place}" for place in range(n_columns)]
    rows = [
        [f"{row * (place + 1) % 17},{row * 7 % 100:02d}" for place in range(n_columns)] for row in range(40)
    ]
    for row, cell in enumerate(odd):
        rows[row + 3][0] = cell
    lines = [[*names, "y"], *([*row, "ab"[number % 2]] for number, row in enumerate(rows))]
    path.write_text("".join(";".join(line) + "\n" for line in lines))
    return path


def test_columns_with_decimal_commas_are_read_not_dropped(tmp_path, snapshot):
    """Also if another column is unusable for another reason."""
    for odd in ((), [f"{day}.01.2024" for day in range(1, 38)]):
        path = with_commas(tmp_path / "table.csv", 19, odd)
        with pytest.raises(TableError) as caught:
            read_table(path, "y")
        assert str(caught.value) == snapshot
        assert "drop" not in str(caught.value)
    assert len(read_table(with_commas(path, 19), "y", decimal=",").feature_names) == 19


@pytest.mark.parametrize("n_columns", [1, 3])
def test_bad_cells_among_decimal_commas_are_quoted(tmp_path, n_columns):
    path = with_commas(tmp_path / "table.csv", n_columns, ["<0,25", "n.b."])
    said = r"column c0 holds numbers in 38 cells and text in 2 \('<0,25', 'n.b.'\)"
    with pytest.raises(TableError, match=said) as caught:
        read_table(path, "y", decimal=",")
    assert "decimal=" not in str(caught.value)
    # The same in a target.
    with pytest.raises(TableError, match=said):
        read_table(path, "c0", decimal=",")


def test_numbers_with_points_and_commas_are_respelled(tmp_path, refused):
    path = with_commas(tmp_path / "table.csv", 2, ["1.234,5"])
    with refused(TableError):
        read_table(path, "y", decimal=",")


def test_files_other_than_text_get_no_advice_on_decimal_signs(tmp_path, snapshot):
    frame = pd.read_csv(with_commas(tmp_path / "table.csv", 2), sep=";", dtype=str)
    frame.to_parquet(tmp_path / "table.parquet")
    with pytest.raises(TableError) as caught:
        read_table(tmp_path / "table.parquet", "y")
    assert str(caught.value) == snapshot
    assert "decimal=" not in str(caught.value)


def test_what_was_read_as_missing_is_said(tmp_path, snapshot):
    text = "age,alcohol,site,note,y\n?,none,a,,1\n, None ,b,?,0\n3,light,NA,x,1\n4,light,b,,\n"
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    data = read_table(tmp_path / "table.csv", "y", drop=["note"], drop_missing_target=True)
    assert data.missing == snapshot
    whole = read_table(tmp_path / "table.csv", "site", columns=["y"], drop_missing_target=True)
    assert whole.missing == snapshot
    (tmp_path / "full.csv").write_text("a,y\n1,0\n2,1\n", encoding="utf-8")
    assert read_table(tmp_path / "full.csv", "y").missing == ""


def test_late_text_counts_missing_values_once(tmp_path):
    cells = ["", *map(str, range(999)), "late", "late", ""]
    lines = [f"{cell},{number % 2}" for number, cell in enumerate(cells)]
    (tmp_path / "late.csv").write_text("\n".join(["a,y", *lines]), encoding="utf-8")
    table = read_columns(tmp_path / "late.csv")
    assert table.missing == {"": {"a": 2}}
