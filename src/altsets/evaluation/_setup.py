"""What an evaluation begins with: all that users say about it, checked and in one form before the first fold."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.evaluation._baseline import kind_of
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Plan, Resample
from altsets.evaluation._inputs import (
    given_sets,
    groups_of,
    margin_of,
    scoring_by_name,
    share,
    splits_for,
    splits_in_words,
)
from altsets.features import FeatureNames, whole_number
from altsets.measures.judged_rows import counted_groups
from altsets.measures.metadata import names_for_weights
from altsets.measures.models import Split, fresh_model, table_for
from altsets.measures.scorers import asked_for, positive_of, scorer_for
from altsets.measures.workers import at_a_time, checked_jobs
from altsets.provenance import constraints_by_name, data_of, record
from altsets.quality.given import needs_target
from altsets.selector import SelectAlternatives, check_request
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Target, labels_of, target_of
from altsets.tables.weights import counted, counted_rows

__all__ = ["Judge", "Setup", "SplitRows"]

#: Characters of a model that texts show as it is written.
LONGEST_MODEL = 80


class Judge(NamedTuple):
    """Who judges the sets, and how."""

    estimator: Any
    scoring: Any
    pos_label: Any
    class_weight: Any


class SplitRows(NamedTuple):
    """How rows are split, which belong together, and how much each counts."""

    cv: Any
    repeats: int
    groups: Any
    sample_weight: Any


@dataclass(frozen=True, eq=False)
class Setup:
    """What is the same for all folds, and for all that is asked in them.

    Attributes
    ----------
    plan : Plan
        What folds need to know.
    splits : list of (train, test)
        Their rows.
    what : SelectAlternatives, Result or list of sets
        What is evaluated, as it was given.
    table, y : Features, array-like
        All rows, also those that do not count.
    parameters : dict
        What was asked.
    seed : int
        For everything that is drawn at random.
    confidence : float
        The probability of all intervals.
    margin : float or None
        Differences in scores up to this do not matter.
    """

    plan: Plan
    splits: list[Split]
    what: Any
    table: Features
    y: Any
    parameters: dict[str, Any]
    seed: int
    confidence: float
    margin: float | None
    _started: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(
        cls,
        what: Any,
        X: Any,
        y: Any,
        judge: Judge,
        rows: SplitRows,
        *,
        task: str,
        confidence: float,
        margin: float | None,
        n_jobs: int | None,
        random_state: int,
    ) -> Setup:
        """Check everything; :func:`altsets.evaluate` says what the parameters are."""
        started = time.perf_counter()
        share("confidence", confidence)
        seed = whole_number("random_state", random_state, least=0)
        repeats = whole_number("repeats", rows.repeats, least=1)
        known_margin = margin_of(margin)
        everything = features_of(X)
        kept = counted_rows(rows.sample_weight, everything.n_rows)
        known_groups = groups_of(rows.groups, everything.n_rows)
        table = counted(everything, y, rows.sample_weight)
        plan = _plan(
            what, *table, judge, counted_groups(known_groups, kept), task, seed, checked_jobs(n_jobs)
        )
        splits = splits_for(rows.cv, plan.features, plan.target, known_groups, kept, seed, repeats)
        parameters = _parameters(plan, judge, rows._replace(repeats=repeats), len(splits))
        return cls(
            plan,
            splits,
            what,
            everything,
            y,
            parameters,
            seed,
            float(confidence),
            known_margin,
            _started=started,
        )

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.perf_counter() - self._started

    def evaluation(self, folds: Sequence[Fold], resamples: Sequence[Resample], n_sets: int) -> Evaluation:
        """What was measured, with all that is known from the beginning."""
        plan = self.plan
        return Evaluation(
            folds=tuple(folds),
            resamples=tuple(resamples),
            n_sets=n_sets,
            names=_chosen_names(plan.features.feature_names, folds, resamples),
            scorers=tuple(plan.scoring),
            given=plan.selector is None,
            n_rows=plan.features.n_rows,
            n_features_in=plan.features.n_features,
            n_folds=len(self.splits),
            confidence=self.confidence,
            margin=self.margin,
            parameters=self.parameters,
        )

    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from: the whole table, as it was given."""
        asked: dict[str, Any] = {
            "data": data_of(self.table, self.y),
            "task": self.plan.target.task,
            "seed": self.seed,
        }
        if isinstance(self.what, SelectAlternatives):
            asked["constraints"] = constraints_by_name(self.what.constraints, self.table.feature_names)
        return record(asked, self.elapsed)


def _parameters(plan: Plan, judge: Judge, rows: SplitRows, n_splits: int) -> dict[str, Any]:
    """What was asked, in words and numbers."""
    estimator = "tree" if judge.estimator is None else judge.estimator
    return {
        "estimator": _described(estimator),
        "model": _model_name(estimator),
        "cv": _described(rows.cv),
        "repeats": rows.repeats,
        "splits": splits_in_words(rows.cv, n_splits, rows.groups, rows.repeats),
        "task": plan.target.task,
        "random_state": plan.random_state,
        "ready_made": not plan.rows_matter,
        **_about_classes(plan),
        "baseline": {name: kind_of(scorer, plan.target.is_classes) for name, scorer in plan.scoring.items()},
    }


def _plan(
    what: Any,
    features: Features,
    y: Any,
    weights: Floats | None,
    judge: Judge,
    groups: npt.NDArray[Any] | None,
    task: str,
    seed: int,
    n_jobs: int | None,
) -> Plan:
    """What all folds have in common; what is wrong with it is said before the first fold."""
    selector = what if isinstance(what, SelectAlternatives) else None
    target = target_of(y, features.n_rows, selector.task if selector and task == "auto" else task)
    sets = () if selector else given_sets(what, features.feature_names)
    labels = labels_of(y, target)
    model = fresh_model(judge.estimator, target.is_classes, seed, judge.class_weight)
    if judge.pos_label is not None:
        positive_of(labels, judge.pos_label, target.is_classes)
    scorers = {
        name: scorer_for(model, scorer, target.is_classes, labels, judge.pos_label)
        for name, scorer in scoring_by_name(judge.scoring, target.is_classes).items()
    }
    if weights is not None:
        names_for_weights(model)
    if selector is not None:
        check_request(selector, features)
    return Plan(
        features,
        target,
        labels,
        weights,
        table_for(judge.estimator, features),
        judge.estimator,
        scorers,
        seed,
        len(sets) if selector is None else int(selector.n_alternatives) + 1,
        None if selector is None else _for_folds(selector, target, n_jobs),
        sets,
        rows_matter=selector is None or needs_target(selector.quality),
        groups=groups,
        class_weight=judge.class_weight,
    )


def _about_classes(plan: Plan) -> dict[str, Any]:
    """The positive class, and the weights of classes, where they play a role."""
    positive = [label for label in map(asked_for, plan.scoring.values()) if label is not None]
    said = {"pos_label": positive[0]} if positive else {}
    return said if plan.class_weight is None else {**said, "class_weight": plan.class_weight}


def _for_folds(selector: SelectAlternatives, target: Target, n_jobs: int | None) -> SelectAlternatives:
    """A copy that takes the target for what it is in the whole table, and does not crowd other processes."""
    from sklearn.base import clone

    copy: SelectAlternatives = clone(selector).set_params(task=target.task)
    if at_a_time(n_jobs) > 1 and copy.n_jobs is None:
        copy.set_params(n_jobs=1)
    return copy


def _chosen_names(
    names: FeatureNames, folds: Sequence[Fold], resamples: Sequence[Resample]
) -> dict[int, str]:
    parts: list[Fold | Resample] = [*folds, *resamples]
    sets = itertools.chain.from_iterable(part.sets for part in parts)
    return {index: names[index] for index in sorted(set(itertools.chain.from_iterable(sets)))}


def _model_name(estimator: Any) -> str:
    """A model in a few words: as it is written if that is short, else by the names of its parts.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> _model_name(LogisticRegression(C=2)), _model_name(make_pipeline(StandardScaler(), LogisticRegression()))
    ('LogisticRegression(C=2)', 'StandardScaler, LogisticRegression')
    """
    if isinstance(estimator, str):
        return estimator
    parts = getattr(estimator, "steps", None)
    if isinstance(parts, list):
        return ", ".join(type(part).__name__ for _, part in parts)
    text = " ".join(repr(estimator).split())
    return text if len(text) <= LONGEST_MODEL else type(estimator).__name__


def _described(value: Any) -> Any:
    """A parameter in one line."""
    if isinstance(value, str | int | np.integer):
        return value if isinstance(value, str) else int(value)
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:200]}..."
