"""Reports on the command line: written beside the answer, refused before any work, and their lines really run."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
from report_documents import Page, block, section
from words import about

import altsets
from altsets.report.render import is_report
from altsets.search.frontier import sweep

pytest.importorskip("jinja2")

FIND = ("-t", "y", "-k", 2, "-a", 1, "--quality", "f")


@pytest.fixture
def there(tmp_path, monkeypatch, table):
    """A working directory with the table in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_bytes(table.read_bytes())
    return tmp_path


def document_in(path):
    return json.loads(Page(path.read_text(encoding="utf-8")).script("script", "application/json"))


def refused(outcome, words):
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert words in err


def test_find_writes_all_that_is_known(run, there, snapshot):
    code, out, err = run("find", "table.csv", *FIND, "--evaluate", "--cv", 3, "--report", "r.html")
    assert (code, err) == snapshot
    assert "Proven: " in out
    document = document_in(there / "r.html")
    assert document["title"] == snapshot
    identities = [part["id"] for part in document["sections"]]
    assert identities == [
        "in-short",
        "sets",
        "evaluation",
        "frontier",
        "near-best",
        "notes",
        "origin",
        "again",
        "all-features",
    ]
    assert len(block(document, "features")["rows"]) == 6
    assert block(document, "frontier-points")["rows"][-1][2] == 1.0
    data = dict(section(document, "in-short")["blocks"][-1]["items"])["Data"]
    assert data == snapshot
    assert about(json.dumps(document), "straight line") == snapshot


def test_json_stays_alone_on_standard_output(run, there, snapshot):
    code, out, err = run("find", "table.csv", *FIND, "--json", "--report", "r.html", "--output", "r.json")
    assert code == 0
    assert json.loads(out) == json.loads((there / "r.json").read_text(encoding="utf-8"))
    assert err == snapshot


@pytest.mark.parametrize("command", ["evaluate", "frontier", "near-best"])
def test_other_commands_write_reports(run, there, command, snapshot):
    (there / "sets.txt").write_text("a,b\nc,d\n", encoding="utf-8")
    asked = {
        "evaluate": ("--sets", "sets.txt", "--cv", 3),
        "frontier": ("-k", "1:3"),
        "near-best": ("-k", 2),
    }[command]
    code, out, err = run(command, "table.csv", "-t", "y", *asked, "--report", "r.html")
    assert code == 0
    assert err == snapshot
    assert out
    document = document_in(there / "r.html")
    line = block_of_code(document, "shell")
    code, again, _ = run(*words_in(line)[1:])
    assert (code, again) == (0, out)
    assert dict(section(document, "in-short")["blocks"][-1]["items"])["Data"] == snapshot


def result_of(lines):
    """What lines of Python find; what they print is the same."""
    space, printed = {}, io.StringIO()
    with redirect_stdout(printed):
        exec(lines, space)
    assert printed.getvalue() == f"{space['result'].named_sets}\n"
    return space["result"]


def words_in(command):
    """The words of a command that may have several lines, as a shell takes them."""
    return shlex.split(command.replace(" \\\n", " "))


def block_of_code(document, language):
    return next(
        one["text"] for one in section(document, "again")["blocks"] if one.get("language") == language
    )


@pytest.mark.parametrize("command", ["find", "frontier", "near-best", "evaluate"])
@pytest.mark.parametrize(("path", "words"), [
    ("no/r.html", "--report no/r.html: there is no folder no; make it first."),
    (".", "--report . is a folder; name a file."),
    ("r.csv", "--report r.csv: the name must end in .html"),
    ("old.html", "--report old.html exists already; choose another name, or add --force to replace it."),
])  # fmt: skip
def test_what_cannot_be_written_is_said_before_anything_is_read(run, there, command, path, words):
    (there / "old.html").write_text("mine", encoding="utf-8")
    sets = ("--sets", "sets.txt") if command == "evaluate" else ()
    refused(run(command, "no such table.csv", "-t", "y", *sets, "--report", path), words)
    assert (there / "old.html").read_text(encoding="utf-8") == "mine"
    assert sorted(os.listdir(there)) == ["old.html", "table.csv"]


def test_force_replaces_and_goes_with_a_file(run, there):
    (there / "r.html").write_text("mine", encoding="utf-8")
    assert run("find", "table.csv", *FIND, "--report", "r.html", "--force")[0] == 0
    assert is_report("r.html")
    refused(run("find", "table.csv", *FIND, "--force"), "--force goes with --output or --report")
    refused(run("frontier", "table.csv", "-t", "y", "--force"), "--force goes with --output or --report")


def test_the_table_itself_is_never_replaced(run, there):
    os.rename("table.csv", "table.html")
    refused(run("find", "table.html", *FIND, "--report", "table.html", "--force"), "is the table itself")


def test_without_jinja2_it_is_said_before_the_search(run, there, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    refused(
        run("find", "no such table.csv", *FIND, "--report", "r.html"),
        "a report needs jinja2; in a clone of altsets, install it with: pip install '.[report]'",
    )


def test_no_set_is_an_answer_too(run, there, snapshot):
    assert (
        run.error("find", "table.csv", *FIND, "--require", "a", "--forbid", "a", "--report", "r.html", code=1)
        == snapshot
    )
    document = document_in(there / "r.html")
    assert document["title"] == snapshot
    (said,) = section(document, "in-short")["blocks"][0]["paragraphs"]
    assert said == snapshot
    assert "require a" in said
    frontier = run(
        "frontier", "table.csv", "-t", "y", "--require", "a", "--forbid", "a", "--report", "f.html"
    )
    assert (frontier[0], is_report("f.html")) == (1, True)


def test_a_wrapper_says_what_is_left_out(run, there, snapshot):
    code, *_ = run(
        "find", "table.csv", "-t", "y", "-k", 1, "-a", 1, "--quality", "wrapper", "--report", "r.html"
    )
    assert code == 0
    document = document_in(there / "r.html")
    assert about(json.dumps(document), "model would") == snapshot
    assert section(document, "frontier") is None
    assert block_of_code(document, "python")


def test_what_is_interrupted_is_left_out(run, there, monkeypatch, snapshot):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "by_tau", interrupted)
    assert run("find", "table.csv", *FIND, "--report", "r.html")[0] == 0
    document = document_in(there / "r.html")
    assert about(json.dumps(document), "interrupted") == snapshot
    assert section(document, "near-best") is not None


NASTY = ("it's; rm -rf /", 'say "$HOME" `id`', "-a\\n,b", "<b>&amp;", "näme with spaces")


@pytest.mark.slow
@pytest.mark.parametrize("more", [
    ("--quality", "mrmr", "--measure", "pearson", "--search", "simultaneous", "--tau", "1"),
    ("--distinct", "0.9", "--tau", "0.25", "--max-similarity", "0.99", "--drop-missing-target"),
    ("--quality", "importance", "--estimator", "forest", "--task", "classification"),
    ("--forbid", "GIVEN", "--proxies", "0.95", "--existing", "c", "--engine", "milp"),
    (
        "--feature-groups-by",
        " ",
        *shlex.split("--dissimilarity groups --require GIVEN --drop"),
        '"-a\\n,b"',
        "--size",
        "1:2",
    ),
    ("--save-scores", "scores.csv", "--at-most", "1:GIVEN,c"),
    ("--columns", "GIVEN,c,näme with spaces", "--quality", "f"),
], ids=lambda more: more[0])  # fmt: skip
def test_both_lines_run_and_give_the_same_sets(run, there, more):
    lines = (there / "table.csv").read_text(encoding="utf-8").splitlines()
    names = [*NASTY[:2], "c", *NASTY[2:]]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names) + ",y"
    (there / "my table.csv").write_text("\n".join([header, *lines[1:]]), encoding="utf-8")
    given = '"' + NASTY[1].replace('"', '""') + '"'
    asked = [word.replace("GIVEN", given) for word in more]
    size = () if "--size" in more else ("-k", 2)
    code, out, err = run(
        "find", "my table.csv", "-t", "y", *size, "-a", 1, *asked, "--json", "--report", "r.html"
    )
    assert code == 0, err
    first = altsets.Result.from_json(out)
    document = document_in(there / "r.html")
    program, *words = words_in(block_of_code(document, "shell"))
    assert program == "altsets"
    out = run.output(*words, "--json")
    assert altsets.Result.from_json(out).named_sets == first.named_sets
    again = result_of(block_of_code(document, "python"))
    assert again.named_sets == first.named_sets
    assert again.qualities == pytest.approx(first.qualities)


def test_lines_name_the_columns_of_survival(run, there, snapshot):
    rng = np.random.default_rng(0)
    rows = [
        ",".join(map(str, row)) for row in np.column_stack([rng.random((50, 4)).round(3), np.arange(50) % 3])
    ]
    (there / "s.csv").write_text("\n".join(["a,b,c,days,dead", *rows]), encoding="utf-8")
    asked = ("--time", "days", "--event", "dead=2", "-k", 1, "-a", 1, "--quality", "linear_fit", "--json")
    code, out, err = run("find", "s.csv", *asked, "--report", "r.html")
    assert code == 0, err
    document = document_in(there / "r.html")
    line = "altsets.read_table('s.csv', time='days', event='dead=2')"
    assert line in block_of_code(document, "python")
    assert result_of(block_of_code(document, "python")).named_sets == altsets.Result.from_json(out).named_sets
    assert about(json.dumps(document), "dead, days") == snapshot
    assert [part["name"] for part in section(document, "models")["blocks"][0]["columns"]] == [
        "Set",
        "Explained",
        "C index",
    ]


def test_lines_read_the_table_as_the_command_did(run, there):
    rng = np.random.default_rng(0)
    cells = [[f"{number:.3f}".replace(".", ",") for number in row] for row in rng.random((60, 4))]
    lines = [";".join([*row, f"2024-01-{1 + i % 28:02}", str(i % 2)]) for i, row in enumerate(cells)]
    table = "\n".join(["a;b;c;gr\u00f6\u00dfe;day;y", *lines])
    (there / "german.csv").write_text(table, encoding="latin-1")
    how = ("--encoding", "latin-1", "--decimal", ",", "--drop-unusable", "--drop", "c", "--max-memory", "1GB")
    code, out, err = run(
        "find", "german.csv", "-t", "y", *how, "-k", 1, "-a", 1, "--json", "--report", "r.html"
    )
    assert code == 0, err
    first = altsets.Result.from_json(out)
    again = result_of(block_of_code(document_in(there / "r.html"), "python"))
    assert (again.named_sets, again.qualities) == (first.named_sets, first.qualities)


def test_lines_with_saved_scores(run, there):
    run("find", "table.csv", *FIND, "--save-scores", "s.csv")
    for table in (["table.csv", "-t", "y"], []):
        asked = ("--scores", "s.csv", "-k", 2, "-a", 1, "--json")
        out = run.output("find", *table, *asked, "--report", "r.html", "--force")
        again = result_of(block_of_code(document_in(there / "r.html"), "python"))
        assert again.named_sets == altsets.Result.from_json(out).named_sets


def test_again_knows_nothing_of_reports(run, there, snapshot):
    run("find", "table.csv", *FIND, "--json", "--report", "r.html", "--output", "a.json")
    code, out, err = run("find", "--again", "a.json")
    assert code == 0
    assert " ".join(out.split()) == snapshot
    assert "report" not in err


@pytest.mark.slow
def test_the_demo_replaces_only_its_own_report(run, there, snapshot):
    out = run.printed("demo")
    assert about(out, "altsets-demo.html") == snapshot
    document = document_in(there / "altsets-demo.html")
    assert block_of_code(document, "shell") == snapshot
    assert section(document, "frontier") is not None
    (there / "altsets-demo.html").write_text("mine", encoding="utf-8")
    code, _, err = run("demo")
    assert code == 0
    assert about(err, "no report") == snapshot
    assert (there / "altsets-demo.html").read_text(encoding="utf-8") == "mine"
