"""Folders and files larger than memory on the command line, and CSV made into Parquet."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import altsets
from altsets import machine
from altsets.errors import TableError
from altsets.measures.large import table as large_table


def frame_of(n_rows=2000):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 6)), columns=list("abcdef"))
    frame["town"] = rng.choice(["Rome", "Oslo"], n_rows)
    frame["ill"] = np.where(frame["a"] + frame["b"] + rng.normal(size=n_rows) > 0, "yes", "no")
    return frame


FRAME = frame_of()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "readings"
    path.mkdir()
    for number in range(4):
        part = FRAME.iloc[number * 500 : (number + 1) * 500]
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), path / f"{number}.parquet")
    return str(path)


@pytest.fixture
def little(monkeypatch):
    """So little memory that the folder does not fit."""
    monkeypatch.setattr(large_table, "LEAST", 1000)
    return ["--max-memory", "10KB"]


def sets_of(out):
    """The features of each set, and how good it is."""
    sets = json.loads(out)["sets"]
    return [one["features"] for one in sets], pytest.approx([one["quality"] for one in sets], rel=1e-9)


@pytest.mark.parametrize("quality", ["f", "pearson", "symmetrical_uncertainty", "mrmr"])
def test_a_folder_is_searched_in_passes_as_in_memory(quality, run, folder, little):
    options = ["find", folder, "-t", "ill", "--quality", quality, "-k", "2", "-a", "1", "--json"]
    if quality == "mrmr":
        options += ["--measure", "pearson"]
    out = run.printed(*options)
    in_passes = run(*options, *little)
    assert in_passes[0] == 0, in_passes
    assert sets_of(out)[0] == sets_of(in_passes[1])[0]
    assert [one["quality"] for one in json.loads(out)["sets"]] == sets_of(in_passes[1])[1]
    assert json.loads(in_passes[1])["provenance"]["data"]["rows"] == 2000


def test_default_quality_says_that_it_counts_in_bins(run, folder, little, snapshot):
    code, out, err = run("find", folder, "-t", "ill", "-k", "2", *little)
    assert code == 0
    assert err == snapshot
    assert out == snapshot


def test_columns_and_rows_are_chosen_as_in_memory(run, folder, little):
    options = ["find", folder, "-t", "ill", "--quality", "f", "-k", "1", "-a", "0", "--json"]
    for more in (["--drop", "a,b"], ["--columns", "c,d,e"], ["--columns", "?", "--drop", "a"]):
        (_, one, _), (code, other, err) = (run(*options, *more, *rest) for rest in ([], little))
        assert code == 0, err
        assert sets_of(one)[0] == sets_of(other)[0]


@pytest.mark.parametrize(("options", "said"), [
    (
        ["--quality", "spearman"],
        "Error: spearman needs the table in memory, and this one is read in passes; choose f",
    ),
    (["--evaluate"], "Error: --evaluate needs the table in memory, and readings is read in passes; leave it out"),
    (["--above-noise"], "Error: --above-noise needs the table in memory"),
    (["--distinct", "0.9"], "Error: the similarity of features needs the table in memory"),
    (["--drop", "ill"], "Error: column 'ill' cannot be both the target and dropped."),
    (["--drop", "z"], "Error: readings has no column to drop 'z'; its columns are: a, b"),
    (["--max-memory", "much"], "Error: --max-memory much is no amount of memory from"),
])  # fmt: skip
def test_what_needs_all_rows_is_refused_in_one_sentence(options, said, run, folder, little):
    code, out, err = run("find", folder, "-t", "ill", *little, *options)
    assert code == 2
    assert out == ""
    assert err.startswith(said), err
    assert len(err.splitlines()) == 1


def test_a_damaged_file_of_a_folder_is_named_and_nothing_written(run, folder, tmp_path, little, snapshot):
    broken = tmp_path / "broken"
    broken.mkdir()
    for number in range(2):
        (broken / f"{number}.parquet").write_bytes(pq_bytes(folder, number)[: 2000 if number else None])
    output = tmp_path / "out.json"
    for more in ([], little):
        assert run.error("find", str(broken), "-t", "ill", "--output", str(output), *more) == snapshot
        assert not output.exists()


def pq_bytes(folder, number):
    with open(f"{folder}/{number}.parquet", "rb") as file:
        return file.read()


def test_texts_are_checked_in_passes_as_well(run, tmp_path, little, snapshot):
    days = FRAME.assign(day="2026-01-31", code=np.where(FRAME["a"] > 0, "1,5", "2"))
    days.to_parquet(tmp_path / "days.parquet")
    options = [
        "find",
        str(tmp_path / "days.parquet"),
        *shlex.split("-t ill --quality symmetrical_uncertainty"),
        *little,
    ]
    assert run.error(*options) == snapshot
    code, out, err = run(*options, "--drop-unusable", "-k", "2")
    assert code == 0, err
    assert " ".join(out.split()) == snapshot


def test_read_table_reads_folders_and_opens_large_ones(folder, monkeypatch):
    small = altsets.read_table(folder, "ill")
    assert small.X.n_rows == 2000
    assert not small.is_large
    monkeypatch.setattr(large_table, "LEAST", 1000)
    data = altsets.read_table(folder, "ill", max_memory="10KB")
    assert data.is_large
    assert (data.y, data.feature_names) == ("ill", small.feature_names)
    features = ["a", "b", "c"]
    one = altsets.quality.CFS.from_data(altsets.read_table(folder, "ill", columns=features).X, small.y)
    large = altsets.read_table(folder, "ill", columns=features, max_memory="10KB")
    assert altsets.quality.CFS.from_data(large.X, large.y).relevance == pytest.approx(one.relevance)


def odd_entry(path, kind):
    """An entry of a folder that is no file."""
    if kind == "link to a folder":
        other = path.parents[1] / "elsewhere"
        other.mkdir()
        path.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"device": "/dev/null", "lost link": "nowhere"}[kind])


@pytest.mark.skipif(os.name == "nt", reason="there are no such entries")
@pytest.mark.parametrize("kind", ["link to a folder", "pipe", "device", "lost link"])
@pytest.mark.parametrize("name", ["part-9.parquet", "year=2024"])
def test_no_part_of_a_folder_is_left_out_without_a_word(kind, name, folder, tmp_path, refused):
    copied = tmp_path / "table"
    shutil.copytree(folder, copied)
    odd_entry(copied / name, kind)
    with refused(TableError):
        altsets.read_table(copied, "ill")


def test_links_to_files_and_hidden_entries(folder, tmp_path):
    copied = tmp_path / "table"
    copied.mkdir()
    for part in Path(folder).iterdir():
        (copied / part.name).symlink_to(part)
    (copied / ".cache").symlink_to(tmp_path)
    (copied / "_old.parquet").symlink_to("nowhere")
    assert altsets.read_table(copied, "ill").X.n_rows == 2000


# --- CSV ----------------------------------------------------------------------------------------------
def test_csv_larger_than_memory_says_how_to_make_parquet(run, tmp_path, monkeypatch, snapshot):
    path = tmp_path / "big table.csv"
    path.write_text("a,y\n" + "0.25,1\n0.5,0\n" * 10_000)
    with monkeypatch.context() as small:
        small.setattr(machine, "memory", lambda: 100_000)
        code, _, err = run("find", str(path), "-t", "y")
    assert code == 2
    assert len(err.splitlines()) == 1
    assert err.rstrip() == snapshot
    (recipe,) = re.findall(r"(pyarrow\.dataset\.write_dataset.*)", err)
    exec("import pyarrow.dataset\n" + recipe)
    run.printed("find", str(path.with_suffix("")), "-t", "y", "-k", 1, "-a", 0, "--task", "classification")
