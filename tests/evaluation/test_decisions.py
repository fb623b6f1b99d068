"""Use an alternative instead of set 0? Yes, no or undecided, why, and what to do next."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import altsets
from altsets import SelectAlternatives
from altsets.constraints import Budget
from altsets.evaluation import Fold
from altsets.results import Evaluation

NAMES = "abcdef"
#: An interval of plus and minus 0.0147 around the mean, with a test row for each four training rows.
SPREAD = np.array([0.0, 0.01, -0.01, 0.005, -0.005])


def evaluation_of(scores, *, baseline=0.5, chosen=None, given=False, n_rows=100, scorer="accuracy", **more):
    """An evaluation with these scores: a row for each set, a column for each fold; nan where a set was not found."""
    scores = np.atleast_2d(np.asarray(scores, dtype=float))
    n_sets, n_folds = scores.shape
    bases = np.broadcast_to(baseline, n_folds)
    folds = []
    for fold in range(n_folds):
        sets = chosen[fold] if chosen else [(number,) for number in range(n_sets)]
        folds.append(
            Fold(
                number=fold,
                sets=tuple(sets[: np.isfinite(scores[:, fold]).sum()]),
                scores={scorer: tuple(scores[:, fold].tolist())},
                train_scores={scorer: tuple(scores[:, fold].tolist())},
                qualities=(math.nan,) * n_sets,
                test_qualities=(math.nan,) * n_sets,
                statuses=(),
                n_train=80,
                n_test=20,
                baseline={} if np.isnan(bases[fold]) else {scorer: float(bases[fold])},
            )
        )
    return Evaluation(
        **{
            "folds": tuple(folds),
            "resamples": (),
            "n_sets": n_sets,
            "names": dict(enumerate(NAMES)),
            "scorers": (scorer,),
            "given": given,
            "n_rows": n_rows,
            "n_features_in": len(NAMES),
            "n_folds": n_folds,
            "parameters": {"cv": 5, "n_repeats": 1},
        }
        | more
    )


def two_sets(difference, *, n_folds=5, n_folds_asked=None, **more):
    return evaluation_of(
        [[0.8] * n_folds, (0.8 + difference + SPREAD[:n_folds]).round(6)],
        n_folds=n_folds_asked or n_folds,
        **more,
    )


@pytest.mark.parametrize(("difference", "margin", "conclusion", "answer"), [
    (0.1, None, "better", "yes"),
    (0.0, None, "equivalent", "yes"),
    (0.01, None, "non-inferior", "yes"),
    (-0.01, None, "undecided", "undecided"),
    (-0.03, None, "worse", "no"),
    (-0.1, None, "inferior", "no"),
    (-0.1, 0.5, "equivalent", "yes"),
    (0.0, 0.01, "undecided", "undecided"),
])  # fmt: skip
def test_the_rule(difference, margin, conclusion, answer, snapshot):
    (decision,) = two_sets(difference, margin=margin).decisions
    assert decision.number == 1
    assert decision.question == snapshot
    assert (decision.conclusion, decision.answer, decision.beats_baseline) == (conclusion, answer, True)


@pytest.mark.parametrize(("difference", "answer"), [(0.01, "undecided"), (0.1, "undecided"), (-0.1, "no")])
@pytest.mark.parametrize(("baseline", "beats"), [(0.95, False), (math.nan, None)])
def test_only_a_set_that_beats_the_baseline_may_be_used(difference, answer, baseline, beats):
    (decision,) = two_sets(difference, baseline=baseline).decisions
    assert (decision.answer, decision.beats_baseline) == (answer, beats)


def test_one_fold_decides_nothing():
    (decision,) = two_sets(0.1, n_folds=1).decisions
    assert (decision.answer, decision.conclusion) == ("undecided", "undecided")
    assert "cv=5" in decision.next_steps[0]


def test_the_best_alternative_comes_first():
    means = [0.8, 0.7, 0.79, 0.82, 0.8, 0.6]
    found = evaluation_of([[0.8] * 5, *(mean + SPREAD for mean in means[1:])]).decisions
    assert [(decision.number, decision.answer) for decision in found] == [
        *((3, "yes"), (4, "yes"), (2, "undecided"), (1, "no"), (5, "no"))
    ]


def test_a_set_that_was_never_found_comes_last(snapshot):
    found = evaluation_of([[0.8] * 5, [math.nan] * 5]).decisions
    assert [decision.answer for decision in found] == ["undecided"]
    assert found[0].cautions == snapshot


def test_the_first_scorer_decides():
    evaluation = altsets.evaluate(
        SelectAlternatives("f", n_features=2, n_alternatives=2, tau=1),
        *load_breast_cancer(return_X_y=True, as_frame=True),
        estimator="linear",
        scoring=["accuracy", "roc_auc"],
        n_repeats=1,
    )
    assert {decision.number for decision in evaluation.decisions} == {1, 2}
    conclusions = {(entry.scorer, entry.number): entry.conclusion for entry in evaluation.comparisons}
    for decision in evaluation.decisions:
        assert decision.conclusion == conclusions["accuracy", decision.number]
        assert "accuracy" in decision.why[0]


# --- Why, cautions, next steps ------------------------------------------------------------------------
STABLE, CHANGING = [[(0, 1), (2, 3)]] * 5, [[(0, 1), (fold, 5)] for fold in (2, 3, 4, 3, 2)]
MORE = "Get more rows: about {} would decide, if the difference stays the same."
CLOSER = "Evaluate other sets, such as closer ones (a lower tau)."


@pytest.mark.parametrize(("made", "part", "words"), [
    (two_sets(0.0), "why", "Prediction score (accuracy): 0.800 with set 1, 0.800 with set 0, baseline 0.500."),
    (two_sets(0.0), "why", "Set 1 predicts as well as set 0: difference 0.000, 95 % interval [-0.015, 0.015], within "
     "the margin of 0.02; a loss of up to 0.015 and a gain of up to 0.015 are not excluded."),
    (two_sets(0.0, chosen=STABLE), "why", "Stability (1: always the same features): 1.00 for set 1, 1.00 for set 0."),
    (two_sets(0.0, chosen=CHANGING), "cautions", "The features of set 1 differ between folds: its score is that of the "
     "search, not of one fixed set."),
    (two_sets(0.0, given=True), "cautions", "If the sets were found on these rows, the search has seen the test rows, "
     "and the scores are too high."),
    (two_sets(0.0, parameters={"ready_made": True}), "cautions", "The search used scores that were given: if they come "
     "from these rows, the search has seen the test rows, and the scores are too high."),
    (two_sets(0.0), "next_steps", "Choose between set 1 and set 0 by cost, meaning or convenience."),
    (two_sets(0.1), "next_steps", "Use set 1."),
    (two_sets(0.1, given=True), "next_steps", "Confirm it on rows that the search has not seen."),
    (two_sets(-0.01), "next_steps", "Repeat the cross-validation (n_repeats=5); the interval may become narrower."),
    # The interval must reach 0.01 at most to exclude a loss of 0.02: (0.0147 / 0.01)^2 times as many rows.
    (two_sets(-0.01), "next_steps", MORE.format("220")),
    (two_sets(-0.01, n_rows=10_000), "next_steps", MORE.format("22,000")),
    (two_sets(-0.01, margin=0.0101), "next_steps", MORE.format("220")),
    (two_sets(0.0, margin=0.001), "next_steps", "Get many more rows: with fewer than 20 times as many, this difference "
     "stays undecided."),
    (two_sets(0.0, n_folds=1), "next_steps", "Evaluate in several folds, such as cv=5."),
    (evaluation_of([[0.8] * 5] * 2), "next_steps", "Use more rows, or a score that differs from fold to fold."),
    (two_sets(-0.1), "next_steps", "Keep set 0."),
    (two_sets(-0.1), "next_steps", CLOSER),
    (two_sets(-0.1, given=True), "next_steps", "Evaluate other sets."),
    (two_sets(0.0, baseline=0.9), "next_steps", "Try other features, another model or more rows until set 1 beats the "
     "baseline."),
    (two_sets(0.0, baseline=math.nan), "next_steps", "Check that set 1 predicts at all: it could not be compared with "
     "the baseline."),
])  # fmt: skip
def test_sentences_of_decisions(made, part, words):
    (decision,) = made.decisions
    assert words in getattr(decision, part)


def test_a_score_without_a_scale_asks_for_a_margin():
    asks = "State the loss that does not matter (margin): then sets can be equivalent."
    (unknown,) = two_sets(0.0, scorer="neg_log_loss").decisions
    assert (unknown.conclusion, unknown.answer) == ("undecided", "undecided")
    assert asks in unknown.next_steps
    (known,) = two_sets(0.0, scorer="neg_log_loss", margin=0.001).decisions
    assert known.conclusion == "undecided"
    assert asks not in known.next_steps


def test_the_decision_on_a_result_knows_costs_and_the_kind_of_difference(snapshot):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    budget = Budget(dict.fromkeys(X.columns, 2.5), 10)
    same = altsets.dissimilarity.Matched.from_data(X, "spearman", threshold=0.9)
    selector = SelectAlternatives("f", n_features=2, tau=1, constraints=budget, dissimilarity=same)
    evaluation = altsets.evaluate(selector, X, y, estimator="linear", margin=0.001, n_repeats=1)
    plain, known = evaluation.decisions, evaluation.decisions_on(selector.fit(X, y).result_)
    assert [decision.answer for decision in plain] == [decision.answer for decision in known]
    for decision in known:
        assert decision.why == snapshot
        assert decision.next_steps == snapshot
    assert not any("Cost" in sentence for decision in plain for sentence in decision.why)


def test_several_comparisons_are_a_caution(snapshot):
    # The interval of set 1 lies just above 0; with three alternatives that may be luck.
    scores = [[0.8] * 5, 0.8 + 0.017 + SPREAD, 0.8 + SPREAD, 0.8 - SPREAD]
    first = evaluation_of(scores).decisions[0]
    assert (first.number, first.conclusion, first.answer) == (1, "better", "yes")
    assert first.cautions == snapshot
    assert evaluation_of(scores[:2]).decisions[0].cautions == ()


def test_a_set_that_no_fold_has_needs_no_more_folds():
    nowhere = evaluation_of([0.8 + SPREAD, [np.nan] * 5]).decisions[0]
    assert nowhere.answer == "undecided"
    assert not any("cv" in step for step in nowhere.next_steps)
    single = evaluation_of([[0.8], [np.nan]]).decisions[0]
    assert any("cv" in step for step in single.next_steps)


def test_an_interrupted_evaluation_is_a_caution(snapshot):
    (decision,) = two_sets(0.0, n_folds_asked=10).decisions
    assert decision.cautions == snapshot


def test_decisions_in_json_and_text(snapshot):
    evaluation = evaluation_of([[0.8] * 5, 0.7 + SPREAD, 0.82 + SPREAD])
    stored = json.loads(evaluation.to_json())["decisions"]
    assert [(entry["number"], entry["answer"]) for entry in stored] == [(2, "yes"), (1, "no")]
    assert stored[1]["next_steps"] == list(evaluation.decisions[1].next_steps)
    assert Evaluation.from_json(evaluation.to_json()).decisions == evaluation.decisions
    shown = str(evaluation.decisions[1]).splitlines()
    assert shown[0] == snapshot
    assert shown[-1] == f"Next: {CLOSER}"


def test_one_set_needs_no_decision():
    evaluation = evaluation_of([[0.8] * 5])
    assert evaluation.decisions == []


def test_frames_of_an_evaluation_without_sets_are_empty():
    evaluation = evaluation_of([[math.nan] * 3])
    assert evaluation.stability_frame().empty
