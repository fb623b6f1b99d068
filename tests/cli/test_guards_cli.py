"""The same guards on the command line: messages speak of options."""

from __future__ import annotations

import json

import numpy as np
import pytest

from altsets.files.writing import write_csv

FIND = ("-t", "y", "-k", 2, "-a", 1, "--quality", "f")


@pytest.fixture
def save(tmp_path):
    """Writes a table of 60 rows whose first columns say most about the target, with more columns."""

    def write(file="table.csv", **more):
        rng = np.random.default_rng(0)
        y = rng.permutation(np.arange(60) % 2).astype(float)
        known = {f"f{index}": (3 - index) * y / 3 + rng.normal(size=60) for index in range(4)}
        known |= {"y": y} | more
        columns = tuple(np.array(column, dtype=object) for column in known.values())
        write_csv(tuple(known), columns, tmp_path / file)
        return tmp_path / file

    return write


def test_all_unusable_columns_are_in_one_message_or_dropped(run, save, snapshot):
    dates = [f"2024-01-{1 + row % 28:02d}" for row in range(60)]
    path = save(visit=dates, name=[f"patient {row}" for row in range(60)])
    assert run.error("find", path, *FIND) == snapshot
    out = run.printed("find", path, *FIND, "--drop-unusable", "--json")
    document = json.loads(out)
    assert document["sets"] == json.loads(run("find", save("plain.csv"), *FIND, "--json")[1])["sets"]
    assert document["notes"] == snapshot
    assert document["request"]["unusable"] == "drop"


def test_one_unusable_column_keeps_its_own_advice(run, save, snapshot):
    path = save(code=[str(row) if row else "?0" for row in range(60)])
    code, _, err = run("find", path, *FIND)
    assert code == 2
    assert err.endswith("(--categorical code).\n")
    out = run.output("find", path, *FIND, "--drop-unusable")
    assert " ".join(out.split()) == snapshot


@pytest.mark.parametrize("options", [(), ("--drop-missing-target",)])
def test_decimal_commas_in_several_columns_have_one_remedy(run, save, options, snapshot):
    commas = [f"{row},5" for row in range(60)]
    assert run.error("find", save(one=commas, two=commas), *FIND, *options) == snapshot


def test_a_leak_comes_first_and_speaks_of_options(run, save, snapshot):
    leak = np.arange(60) % 2 + np.arange(60) / 1000
    path = save(**{"my leak": leak, "row": np.arange(60), "y": np.arange(60) % 2})
    out = run.output("find", path, "-t", "y", "-k", 2, "-a", 1)
    said = " ".join(out.split("Set  Features")[0].split())
    assert said == snapshot
    out = run.output("find", path, "-t", "y", "-k", 2, "-a", 1, "--drop", "my leak,row")
    assert "--drop" not in out


def test_a_table_without_any_usable_column(run, save, snapshot):
    only = ("--drop", "f0,f1,f2,f3", "--drop-unusable")
    dates = ["2024-01-01"] * 30 + ["2024-01-02"] * 30
    assert run.error("find", save(one=dates, two=dates), *FIND, *only) == snapshot


def test_only_features_above_the_noise_floor(run, save, snapshot):
    rng = np.random.default_rng(5)
    y = rng.permutation(np.arange(60) % 2)
    path = save(**{f"f{index}": y * (3 if index < 2 else 0) + rng.normal(size=60) for index in range(4)}, y=y)
    asked = ("find", path, "-t", "y", "-a", 0, "--quality", "f", "--above-noise")
    out = run.printed(*asked, "-k", 2, "--json")
    document = json.loads(out)
    assert document["sets"][0]["features"] == ["f0", "f1"]
    assert document["request"]["constraints"] == [{"kind": "above_noise"}]
    out = run.output(*asked, "-k", 2, "--evaluate", "--cv", 3)
    assert " ".join(out.split()) == snapshot
    assert run.error(*asked, "-k", 3) == snapshot
    run.error("find", path, "-t", "y", "--quality", "relief", "--above-noise")


def test_scores_that_were_saved_have_no_noise_floor(run, save, tmp_path, snapshot):
    path = save()
    assert run("find", path, *FIND, "--save-scores", tmp_path / "scores.csv")[0] == 0
    assert run.error("find", "--scores", tmp_path / "scores.csv", "-k", 2, "--above-noise") == snapshot


def test_only_some_columns_are_read(run, save, tmp_path, snapshot):
    path = save(visit=["2024-01-01"] * 60)
    asked = ("find", path, "-t", "y", "-k", 1, "-a", 0, "--quality", "f", "--json")
    assert run(*asked)[0] == 2
    names = tmp_path / "names.txt"
    names.write_text("f2\nf3\n")
    for columns in (("f2,f3",), ("f2", "--columns", "f[3]"), (f"@{names}",)):
        code, out, err = run(*asked, "--columns", *columns)
        if "f[3]" in columns:
            assert code == 2
            assert err == snapshot
            continue
        assert (code, err) == (0, "")
        document = json.loads(out)
        assert document["parameters"]["n_features_in"] == 2
        assert document["sets"][0]["features"][0] in ("f2", "f3")
    assert run("find", "--scores", names, "--columns", "a")[0] == 2


def test_what_takes_long_is_said_before_it_begins(run, save, tmp_path, monkeypatch, snapshot):
    from altsets.quality import from_table

    rng = np.random.default_rng(1)
    path = save(**{f"g{index}": rng.normal(size=60) for index in range(30)})
    assert "takes about" not in run("find", path, *FIND)[2]
    monkeypatch.setattr(from_table, "FEWEST_CELLS", 1000)
    monkeypatch.setattr(from_table, "LONG", 0.0)
    err = run("find", path, *FIND)[2]
    assert err == snapshot
    err = run("find", path, *FIND, "--save-scores", tmp_path / "scores.csv")[2]
