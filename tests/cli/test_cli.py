"""The command line as a user meets it: what is printed where, and the exit status."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest
from clocks import wait_until
from rich.console import Console
from words import about

import altsets
from altsets import measures, problem
from altsets.cli import printing
from altsets.constraints import KINDS
from altsets.files.dataset import read_columns, split_target
from altsets.files.writing import write_csv
from altsets.result import Progress, Status

#: The command in a process of its own, which writes no lines about how long it takes on a busy machine.
QUIET = "from altsets.cli import main, printing; printing.SECONDS_PER_LINE = 1e6"
COMMAND = [sys.executable, "-c", f"{QUIET}; main()"]


# --- Answers ---
def test_find_prints_a_verdict_and_sets_first(run, table, snapshot):
    asked = ("find", table, "--target", "y", "-k", 2, "-a", 2, "--tau", "1", "--quality", "f")
    out = run.printed(*asked)
    lines = out.splitlines()
    assert lines[0] == snapshot
    assert lines[1].startswith("Set 1 keeps ")
    assert "optimal" not in out
    assert "Objective" not in out
    assert "engine" not in out


def test_details_are_overlaps_bound_and_proof(run, table, snapshot):
    asked = ("find", table, "--target", "y", "-k", 2, "-a", 2, "--tau", "1", "--quality", "f", "--details")
    out = run.printed(*asked)
    rows = re.findall(
        r"^ +(\d)   (\w) +([\d.]+)[ *]? +([\d.]+) +([\d.]+)%   optimal *\n +(\w) +([\d.]+)[ *]? *$",
        out,
        re.MULTILINE,
    )
    assert [(row[0], row[1], row[5]) for row in rows] == [("0", "a", "b"), ("1", "c", "d"), ("2", "e", "f")]
    for _, _, score, value, _, _, other in rows:
        assert float(score) + float(other) == pytest.approx(float(value), rel=1e-3)
    assert rows[0][4] == "100.0"
    assert re.search(r"0   2   0   0 *\n +1   0   2   0 *\n +2   0   0   2", out)
    assert re.search(r"Objective ([\d.]+), bound \1, gap", out)
    assert about(out, "Each of 3") == snapshot


def test_json_is_one_document_and_matches_the_library(run, table):
    args = ("find", table, "--target", "y", "-k", 3, "-a", 1, "--dissimilarity", "absolute", "--tau", 2)
    args += ("--quality", "pearson")
    out = run.printed(*args, "--json")
    document = json.loads(out)
    data = split_target(read_columns(table), "y")
    quality = altsets.quality.Additive(measures.pearson(data.X, data.y), feature_names=data.feature_names)
    expected = altsets.find(quality, n_features=3, n_alternatives=1, tau=2, dissimilarity="absolute")
    assert document["schema"] == 1
    assert document["objective"] == pytest.approx(expected.objective)
    assert [tuple(entry["features"]) for entry in document["sets"]] == expected.named_sets
    assert document["statuses"] == ["optimal", "optimal"]
    assert document["parameters"]["quality"] == "pearson"
    assert document["parameters"]["tau"] == 2
    assert document["parameters"]["dissimilarity"] == "absolute"
    assert altsets.Result.from_json(out).sets == expected.sets
    assert json.loads(run(*args, "--json")[1])["sets"] == document["sets"]


@pytest.mark.parametrize("options", [
    ("--search", "simultaneous"),
    ("--search", "simultaneous", "--aggregation", "min"),
    ("--search", "greedy-replacement"),
    ("--search", "greedy-balancing", "--aggregation", "min"),
    ("--search", "greedy-depth"),
    ("--dissimilarity", "jaccard", "--tau", "2/3"),
    ("--quality", "importance"),
    ("--quality", "mutual_info", "--task", "classification"),
    ("--engine", "milp", "--search", "simultaneous"),
    ("--time-limit", "500"), ("--time-limit", "inf"),
], ids=" ".join)  # fmt: skip
def test_options_reach_the_search(run, table, options):
    out = run.printed("find", table, "-t", "y", "-k", 2, "-a", 1, "--json", *options)
    document = json.loads(out)
    asked = dict(zip(options[::2], options[1::2], strict=True))
    for option in ("search", "aggregation", "dissimilarity", "quality"):
        if f"--{option}" in asked:
            assert document["parameters"][option] == asked[f"--{option}"]
    assert document["engine"] == asked.get("--engine", document["engine"])
    assert len(document["sets"]) == 2


@pytest.mark.parametrize(("option", "seconds"), [((), 180.0), (("--time-limit", "7.5"), 7.5)])
def test_the_time_limit_is_a_minute_for_each_set(run, table, monkeypatch, clock, option, seconds):
    seen = {}

    def stub(request, quality, **_):
        seen.update(vars(request))
        raise altsets.errors.InputError("stop here.")

    monkeypatch.setattr("altsets.search.answering.answer", stub)
    run("find", table, "-t", "y", "-k", 1, "-a", 2, *option)
    # What the user gives is for reading and scoring, too.
    assert seconds - bool(option) <= seen["time_limit"] <= seconds


def test_existing_sets_and_dropped_columns(run, table):
    code, out, _ = run(
        "find", table, "-t", "y", "-k", 2, "-a", 0, "--tau", 1, "--quality", "f", "--json",
        "--drop", "c, d", "--existing", "a,b",
    )  # fmt: skip
    document = json.loads(out)
    assert code == 0
    assert document["sets"][0]["features"] == ["e", "f"]
    assert document["parameters"]["n_features_in"] == 4
    assert document["parameters"]["existing"] == [[0, 1]]


def test_names_with_commas_stand_in_quotes(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        '"x, cm",z,w,y\n' + "".join(f"{i},{i * i % 7},{i % 3 + i % 2},{i % 2}\n" for i in range(12))
    )
    args = ("find", path, "-t", "y", "-k", 1, "-a", 0, "--json", "--tau", 1, "--quality", "f")
    _, out, _ = run(*args, "--drop", '"x, cm",z')
    assert json.loads(out)["sets"][0]["features"] == ["w"]
    _, out, _ = run(*args, "--existing", '"x, cm"', "--existing", "z")
    assert json.loads(out)["sets"][0]["features"] == ["w"]


def test_some_sets_are_an_answer_and_the_missing_ones_are_reported(run, table, snapshot):
    args = ("find", table, "-t", "y", "-k", 2, "-a", 4, "--tau", 1, "--quality", "f")
    code, out, err = run(*args)
    assert code == 0
    assert err == snapshot
    said = " ".join(out.split())
    assert said == snapshot
    assert said.index("Caution") < said.index("Quality")
    code, out, err = run(*args, "--json")
    assert code == 0
    assert json.loads(out)["statuses"] == ["optimal"] * 3 + ["infeasible"] * 2


def test_no_set_is_exit_status_1(run, table, snapshot):
    args = ("find", table, "-t", "y", "-k", 2, "-a", 4, "--tau", 1, "--search", "simultaneous")
    err = run.error(*args, code=1)
    assert err == snapshot
    assert err.count("\n") == 1
    code, out, err = run(*args, "--json")
    assert code == 1
    document = json.loads(out)
    assert (document["status"], document["sets"]) == ("infeasible", [])
    assert document["objective"] is None
    assert document["bound"] is None


def test_many_sets_have_a_line_instead_of_an_overlap_table(run, table, snapshot):
    differing = ("--dissimilarity", "absolute", "--tau", 1)
    out = run.output("find", table, "-t", "y", "-k", 3, "-a", 15, *differing, "--quality", "f")
    assert about(out, "No two sets") == snapshot


def test_negative_qualities_have_no_share(table):
    result = altsets.find(altsets.quality.Additive([-1, -2, -3]), n_features=1, n_alternatives=1)
    console = Console(file=io.StringIO(), width=80)
    printing.show(result, console)
    assert "%" not in console.file.getvalue()
    assert "-1.00000" in console.file.getvalue()


def test_a_heuristic_has_a_bound(run, table, snapshot):
    out = run("find", table, "-t", "y", "-k", 2, "-a", 1, "--search", "greedy-replacement", "--details")[1]
    assert out == snapshot
    assert "feasible" in out


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_name_fits_any_width(run, tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    names = ["w" * 150, "[red]x[/red]", "größe 日本語", "esc\x1b[31mape", ":smile:", "tab\there"]
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 50)
    columns = [rng.normal(size=50) + y for _ in names]
    write_csv((*names, "y"), (*columns, y), tmp_path / "t.csv")
    out = run.output("find", tmp_path / "t.csv", "-t", "y", "-k", 6, "-a", 0)
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= width
    cut = "w" * 150 if width == 200 else "wwwwwwww…"
    for name in (
        cut,
        *(("[red]x[/red]", "größe 日本語", "esc\ufffd[31mape", ":smile:", "tab here") * (width > 40)),
    ):
        assert name in out
    whole = json.loads(run("find", tmp_path / "t.csv", "-t", "y", "-k", 6, "-a", 0, "--json")[1])
    assert "w" * 150 in whole["sets"][0]["features"]


def test_copies_are_one_line_on_standard_error(run, tmp_path, snapshot):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 40))
    write_csv(("x", "copy", "z", "y"), (x, x, x + y, y), tmp_path / "t.csv")
    code, out, err = run("find", tmp_path / "t.csv", "-t", "y", "-k", 1, "-a", 1, "--json")
    assert code == 0
    assert len(json.loads(out)["sets"]) == 2
    assert err == snapshot


# --- Text and holes ---
@pytest.fixture(scope="module")
def mixed_table(tmp_path_factory):
    """Numbers with holes, text with holes, codes of numbers; two classes."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 90)
    numbers = [rng.normal(size=90) + y * weight for weight in (3, 2)]
    numbers[0][::7] = np.nan
    words = np.array(["red", "green", "blue", None], dtype=object)
    towns = words[np.minimum(rng.integers(0, 3, 90) + y, 3)]
    codes = (rng.integers(0, 3, 90) + 10 * y * (rng.random(90) < 0.5)).astype(float)
    labels = np.array(["no", "yes"], dtype=object)
    path = tmp_path_factory.mktemp("tables") / "mixed.csv"
    columns = (*numbers, towns, labels[rng.integers(0, 2, 90)], codes, labels[y])
    write_csv(("a", "b", "town", "flag", "code", "y"), columns, path)
    return path


@pytest.mark.parametrize("quality", [
    "mutual_info", "symmetrical_uncertainty", "chi2", "importance", "permutation", "mrmr", "fcbf", "wrapper",
    "cfs --measure symmetrical_uncertainty",
])  # fmt: skip
def test_a_table_with_text_and_holes(run, mixed_table, quality):
    drop = ("--drop", "a,b") if quality == "chi2" else ()
    args = ("-k", 2, "-a", 1, "--categorical", "code", "--max-iters", 20)
    args = args if quality.startswith("wrapper") else args[:-2]
    code, out, err = run(
        "find", mixed_table, "-t", "y", *args, *drop, "--quality", *quality.split(), "--json"
    )
    assert code == 0
    assert len(json.loads(out)["sets"]) == 2
    assert err.count("\n") <= 1


def test_scores_of_a_table_with_text_are_saved(run, mixed_table, tmp_path, snapshot):
    saved = tmp_path / "scores.csv"
    args = ("find", mixed_table, "-t", "y", "-k", 2, "-a", 0, "--quality", "importance")
    code, out, _ = run(*args, "--save-scores", saved, "--json")
    assert code == 0
    again = run("find", "--scores", saved, "-k", 2, "-a", 0, "--json")
    assert json.loads(again[1])["sets"] == json.loads(out)["sets"]
    with_table = run(*args[:-2], "--scores", saved, "--categorical", "code", "--json")
    assert json.loads(with_table[1])["sets"] == json.loads(out)["sets"]
    for unused in (("--categorical", "code"), ("--quality", "importance"), ("--quality", "linear_fit")):
        code, _, err = run("find", "--scores", saved, *unused)
        assert (code, err) == (2, snapshot)


def test_what_was_read_as_missing_is_said_beside_the_answer(run, mixed_table, tmp_path, snapshot):
    (tmp_path / "sets.txt").write_text("a\n")
    evaluated = ("evaluate", "--sets", tmp_path / "sets.txt", "--n-repeats", 1)
    for command, *options in (("find", "-k", 1, "-a", 1), ("near-best", "-k", 1), evaluated):
        code, _, err = run(command, mixed_table, "-t", "y", *options)
        assert code == 0
        assert err == snapshot


# --- Bad input ---
@pytest.mark.parametrize(("args", "message"), [
    ("find nowhere.csv -t y", "there is no file nowhere.csv"),
    ("find benchmarks -t y", "holds no Parquet files"),
    ("find TABLE -t z", "no target column 'z'"),
    ("find TABLE -t y --drop q", "no column to drop 'q'"),
    ("find TABLE -t y --categorical q", "no categorical column 'q'"),
    ("find TABLE -t y --existing a,bb", "--existing names 'bb', which is not a feature"),
    ("find TABLE -t y --existing ,", "existing set is empty"),
    ("find TABLE -t y --existing a,a", "holds a feature twice"),
    ("find TABLE -t y -k 7", "--n-features 7, but there are only 6 features"),
    ("find TABLE -t y -k 0", "--n-features 0 is too small"),
    ("find TABLE -t y -k -1", "--n-features -1 is too small"),
    ("find TABLE -t y -k 2.5", "'2.5' is more than all of it"),
    ("find TABLE -t y -a many", "'many' is not a whole number, or max"),
    ("find TABLE -t y -a -2", "--n-alternatives -2 is too small"),
    ("find TABLE -t y --tau 1.5", "--tau 1.5 is outside [0, 1]"),
    ("find TABLE -t y --tau half", "between 0 and 1, such as 0.5 (altsets find takes --tau max as well)"),
    ("find TABLE -t y --tau 0.5 --dissimilarity absolute", "--tau 0.5 is not a whole number"),
    ("find TABLE -t y --tau 9 --dissimilarity absolute", "--tau 9"),
    ("find TABLE -t y --dissimilarity absolute", "give --tau"),
    ("explore TABLE -t y --tau 2 --dissimilarity absolute", "use --dissimilarity dice"),
    ("frontier TABLE -t y --dissimilarity absolute", "use --dissimilarity dice"),
    ("find TABLE -t y --time-limit 0", "--time-limit 0 must be a positive number of seconds"),
    ("find TABLE -t y --time-limit nan", "--time-limit nan must be a positive number of seconds"),
    ("find TABLE -t y --time-limit soon", "'soon' is not a number"),
    ("find TABLE -t y --quality luck", "--quality luck is unknown; choose one of mutual_info, f,"),
    ("find TABLE -t y --search wild", "--search wild is unknown"),
    ("find TABLE -t y --aggregation max", "--aggregation max is unknown"),
    ("find TABLE -t y --dissimilarity cosine", "--dissimilarity cosine is unknown"),
    ("find TABLE -t y --engine steam", "--engine steam is unknown"),
    ("find TABLE -t y --engine greedy", "engine 'greedy' does not solve this"),
    ("find TABLE -t y --task ranking", "--task ranking is unknown"),
    ("find TABLE -t y --task regression", "the target is text"),
    ("find TABLE", "use --target to name the column of"),
    ("find", "give a TABLE and its --target, or scores"),
    ("find TABLE -t y --color", "No such option: --color"),
    ("find TABLE other -t y", "unexpected extra argument"),
    ("fnd", "No such command 'fnd'"),
    ("demo --save-table TABLE", "exists already"),
])  # fmt: skip
def test_bad_input_is_one_line_and_exit_status_2(run, table, args, message):
    code, out, err = run(*(str(table) if arg == "TABLE" else arg for arg in args.split()))
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1


def test_what_is_wrong_with_the_request_is_said_before_the_features_are_scored(run, table, monkeypatch):
    monkeypatch.setattr(measures, "score", lambda *_, **__: pytest.fail("scored a request that is wrong"))
    assert run("find", table, "-t", "y", "-k", 7)[0] == 2


def test_a_failed_check_is_no_bad_input(run, table, monkeypatch, snapshot):
    def broken(*_, **__):
        raise altsets.errors.VerificationError("set 0 is wrong.")

    monkeypatch.setattr("altsets.search.solving.verify", broken)
    assert run.error("find", table, "-t", "y", "-k", 2, code=1) == snapshot


# --- The rest of the house ---
def test_version_and_help(run):
    assert run("--version") == (0, f"altsets {altsets.__version__}\n", "")
    assert run() == run("--help")
    text = " ".join(run("find", "--help-all")[1].split())
    choices = (*problem.SEARCHES, *problem.AGGREGATIONS, *problem.DISSIMILARITIES, *measures.MEASURES)
    choices += (*measures.PAIR_MEASURES, "mrmr", "fcbf", "cfs", *(kind.option.flag for kind in KINDS))
    for word in choices:
        assert re.search(rf"(?<!\w){word}\b", text), word


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom altsets.cli import main\n"
        "sys.argv = ['altsets', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'highspy'} & set(sys.modules)\n"
        "print(heavy or 'light')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "light"


@pytest.mark.slow
def test_the_demo_shows_everything_and_its_suggestions_work(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = run.printed("demo")
    for words in (
        "569 breast tumours",
        "worst perimeter",
        "Use set 1 instead of set 0?",
        "Proven: no set",
        "In other words: ",
    ):
        assert words in out
    assert out.index("instead of set 0?") < out.index("The best set")
    # Sets that are called quite different are not flagged as near-copies.
    assert "Caution" not in out
    suggestions = out.partition("Try next:\n")[2].splitlines()
    assert len(suggestions) == 3
    for suggestion in suggestions:
        program, *args = shlex.split(suggestion)
        assert program == "altsets"
        again = run.printed(*args)
        assert "Proven" in again or "proven optimal" in again
    assert len(read_columns(tmp_path / "demo.csv").names) == 31


@pytest.mark.slow
def test_the_demo_quotes_the_name_of_its_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my table.csv"
    out = run("demo", "--save-table", path)[1]
    suggestions = [shlex.split(line) for line in out.partition("Try next:\n")[2].splitlines()]
    assert [words[2] for words in suggestions] == [str(path)] * 3
    assert path.exists()


@pytest.mark.slow
def test_piped_output_has_no_colours_and_fits_80_columns(table):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [*COMMAND, "find", str(table), "-t", "y", "-k", "5", "-a", "1", "--tau", "0.2"],
        capture_output=True,
        check=True,
        env={**environment, "PYTHONIOENCODING": "ascii"},
    )
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_a_reader_that_leaves_early_sees_no_traceback(table):
    process = subprocess.Popen(
        [*COMMAND, "find", str(table), "-t", "y", "-k", "2", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


# --- Ctrl-C ---
def interrupted(script, *args):
    """Run the command with a script before it, press Ctrl-C once it says READY, and wait for the end."""
    code = f"{QUIET}\n{script}\nmain()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr.readline() == "READY\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        process.kill()
    return process.returncode, out, err


@pytest.mark.slow
def test_ctrl_c_while_scoring_says_so(table):
    script = (
        "import sys, time\nfrom altsets import measures\n"
        "def slow(*_, **__):\n    print('READY', file=sys.stderr, flush=True)\n    time.sleep(600)\n"
        "measures.MEASURES['f'] = slow"
    )
    code, out, err = interrupted(script, "find", table, "-t", "y", "--quality", "f", "--json")
    assert (code, out, err) == (1, "", "Interrupted.\n")


@pytest.mark.slow
def test_ctrl_c_during_a_hard_search_prints_the_best_sets_and_the_bound(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.random((60, 80)), rng.random(60)
    names = tuple(f"x{i}" for i in range(80))
    write_csv((*names, "y"), (*X.T, y), tmp_path / "wide.csv")
    script = (
        "import sys\n"
        "from altsets.search.subset import construction\n"
        "construction.GRACE = construction.MOST_GRACE = 60\n"
        "def report(self, progress):\n"
        "    if not hasattr(self, 'said'):\n"
        "        self.said = print('READY', file=sys.stderr, flush=True)\n"
        "printing.Waiting.report = report"
    )
    code, out, err = interrupted(
        script, "find", tmp_path / "wide.csv", "-t", "y", "-k", 20, "-a", 4, "--quality", "pearson",
        "--search", "simultaneous", "--aggregation", "min", "--engine", "milp", "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["status"] == "feasible"
    assert len(document["sets"]) == 5
    assert document["bound"] >= document["objective"]


# --- Signs of life ---
def progress(best, bound):
    return Progress(best, bound, 3.2, [])


def test_waiting_is_shown_on_a_terminal():
    screen = io.StringIO()
    with printing.Waiting(Console(file=screen, force_terminal=True, width=100)) as waiting:
        waiting.say("Scoring [bold]")
        wait_until(lambda: "Scoring [bold]" in screen.getvalue())
        waiting.report(progress(1.25, float("inf")))
        wait_until(lambda: "best 1.25, bound none yet, 3 s" in screen.getvalue())
    assert screen.getvalue().index("Scoring [bold]") < screen.getvalue().index("best 1.25")


def test_lines_come_every_few_seconds_where_there_is_no_terminal(clock, capsys, snapshot):
    written = []

    def said():
        written.append(capsys.readouterr().err)
        return "".join(written)

    with printing.Waiting(Console(file=io.StringIO(), force_terminal=False), every=0.01) as waiting:
        waiting.say("Scoring [bold] features of a table with a long name")
        wait_until(lambda: "Scoring" in said())
        waiting.report(progress(1.25, float("inf")))
        wait_until(lambda: "bound" in said())
    lines = said().splitlines()
    assert [lines[0], lines[-1]] == snapshot


def test_no_line_is_written_when_it_is_quick(capsys):
    with printing.Waiting(Console(file=io.StringIO(), force_terminal=False), every=600.0) as waiting:
        waiting.report(progress(float("nan"), 2.0))
    assert capsys.readouterr().err == ""


def test_statuses_have_colours_on_a_terminal():
    result = altsets.find(altsets.quality.Additive([3, 2, 1]), n_features=1, n_alternatives=1)
    assert result.status is Status.OPTIMAL
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system="standard", width=80)
    printing.show(result, console, details=True)
    assert "\x1b[32moptimal" in screen.getvalue()


def test_linear_models_are_printed(run, write, snapshot):
    rng = np.random.default_rng(0)
    rows = [f"{a},{b},{c},{2 * a - b + 0.3 * e:.6f}" for a, b, c, e in rng.normal(size=(30, 4)).round(3)]
    table = write("\n".join(["a,b,c,y", *rows]))
    asked = ("find", table, "-t", "y", "--quality", "linear_fit", "-a", 0)
    _, plain, _ = run(*asked, "-k", 2)
    _, detailed, _ = run(*asked, "-k", 2, "--details")
    assert "(intercept)" not in plain
    assert " R²" not in plain[plain.index("Quality") :].splitlines()[0]
    assert " ".join(detailed.split()) == snapshot
    assert [line.split()[0] for line in detailed[detailed.index("(intercept)") :].splitlines()[:3]] == [
        *("(intercept)", "a", "b")
    ]
    # Where a criterion is the quality, R² stands beside it.
    _, by_bic, _ = run(*asked, "--criterion", "bic", "--size", "1:3")
    assert by_bic[by_bic.index("Quality") :].splitlines()[0].split()[-1] == "R²"
