"""Tables, figures, claims and findings of the study, against numbers that were worked out by hand."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies import METHODS, failure, row, study

from altsets.errors import InputError
from altsets_study import claims, conclusions, figures, gains, tables
from altsets_study import report as page
from altsets_study.datasets import DATASETS
from altsets_study.figures import NOTHING
from altsets_study.report import as_cells, plain
from altsets_study.tables import original_sets, published, published_number, runs_of, sets_in


def sequential(qualities, *, missing="infeasible", **values):
    """The rows of a sequential search; a quality of None is a set that is not there."""
    return [
        row(number=number, train_objective=quality, **{"status": "optimal", **values})
        if quality is not None
        else row(number=number, **{**values, "status": missing})
        for number, quality in enumerate(qualities)
    ]


def simultaneous(qualities, aggregation="sum", search="simultaneous", **values):
    a = len(qualities) - 1
    given = {"search": search, "aggregation": aggregation, "n_alternatives": a, **values}
    # As in results, the row of the first set has the time of the whole search.
    seconds = given.pop("processor_seconds", 0.1)
    return [
        row(number=number, train_objective=quality, processor_seconds=0.0 if number else seconds, **given)
        for number, quality in enumerate(qualities)
    ]


@pytest.fixture(scope="module")
def made():
    return study(failures=[failure("wdbc", 3, "mrmr", "out of <luck>")])


# --- What the paper printed -------------------------------------------------------------------------------


def test_published_statuses_add_up():
    printed = dict(published()["status_percent"])
    del printed["columns"]
    for searches in printed.values():
        for shares in searches.values():
            assert sum(shares) == pytest.approx(100, abs=0.02)
    by_a = [sum(shares) for a, shares in published()["status_percent_by_a"].items() if a != "columns"]
    assert by_a == pytest.approx([100] * 5, abs=0.02)


def test_published_tables_agree_with_each_other():
    # The mean over a of one table is the mean over methods of the other: each search counts once, not each set.
    methods = [shares for name, shares in published()["status_percent"].items() if name != "columns"]
    by_method = np.mean([shares["sim-sum"][3] for shares in methods])
    by_a = np.mean([published()["status_percent_by_a"][str(a)][2] for a in range(1, 6)])
    assert by_method == pytest.approx(by_a, abs=0.02)
    seconds = np.mean([published_number("seconds_by_a", str(a), "mrmr") for a in range(1, 6)])
    assert seconds == pytest.approx(published_number("seconds", "mrmr", "sim-sum"), abs=0.3)
    assert published()["core_hours"] == published()["cores"] * published()["wall_hours"]


# --- From sets to searches --------------------------------------------------------------------------------


def test_a_sequential_search_stands_for_all_with_fewer_alternatives():
    frame = pd.DataFrame(sequential([0.9, 0.6, 0.3, None], processor_seconds=0.5))
    found = runs_of(sets_in(frame)).set_index("a")
    assert list(found.index) == [1, 2, 3]
    assert list(found["status"]) == ["optimal", "optimal", "infeasible"]
    assert list(found["seconds"]) == [1.0, 1.5, 2.0]
    assert list(found["valid"]) == [True, True, False]
    assert found["proven"].all()
    assert found.loc[2, "mean_train_objective"] == pytest.approx(0.6)
    assert found.loc[2, "std_train_objective"] == pytest.approx(0.3)
    assert found.loc[2, "worst"] == pytest.approx(0.3)
    assert np.isnan(found.loc[3, "mean_train_objective"])


def test_a_simultaneous_search_is_one_run_and_its_time_counts_once():
    frame = pd.DataFrame(simultaneous([0.8, 0.4], processor_seconds=2.0, status="feasible", timed_out=True))
    (run,) = runs_of(sets_in(frame)).to_dict("records")
    assert (run["how"], run["a"], run["seconds"]) == ("sim-sum", 1, 2.0)
    assert (run["valid"], run["proven"], run["timed_out"]) == (True, False, True)


def test_the_time_of_a_heuristic_counts_once():
    rows = simultaneous(
        [0.8, 0.4, 0.3], search="greedy-balancing", status="feasible", processor_seconds=0.002
    )
    rows += sequential([0.8, 0.4, 0.3], search="greedy-replacement", status="feasible", processor_seconds=0.0)
    rows[3]["processor_seconds"] = 0.005
    frame = pd.DataFrame(rows)
    assert runs_of(sets_in(frame)).groupby("how")["seconds"].max().to_dict() == {"bal": 0.002, "rep": 0.005}
    assert tables.core_hours(frame).set_index("method").loc["MI", "all"] == pytest.approx(0.007 / 3600)
    longest = claims.claims(frame).set_index("claim").loc["Heuristics: longest search", "ours"]
    assert longest == pytest.approx(5.0)


def test_one_open_step_leaves_all_later_ones_unproven():
    rows = sequential([0.9, 0.6, 0.3])
    rows[1]["status"] = "feasible"
    found = runs_of(sets_in(pd.DataFrame(rows)))
    assert not found["proven"].any()
    assert list(found["status"]) == ["feasible", "optimal"]


def test_original_sets_count_once_for_all_thresholds():
    frame = pd.DataFrame([row(tau=tau, k=k) for k in (5, 10) for tau in (0.2, 0.4, 1.0)] + [row(number=1)])
    assert len(original_sets(frame)) == 2


# --- Tables -----------------------------------------------------------------------------------------------


def test_status_by_search_counts_searches():
    rows = sequential([0.9, 0.6, None, None], method="mrmr") + sequential(
        [0.9, 0.6, 0.5, 0.4], method="mrmr", fold=1
    )
    rows += sequential([0.9, 0.6], method="mrmr", k=10) + sequential([0.9, 0.5], method="greedy_wrapper")
    table = tables.status_by_search(pd.DataFrame(rows)).set_index(["method", "search"])
    ours = table.loc["mRMR", "seq."]
    assert ours["searches"] == 6
    assert ours["infeasible"] == pytest.approx(100 / 3)
    assert ours["optimal"] == pytest.approx(200 / 3)
    assert ours["optimal (paper)"] == 85.57
    assert "Greedy Wrapper" not in table.index.get_level_values("method")
    assert list(table.index[:4]) == [
        ("FCBF", "seq."),
        ("FCBF", "sim. (min)"),
        ("FCBF", "sim. (sum)"),
        ("MI", "bal."),
    ]
    assert len(table) == 16
    assert np.isnan(table.loc[("MI", "seq."), "optimal"])


def test_an_extra_method_stands_behind_those_of_the_paper():
    table = tables.status_by_search(pd.DataFrame(sequential([0.9, 0.6], method="relief")))
    assert list(table.iloc[-1][["method", "search", "optimal"]]) == ["relief", "seq.", 100.0]
    assert np.isnan(table.iloc[-1]["optimal (paper)"])
    assert (
        tables.seconds_by_search(pd.DataFrame(sequential([0.9, 0.6], method="relief")))["method"].iloc[-1]
        == "relief"
    )


def test_status_by_a_is_about_sums_of_all_white_box_methods():
    rows = simultaneous([0.8, 0.4]) + simultaneous([0.8, 0.4], method="fcbf", status="infeasible")
    rows += simultaneous([0.8, 0.4], method="mrmr", status="feasible") + simultaneous([0.8, 0.4], "min")
    rows += simultaneous([0.8, 0.4], method="greedy_wrapper") + simultaneous([0.8, 0.4, 0.2])
    table = tables.status_by_a(pd.DataFrame(rows)).set_index("a")
    assert list(table["searches"]) == [3, 1, 0, 0, 0]
    shares = table.loc[1, ["infeasible", "not solved", "feasible", "optimal"]]
    assert list(shares) == pytest.approx([100 / 3, 0, 100 / 3, 100 / 3])
    assert list(table["feasible (paper)"]) == [7.60, 13.27, 20.20, 21.43, 30.17]


def test_status_by_a_gives_each_method_the_same_weight():
    rows = simultaneous([0.8, 0.4]) + simultaneous([0.8, 0.4], fold=1)
    rows += simultaneous([0.8, 0.4], method="fcbf", status="infeasible")
    table = tables.status_by_a(pd.DataFrame(rows)).set_index("a")
    assert (table.loc[1, "searches"], table.loc[1, "infeasible"], table.loc[1, "optimal"]) == (3, 50, 50)


def test_seconds():
    rows = sequential([0.9, 0.6, 0.5], processor_seconds=1.0) + simultaneous(
        [0.9, 0.6], processor_seconds=4.0
    )
    rows += simultaneous([0.9, 0.6, 0.5], processor_seconds=10.0)
    by_search = tables.seconds_by_search(pd.DataFrame(rows)).set_index("method").loc["MI"]
    # Two sets for one alternative, three for two.
    assert by_search["seq."] == pytest.approx(2.5)
    assert by_search["sim. (sum)"] == pytest.approx(7.0)
    assert by_search["sim. (sum) (paper)"] == 24.56
    assert np.isnan(by_search["bal."])
    by_a = tables.seconds_by_a(pd.DataFrame(rows)).set_index("a")
    assert list(by_a["MI"].dropna()) == [4.0, 10.0]
    assert by_a.loc[5, "mRMR (paper)"] == 317.63


def test_coverage_and_core_hours():
    rows = sequential([0.9, 0.6, None], processor_seconds=1200.0)
    rows += simultaneous([0.9, 0.6], processor_seconds=3600.0, status="feasible", timed_out=True)
    rows += [failure("wdbc", 1, "mutual_info", "no"), failure("wdbc", 1, "fcbf", "no")]
    covered = tables.coverage(pd.DataFrame(rows)).set_index("method")
    ours = covered.loc["MI"]
    assert (ours["k"], ours["data sets"], ours["tasks"], ours["searches"], ours["sets"]) == (5, 1, 1, 2, 5)
    assert ours["proven sets %"] == pytest.approx(60)
    assert (ours["timed out"], ours["failed tasks"]) == (1, 1)
    assert covered.loc["FCBF", "failed tasks"] == 1
    hours = tables.core_hours(pd.DataFrame(rows)).set_index("method")
    assert (hours.loc["MI", "seq."], hours.loc["MI", "sim. (sum)"]) == (1.0, 1.0)
    assert list(hours.loc["all methods", ["all", "all (paper)"]]) == [2.0, 7968.0]


# --- Numbers of figures -----------------------------------------------------------------------------------


def test_figure_1_shows_original_sets_and_what_size_changes():
    rows = [
        row(test_mcc=0.2),
        row(test_mcc=0.5, k=10),
        row(fold=1, test_mcc=0.4),
        row(fold=1, k=10, status="infeasible"),
    ]
    numbers = figures.numbers_of_methods(pd.DataFrame(rows)).set_index(["panel", "method"])
    first = numbers.loc["a"].set_index("k")
    assert list(first["n"]) == [2, 1]
    assert first.loc[5, "mean"] == pytest.approx(0.3)
    second = numbers.loc["b"].set_index("metric")
    assert second.loc["test_mcc", "n"] == 1
    assert second.loc["test_mcc", "median"] == pytest.approx(0.3)


def test_figures_2_and_3_leave_out_settings_where_a_search_found_nothing():
    kept = {"method": "model_gain"}
    rows = sequential([0.9, 0.5], **kept) + simultaneous([0.8, 0.6], **kept)
    rows += sequential([0.9, 0.1], tau=1.0, **kept) + simultaneous(
        [0.8, 0.6], tau=1.0, status="infeasible", **kept
    )
    spreads = figures.numbers_of_spreads(pd.DataFrame(rows)).set_index(["panel", "how"])
    assert spreads.loc[("a", "seq"), "n"] == 1
    assert spreads.loc[("a", "seq"), "median"] == pytest.approx(0.4 / np.sqrt(2))
    means = figures.numbers_of_means(pd.DataFrame(rows)).set_index(["panel", "how"])
    assert means.loc[("a", "sim-sum"), "median"] == pytest.approx(0.7)


def test_figure_4_is_solver_minus_heuristic():
    rows = simultaneous([0.8, 0.6], "min") + simultaneous(
        [0.7, 0.6], search="greedy-balancing", status="feasible"
    )
    rows += sequential([0.9, 0.5]) + sequential([0.9, 0.3], search="greedy-replacement", status="feasible")
    numbers = figures.numbers_of_heuristics(pd.DataFrame(rows)).set_index("panel")
    assert list(numbers.index) == ["a", "b", "c", "d"]
    assert list(numbers["median"]) == pytest.approx([0.05, 0.1, 0.05, 0.1])
    assert list(numbers["value"]) == [1.0, 1.0, 0.4, 0.4]


def test_figure_5_scales_by_the_best_set_and_counts_missing_ones_as_zero():
    kept = {"method": "model_gain", "k": 10}
    rows = sequential([0.8, 0.4], test_mcc=0.5, **kept) + sequential(
        [0.5, None], fold=1, test_mcc=-0.5, **kept
    )
    rows[1]["test_mcc"] = -0.25
    numbers = figures.numbers_of_qualities(pd.DataFrame(rows)).set_index(["panel", "number"])
    assert numbers.loc[("a", 1), "mean"] == pytest.approx(0.5)
    assert numbers.loc[("a", 1), "n"] == 1
    assert numbers.loc[("b", 1), "mean"] == pytest.approx(0.25)
    # MCC is moved first: 0.375 of 0.75, and not -0.25 of 0.5.
    assert numbers.loc[("e", 1), "mean"] == pytest.approx(0.5)
    assert numbers.loc[("f", 1), "mean"] == pytest.approx(0.25)
    assert numbers.loc[("f", 0), "mean"] == pytest.approx(1)


def test_a_search_without_quality_has_no_scale():
    rows = sequential([0.0, 0.0, None], method="model_gain", k=10)
    numbers = figures.numbers_of_qualities(pd.DataFrame(rows))
    assert numbers.loc[numbers["panel"].isin(["a", "b"]), "mean"].isna().all()


def test_figure_6_is_the_share_of_sets_that_are_there():
    rows = sequential([0.8, 0.4], method="model_gain") + sequential([0.8, None], method="model_gain", fold=1)
    numbers = figures.numbers_of_valid_sets(pd.DataFrame(rows))
    assert list(numbers["panel"]) == ["a", "a"]
    assert list(numbers["mean"]) == [100.0, 50.0]


def test_figure_7_moves_signed_objectives_only():
    rows = sequential([0.5, -0.25], method="mrmr", k=10) + sequential([0.5, 0.25], k=10)
    numbers = figures.numbers_of_objectives(pd.DataFrame(rows)).set_index(["method", "number"])
    assert numbers.loc[("mRMR", 1), "mean"] == pytest.approx(0.375 / 0.75)
    assert numbers.loc[("MI", 1), "mean"] == pytest.approx(0.5)


# --- Drawings ---------------------------------------------------------------------------------------------


def texts(figure):
    return [text.get_text() for axis in figure.axes for text in axis.texts]


@pytest.mark.slow
def test_all_panels_are_drawn(made):
    drawn = [one.draw(one.numbers(made)) for one in figures.FIGURES]
    assert [len(figure.axes) for figure in drawn] == [2, 3, 3, 4, 6, 2, 4]
    assert not any(NOTHING in texts(figure) for figure in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["one size", "one method", "only failures"])
def test_panels_without_results_say_so(made, part):
    chosen = {
        "one size": made["k"] == 5,
        "one method": made["method"] == "fcbf",
        "only failures": made["error"].notna(),
    }
    few = made[chosen[part]]
    silent = [texts(one.draw(one.numbers(few))).count(NOTHING) for one in figures.FIGURES]
    assert (
        silent
        == {
            "one size": [1, 0, 0, 0, 6, 1, 4],
            "one method": [0, 3, 3, 4, 6, 2, 3],
            "only failures": [2, 3, 3, 4, 6, 2, 4],
        }[part]
    )


def test_a_cut_axis_is_said(snapshot):
    rows = [row(fold=fold, test_mcc=value) for fold, value in enumerate([0.1] * 20 + [0.11] * 20 + [0.9])]
    drawn = figures.draw_methods(figures.numbers_of_methods(pd.DataFrame(rows)))
    assert drawn.axes[0].get_title(loc="right") == snapshot
    assert drawn.axes[0].get_ylim()[1] < 0.9


# --- Claims, findings, conclusions ------------------------------------------------------------------------


def test_claims_say_what_they_count_and_how_far_off_they_are(snapshot):
    rows = [row(test_mcc=0.47), row(k=10, test_mcc=0.47)]
    rows += [row(method="fcbf", test_mcc=0.6), row(method="fcbf", k=10, status="infeasible")]
    rows += [
        row(method="greedy_wrapper", n_iterations=600),
        row(method="greedy_wrapper", k=10, n_iterations=700),
    ]
    table = claims.claims(pd.DataFrame(rows)).set_index("claim")
    assert table["definition"].str.len().min() > 20
    mcc = table.loc["MI: mean test MCC of original sets"]
    assert (mcc["published"], mcc["ours"]) == (0.47, pytest.approx(0.47))
    said = "k = 5: 0.47, k = 10: 0.47; {} of 150 data sets and folds; if each threshold counts: 0.47"
    assert mcc["remark"] == "not enough runs; " + said.format(1)
    whole = claims.claims(everywhere(rows)).set_index("claim")
    mcc = whole.loc["MI: mean test MCC of original sets"]
    assert mcc["remark"] == "agrees to the printed digits; " + said.format(150)
    assert whole.loc["FCBF: mean test MCC of original sets", "remark"] == snapshot
    # 5 thresholds with 600 iterations, 10 with 700.
    assert table.loc["Greedy Wrapper: iterations to find original sets", "remark"] == snapshot
    assert table.loc["FCBF: original sets that do not exist", "ours"] == 50
    assert table.loc["FCBF: sets that do not exist, all solver-based searches", "ours"] == 50
    assert table.loc["Greedy Wrapper: iterations to find original sets", "ours"] == 650
    assert table.loc["Sets finished before the time limit", "ours"] == 100
    assert table.loc["mRMR: mean test MCC of original sets", "remark"] == snapshot


def test_correlations():
    rows = [row(fold=0, tau=tau, train_objective=tau, test_mcc=tau**3) for tau in (0.2, 0.4, 0.6, 0.8)]
    first = claims.correlations(pd.DataFrame(rows)).iloc[0]
    assert first["Spearman"] == pytest.approx(1)
    assert first["Spearman within"] == pytest.approx(1)
    assert 0.9 < first["Pearson"] < 1


def test_gains_count_proven_settings_only(snapshot):
    rows = sequential([0.9, 0.1]) + simultaneous([0.7, 0.5]) + simultaneous([0.55, 0.5], "min")
    rows += sequential([0.9, 0.1], fold=1) + simultaneous([0.7, 0.6], fold=1, status="feasible")
    rows += sequential([0.9, None], fold=2) + simultaneous([0.4, 0.4], fold=2)
    searches = gains.side_by_side(pd.DataFrame(rows))
    (gain,) = gains.gains_in_sum(searches).to_dict("records")
    assert (gain["settings"], gain["compared"], gain["sequential runs out"], gain["below"]) == (3, 1, 1, 0)
    assert gain["gain %"] == 100
    assert gain["mean %"] == pytest.approx(20)
    assert gain["total %"] == pytest.approx(20)
    assert gain["mean gain a set"] == pytest.approx(0.1)
    (worst,) = gains.gains_in_worst(searches).to_dict("records")
    assert worst["compared"] == 1
    assert worst["mean %"] == pytest.approx(400)
    assert worst["cost in sum %"] == pytest.approx(12.5)
    said = gains.sentences(searches)
    assert said[0] == snapshot


def test_shortfalls_are_over_what_is_proven_to_be_there():
    rows = simultaneous([0.6, 0.4]) + simultaneous([0.5, 0.4], search="greedy-balancing", status="feasible")
    rows += simultaneous([0.6, 0.4], fold=1)
    rows += simultaneous([0.5, 0.4], search="greedy-balancing", status="not_found", fold=1)
    rows += simultaneous([0.6, 0.4], fold=2)
    table = gains.shortfalls(gains.side_by_side(pd.DataFrame(rows)), ["method"])
    (ours,) = table[(table["heuristic"] == "bal.") & (table["of"] == "sum of qualities")].to_dict("records")
    # The third fold was not searched by the heuristic.
    assert ours["proven"] == 2
    assert ours["no sets %"] == 50
    assert ours["mean %"] == pytest.approx(10)
    assert ours["exact %"] == 0


def everywhere(made):
    """Rows of one task, for all data sets and folds of the paper."""
    one = pd.DataFrame(made)
    return pd.concat(
        [one.assign(dataset=dataset, fold=fold) for dataset in DATASETS for fold in range(5)],
        ignore_index=True,
    )


def test_conclusions_follow_from_the_results(snapshot):
    text = "That holds for mRMR too, where the solver ran out of time."
    uneven = sequential([0.9, 0.1], method="mrmr") + simultaneous([0.7, 0.5], method="mrmr")
    table = conclusions.conclusions(everywhere(uneven)).set_index("conclusion")
    mrmr = table.loc[text]
    assert mrmr["verdict"] == "changes"
    assert mrmr["evidence"] == snapshot
    assert mrmr["runs"] == "mRMR 5: 150 of 150"
    assert "1 %" in mrmr["our threshold"]
    assert table.loc["Heuristics take next to no time.", "verdict"] == "not enough runs"
    # What is said of all methods needs all of them.
    decided = table[table["verdict"] != "not enough runs"]
    assert set(decided.index) == {
        text,
        "mRMR is too hard to prove: most simultaneous searches end without a proof.",
    }


@pytest.mark.slow
def test_a_part_of_the_study_has_no_verdicts(snapshot):
    """One data set and one fold, with everything that the paper searches there; and all but one task."""
    part = study(datasets=("wdbc",), folds=(0,))
    assert set(conclusions.conclusions(part)["verdict"]) == {"not enough runs"}
    remarks = claims.claims(part)["remark"]
    assert not remarks.str.contains("agrees|differs").any()
    assert remarks.str.contains("not enough runs").any()
    whole = everywhere(sequential([0.6, 0.6], method="mrmr") + simultaneous([0.6, 0.6], method="mrmr"))
    text = "That holds for mRMR too, where the solver ran out of time."
    missing = whole[(whole["dataset"] != "wdbc") | (whole["fold"] != 4)]
    found = conclusions.conclusions(missing).set_index("conclusion").loc[text]
    assert (found["verdict"], found["runs"]) == snapshot
    assert "149 proven settings" in found["evidence"]


def test_what_a_conclusion_does_not_cite_does_not_count():
    text = "That holds for mRMR too, where the solver ran out of time."
    cited = sequential([0.6, 0.6], method="mrmr") + simultaneous([0.6, 0.6], method="mrmr")
    other = sequential([0.9, 0.1], method="mrmr", k=10) + simultaneous([0.7, 0.5], method="mrmr", k=10)
    both = conclusions.conclusions(everywhere(cited + other)).set_index("conclusion")
    assert both.loc[text, "verdict"] == "holds"


# --- The page ---------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects what there is."""

    VOID = frozenset({"meta", "img", "br", "link", "hr", "input"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


#: Two figures are enough to see that a page holds them; all panels are drawn above.
ON_PAGE = (figures.FIGURES[0], figures.FIGURES[5])


@pytest.fixture(scope="module")
def report(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    part = (made["k"] == 5) & (made["fold"] == 0) & (made["dataset"] != "sonar")
    few = made[part | made["error"].notna()].to_dict("records")
    few = pd.DataFrame([*few, failure("<script>", 4, "fcbf", "broke <b>here</b>")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "FIGURES", ON_PAGE)
        return few, page.write_report(few, folder, notes=["Limit: 1 s & no more."], core_hours=2.5)


@pytest.mark.slow
def test_the_page_is_sound_and_names_are_escaped(report, snapshot):
    _, path = report
    text = path.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    assert "script" not in reader.tags
    assert "<script>" in reader.text
    assert "broke <b>here</b>" in reader.text
    assert any("1 s & no more." in text for text in reader.text)
    assert reader.tags.count("img") == len(ON_PAGE)
    assert len(set(reader.ids)) == len(reader.ids)
    for link in reader.links:
        assert link[1:] in reader.ids if link.startswith("#") else (path.parent / link).is_file()
    assert not re.search(r"(src|href)=\"https?:", text)
    assert path.stat().st_size < 5_000_000
    assert [text for text in reader.text if "MI, k = 10: 0 of 150" in text] == snapshot


@pytest.mark.slow
def test_files_are_complete_and_tables_read_back(report):
    frame, path = report
    folder = path.parent
    assert sorted(file.name for file in folder.iterdir()) == ["figures", "index.html", "tables"]
    for one in ON_PAGE:
        assert (folder / "figures" / f"{one.name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"</svg>" in (folder / "figures" / f"{one.name}.svg").read_bytes()
    read = pd.read_csv(folder / "tables" / "status-by-search.csv")
    pd.testing.assert_frame_equal(read, tables.status_by_search(frame), check_dtype=False)
    numbers = pd.read_csv(folder / "tables" / "figure-6.csv")
    pd.testing.assert_frame_equal(numbers, figures.numbers_of_valid_sets(frame), check_dtype=False)
    assert not list(folder.rglob("*.unfinished"))


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "index.html"
    target.write_text("old", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match="No space"):
        page.write_report(pd.DataFrame([row()]), tmp_path)
    assert target.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.rglob("*.*")] == ["index.html"]


@pytest.fixture
def without_tables(monkeypatch):
    """Reports have figures and conclusions only."""
    for parts in ("COVERAGE", "TABLES", "CLAIMS", "FINDINGS"):
        monkeypatch.setattr(page, parts, ())


@pytest.mark.slow
@pytest.mark.usefixtures("without_tables")
def test_large_figures_are_on_the_page_as_dots_and_files_are_the_same_again(made, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "FIGURES", ON_PAGE[1:])
    monkeypatch.setattr(page, "DOTS", 30)
    few = made[(made["k"] == 5) & (made["fold"] == 0) & (made["dataset"] != "sonar")]
    small = page.write_report(few, tmp_path / "first")
    monkeypatch.setattr(page, "MOST_ON_PAGE", 100)
    large = page.write_report(few, tmp_path / "second")
    kinds = [re.findall(r'src="data:image/([^;]+);base64,', one.read_text("utf-8")) for one in (small, large)]
    assert kinds == [["svg+xml"], ["png"]]
    first, second = (
        {file.name: file.read_bytes() for file in one.parent.glob("*/*.*")} for one in (small, large)
    )
    assert {Path(name).suffix for name in first} == {".csv", ".svg", ".png"}
    assert first == second


def test_cells_of_tables():
    table = pd.DataFrame(
        {"a": [1, 2000], "x": [0.12345, np.nan], "x (paper)": [1.0, np.nan], "who": ["MI", None]}
    )
    header, rows = as_cells(table, plain)
    assert [(cell.text, cell.kind) for cell in header] == [
        ("a", "number"), ("x", "number"), ("paper", "paper"), ("who", "text")
    ]  # fmt: skip
    assert [[cell.text for cell in cells] for cells in rows] == [
        ["1", "0.123", "1.00", "MI"],
        ["2,000", "—", "—", "—"],
    ]


def test_every_method_of_the_generated_study_is_one_of_the_paper():
    assert set(METHODS) == set(tables.METHODS)


def test_numbers_as_the_page_writes_them():
    written = [page.seconds(value) for value in (12.618, 0.0213, 0.00004, 0)]
    assert written == ["12.62", "0.021", "<0.001", "0.00"]
    assert [page.printed(value) for value in (0.03, 85.57, 7968.0)] == ["0.03", "85.57", "7,968"]
    assert [plain(value) for value in (1234.5, 0.5, 0.00123, 1e-12)] == ["1,234", "0.5", "0.00123", "0"]


def test_names_and_order_of_methods_and_searches():
    assert tables.search_key("simultaneous", "min") == "sim-min"
    assert tables.search_key("greedy-balancing", "sum") == "bal"
    assert (tables.method_name("mutual_info"), tables.method_name("relief")) == ("MI", "relief")
    assert tables.methods_in_order(["relief", "mrmr", "fcbf"]) == ["fcbf", "mrmr", "relief"]
    assert published_number("seconds", "mrmr", "seq") == 33.59
    assert np.isnan(published_number("seconds", "mrmr", "rep"))


def test_a_box_leaves_out_what_is_missing():
    box = figures.distribution(np.array([0.0, 1.0, 2.0, 3.0, 100.0, np.nan]))
    assert (box["n"], box["median"], box["whisker_high"], box["largest"]) == (5, 2.0, 3.0, 100.0)
