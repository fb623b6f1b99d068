"""``altsets frontier`` as a user meets it: the table, JSON, and the exit status."""

from __future__ import annotations

import json
import re
import shlex
import signal

import pytest
from words import about

import altsets
from altsets import measures
from altsets.evaluation import overall
from altsets.files.dataset import read_columns, split_target
from altsets.quality import Additive
from altsets.search.frontier import sweep


@pytest.fixture
def scores(table):
    data = split_target(read_columns(table), "y")
    return Additive(measures.pearson(data.X, data.y), feature_names=data.feature_names)


def asking(table, *more):
    return ("frontier", table, "--target", "y", "--quality", "pearson", *more)


def flat(text):
    return " ".join(text.split())


def test_a_table(run, table, scores, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    out = run.printed(*asking(table, "-k", 3, "-a", 1))
    found = altsets.frontier(scores, 3, 1)
    rows = re.findall(r"^ *([\d.]+) +(\d) +([\d.]+) % +([\d.]+) % +(\w+) *$", out, re.MULTILINE)
    best = found.best(3)
    assert rows == [
        (
            f"{point.tau:.4g}",
            str(point.max_overlap),
            f"{100 * point.worst / best:.1f}",
            f"{100 * point.mean / best:.1f}",
            "optimal",
        )
        for point in found
    ]
    assert max(map(len, out.splitlines())) <= 70
    assert flat(out).startswith(flat(str(found.verdict)))
    assert flat(out).endswith(flat(found.explain()))


def test_sizes_and_numbers_of_sets(run, table, scores, snapshot):
    out = run.printed(*asking(table, "-k", "2:3", "-a", "1,2", "--tau", "0,0.5", "--tau", 1))
    assert flat(out) == snapshot
    # Two of three sets are no mean of three.
    assert re.search(r"3 +2 +1 +0 +[\d.]+ +- +- +infeasible \(2 of 3 sets\)", out)


def test_over_sizes_where_there_is_one_tau(run, table, scores):
    out = run.output(*asking(table, "-k", "1:5", "-a", 0))
    assert f"{altsets.find(scores, 4, 0).objective:#.5g}" in out


def test_json_is_one_document_and_matches_the_library(run, table, scores):
    out = run.printed(*asking(table, "-k", "2:3", "-a", 1, "--search", "simultaneous", "--json"))
    document, found = json.loads(out), altsets.frontier(scores, [2, 3], 1, search="simultaneous")
    assert document["parameters"].pop("table") == str(table)
    assert document["parameters"]["quality"] == "pearson"
    assert altsets.results.Frontier.from_json(out).points == found.points
    assert document["suggestion"]["reason"] == found.suggestion.reason


def test_constraints_existing_sets_and_other_differences(run, table, scores):
    options = ("--forbid", "b", "--existing", "a,c", "--dissimilarity", "jaccard", "-k", 2, "-a", 1)
    document = json.loads(run(*asking(table, *options, "--json"))[1])
    found = altsets.frontier(
        scores,
        2,
        1,
        constraints=altsets.constraints.Forbid("b"),
        existing=[["a", "c"]],
        dissimilarity="jaccard",
    )
    assert [entry["result"]["objective"] for entry in document["points"]] == [
        point.result.objective for point in found
    ]
    assert run(*asking(table, "-k", 2, "-a", 1, "--distinct", "0.9"))[0] == 0
    assert run(*asking(table, "--size", "1:2", "-a", 1))[0] == 0


def test_scores_that_were_saved(run, table, tmp_path):
    path = tmp_path / "scores.csv"
    first = run(*asking(table, "-k", 2, "--save-scores", path))
    again = run("frontier", "--scores", path, "-k", 2)
    assert first[0] == again[0] == 0
    assert first[1] == again[1]


def test_no_point_has_a_set(run, table, snapshot):
    assert run.error(*asking(table, "-k", 2, "--require", "a", "--forbid", "a"), code=1) == snapshot
    code, out, _ = run(*asking(table, "-k", 2, "--require", "a", "--forbid", "a", "--json"))
    assert code == 1
    assert {entry["result"]["status"] for entry in json.loads(out)["points"]} == {"infeasible"}


@pytest.mark.parametrize(("options", "message"), [
    (("-k", "5:2"), "Error: -k 5:2 is empty; give the smaller number first, such as 2:5."),
    (("-k", "2:"), "Error: -k: '' is not a whole number."),
    (("-k", "two"), "Error: -k: 'two' is not a whole number."),
    (("-k", "1:99999999"), "Error: -k 1:99999999 has 99,999,999 numbers; give 10,000 or fewer."),
    (("-k", "7:9"), "Error: --n-features 7, but there are only 6 features to choose from; ask for at most 6."),
    (("-k", "0:2"), "Error: --n-features 0 is too small; it must be at least 1."),
    (("-a", "-1"), "Error: --n-alternatives -1 is too small; it must be at least 0."),
    (("--tau", "0.5,2"), "Error: --tau 2 is outside [0, 1]"),
    (("--tau", "half"), "Error: --tau half is not a number"),
    (("--time-limit", "0"), "--time-limit 0 must be a positive number of seconds"),
    (("-k", "2", "--size", "1:2"), "Error: --n-features and --size were both given; give one of them."),
    (("--search", "fast"), "Error: --search fast is unknown"),
    (("--engine", "fast"), "Error: --engine fast is unknown"),
])  # fmt: skip
def test_bad_input(run, table, options, message):
    err = run.error(*asking(table, *options))
    assert message in err
    assert err.count("\n") == 1


def test_sizes_beyond_the_table(run, table, snapshot):
    out = run.printed(*asking(table, "-k", "5:9", "-a", 0))
    assert flat(out) == snapshot


def test_ctrl_c_prints_the_points_that_are_there(run, table, monkeypatch, snapshot):
    solve, solved = sweep.solve, []

    def interrupted(*arguments):
        solved.append(arguments)
        if len(solved) == interrupted_at:
            signal.raise_signal(signal.SIGINT)
        return solve(*arguments)

    monkeypatch.setattr(sweep, "solve", interrupted)
    interrupted_at = 7
    code, out, err = run(*asking(table, "-k", "2:3", "-a", 1))
    assert code == 0
    assert flat(out) == snapshot
    assert "optimal" in out
    solved.clear()
    interrupted_at = 1
    code, out, err = run(*asking(table, "-k", "2:3", "-a", 1))
    assert code == 0
    assert err == snapshot


# --- Scores along the frontier -------------------------------------------------------------------------
JUDGED = ("-k", "2:3", "-a", 1, "--tau", "0,1", "--evaluate", "--cv", 3)


def test_scores_and_the_baseline_stand_in_the_table(run, table, monkeypatch, snapshot):
    monkeypatch.setenv("COLUMNS", "80")
    out = run.printed(*asking(table, *JUDGED))
    data = split_target(read_columns(table), "y")
    frontier = altsets.frontier("pearson", [2, 3], 1, [0, 1], X=data.X, y=data.y)
    found = altsets.evaluate(frontier, data.X, data.y, cv=3)
    measured = [overall(one) for one in found]
    rows = re.findall(r"([\d.]+) +(-|\[.*\]) +optimal *$", out, re.MULTILINE)
    # Where all folds score the same, there is no interval.
    shown = ["-" if one.low != one.low else f"[{one.low:.3f}, {one.high:.3f}]" for one in measured]
    assert rows == [(f"{one.difference:.3f}", text) for one, text in zip(measured, shown, strict=True)]
    assert re.search(r"^ baseline +0.000 *$", out, re.MULTILINE)
    assert flat(out).endswith(flat(found.explain()))
    assert flat(out) == snapshot


@pytest.mark.slow
def test_scores_as_a_document(run, table):
    options = shlex.split("--estimator linear --scoring accuracy,roc_auc --n-repeats 2 --positive yes")
    out = run.printed(*asking(table, *JUDGED, *options, "--json"))
    data = split_target(read_columns(table), "y")
    own = altsets.evaluate(
        altsets.frontier("pearson", [2, 3], 1, [0, 1], X=data.X, y=data.y), data.X, data.y, cv=3, n_repeats=2,
        estimator="linear", scoring=["accuracy", "roc_auc"], pos_label="yes",
    )  # fmt: skip
    document = json.loads(out)
    assert altsets.results.Evaluations.from_json(out).evaluations == own.evaluations
    parameters = document["frontier"]["parameters"]
    assert (parameters["table"], parameters["quality"]) == (str(table), "pearson")


def test_folds_that_keep_groups_together(run, write, snapshot):
    rows = "".join(f"{row % 2 + row / 50},{row % 5},p{row // 4},{row % 2}\n" for row in range(40))
    grouped = write(f"a,b,patient,y\n{rows}")
    out = run.output(*asking(grouped, "-k", 1, "-a", 1, "--evaluate", "--cv", 3, "--cv-groups", "patient"))
    assert flat(out) == snapshot


@pytest.mark.parametrize(("options", "message"), [
    (("--cv", "3"), "Error: --cv 3 goes with --evaluate; add it, or leave out --cv."),
    (("--n-repeats", "2"), "Error: --n-repeats 2 goes with --evaluate; add it, or leave out --n-repeats."),
    (("--evaluate", "--existing", "a"), "Error: --existing does not go with --evaluate"),
    (("--evaluate", "--engine", "milp"), "Error: --engine does not go with --evaluate"),
    (("--evaluate", "--estimator", "crystal ball"), "Error: "),
    (("--evaluate", "--scoring", "luck"), "Error: "),
    (("--evaluate", "--cv", "1"), "Error: --cv 1: 1 is too few"),
])  # fmt: skip
def test_bad_input_about_scores(run, table, options, message):
    err = run.error(*asking(table, "-k", 2, *options))
    assert message in err
    assert err.count("\n") == 1


def test_ctrl_c_while_folds_are_judged(run, table, monkeypatch, snapshot):
    from altsets.evaluation import evaluating

    judged = evaluating.evaluate_fold

    def interrupted(*arguments):
        if arguments[1] == stop_at:
            signal.raise_signal(signal.SIGINT)
        return judged(*arguments)

    monkeypatch.setattr(evaluating, "evaluate_fold", interrupted)
    stop_at = 2
    out = run.printed(*asking(table, *JUDGED))
    assert about(flat(out), "Interrupted") == snapshot
    stop_at = 0
    code, out, err = run(*asking(table, *JUDGED))
    assert (code, err) == snapshot
    assert "Score" not in out
    assert "4 proven optimal" in flat(out)


# --- By penalty, and sums against minima --------------------------------------------------------------
def test_every_penalty_that_matters(run, table, scores):
    found = altsets.frontier(scores, 3, 1, by="penalty", search="simultaneous")
    out = run.printed(*asking(table, "-k", 3, "-a", 1, "--by", "penalty"))
    rows = re.findall(r"^ *(\S+) +(\S+) +(\S+) +(\d+) +optimal +0 +(.*?) *$", out, re.MULTILINE)
    assert rows == [
        (
            *(f"{value:.6g}" for value in (*point.penalty, point.quality)),
            str(point.shared or 0),
            ", ".join(point.result.named_sets[0]),
        )
        for point in found
    ]
    assert len(rows) > 1


@pytest.mark.parametrize("by", ["penalty", "balance"])
def test_a_report_by_penalty_or_balance(run, table, tmp_path, by, snapshot):
    path = tmp_path / "report.html"
    code, out, err = run(*asking(table, "-k", 3, "-a", 1, "--by", by, "--report", path))
    assert code == 0
    assert about(out, "Proven") == snapshot
    assert "report.html" in err
    page = path.read_text("utf-8")
    assert "curve-points" in page
    assert "Asked for" in page
    assert f"--by={by}" in page


def test_sums_against_minima_as_json(run, table, scores, snapshot):
    asked = asking(table, "-k", 2, "-a", 1, "--tau", 1, "--by", "balance", "--require", "a", "--json")
    code, out, err = run(*asked)
    assert (code, json.loads(out)["points"]) == (1, [])
    assert err == snapshot
    code, out, err = run(*[word for word in asked if word not in ("--require", "a")])
    found = altsets.frontier(scores, 2, 1, 1, by="balance")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert [(point["quality"], point["worst"]) for point in document["points"]] == [
        (point.quality, point.worst) for point in found
    ]
    assert document["points"][0]["result"]["sets"][0]["features"] == list(
        found.points[0].result.named_sets[0]
    )
    assert (document["by"], document["complete"]) == ("balance", True)


@pytest.mark.parametrize(("more", "said"), [
    (("--by", "size"), "--by size is unknown; choose one of tau, penalty, balance."),
    (("--by", "penalty", "--search", "sequential"), "takes --search simultaneous only, not --search seq"),
    (("--by", "balance", "--aggregation", "min"), "leave out --aggregation min."),
    (("--by", "penalty", "-a", "1,2"), "by penalty takes one --n-alternatives, not 2"),
    (("--by", "penalty", "--tau", "0,1"), "by penalty takes one --tau, not 2"),
    (("--by", "balance", "--evaluate"), "--evaluate is for curves over tau and against costs"),
    (("--by", "balance", "--quality", "wrapper"), "takes qualities in numbers"),
])  # fmt: skip
def test_what_does_not_go_with_a_penalty_or_balance(run, table, more, said):
    err = run.error(*asking(table, "-k", 2, *more))
    assert said in err
