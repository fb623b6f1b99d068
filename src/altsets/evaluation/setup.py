"""Check what a user passes to an evaluation, before the first fold: sets, model, scorers, folds, weights."""

from __future__ import annotations

import itertools
import math
import numbers
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation.baseline import kind_of
from altsets.evaluation.folds import Fold, Plan, Points, Resample, with_number_found
from altsets.evaluation.pipelines import SearchPipeline, check_pipeline, selector_place
from altsets.features import Feature, FeatureNames, as_number, whole_number
from altsets.measures import models
from altsets.measures.covariates import beside_covariates
from altsets.measures.scoring import (
    ModelRows,
    WithCovariates,
    default_scorer,
    kept_groups,
    positive_class,
    positive_label,
    scorer_for,
    scorer_name,
)
from altsets.measures.workers import check_jobs, n_workers
from altsets.problem import FeatureSet
from altsets.provenance import constraints_by_name, data_of, record
from altsets.quality.spec import spec_of
from altsets.request import Request
from altsets.result import Frontier, Result
from altsets.selector import Alternative, SelectAlternatives, check_request, groups_of, request_of
from altsets.tables.conversion import usable_columns
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Outcome, in_one_form, labels_for_models, outcome_of
from altsets.tables.weights import counted, counted_rows, refuse_other_rows
from altsets.wording import by_interface, parameter, plural
from altsets.wording import counted as count_of

#: The longest representation of a model that texts show in full.
LONGEST_MODEL = 80
#: Rows times columns times sets, up to which n_repeats="auto" splits the rows more than once, and how often.
CHEAP, REPEATS = 1_000_000, 5
AUTO = "auto"


class EvaluationSettings(NamedTuple):
    """How sets are scored; :func:`altsets.evaluate` documents the parameters."""

    estimator: Any
    scoring: Any
    pos_label: Any
    class_weight: Any
    cv: Any
    n_repeats: int | str
    groups: Any
    sample_weight: Any
    task: str
    confidence: float
    margin: float | None
    n_jobs: int | None
    random_state: int
    adjust: Any = None

    def checked(self) -> EvaluationSettings:
        confidence = as_number(self.confidence)
        margin = 0.0 if self.margin is None else as_number(self.margin)
        if not 0 < confidence < 1:
            given = parameter("confidence", self.confidence)
            raise InputError(f"{given} must lie between 0 and 1, such as 0.95.")
        if not 0 <= margin < math.inf:
            given = parameter("margin", self.margin)
            raise InputError(f"{given} must be a difference of scores from 0 up, such as 0.02.")
        repeats = self.n_repeats
        return self._replace(
            confidence=confidence,
            margin=None if self.margin is None else margin,
            n_jobs=check_jobs(self.n_jobs),
            random_state=whole_number("random_state", self.random_state, least=0),
            n_repeats=AUTO if repeats == AUTO else whole_number("n_repeats", repeats, least=1),
        )

    @property
    def splits_by_number(self) -> bool:
        """Whether ``cv`` is a number of folds, which can be drawn anew."""
        return isinstance(self.cv, numbers.Integral) and not isinstance(self.cv, bool)


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything that all folds share: the plan, the rows of each fold, and the settings."""

    plan: Plan
    splits: list[models.Split]
    settings: EvaluationSettings
    origin: dict[str, Any]
    started: float

    @classmethod
    def of(cls, what: Any, X: Any, y: Any, settings: EvaluationSettings) -> Setup:
        """Check everything."""
        started = time.perf_counter()
        settings, place = settings.checked(), selector_place(what)
        request = _request_for(what if place is None else what.steps[place][1])
        if place is not None:
            check_pipeline(what, settings.estimator)
            settings = settings._replace(estimator=what)
        if settings.task == "auto" and request is not None:
            settings = settings._replace(task=request.task)
        own = request if place is None else None
        usable = usable_columns(X, "error" if own is None else own.unusable)
        table = usable.features
        refuse_other_rows(table, groups=settings.groups)
        kept = counted_rows(settings.sample_weight, table.n_rows)
        groups = groups_of(settings.groups, table.n_rows)
        features, labels, weights = counted(table, y, settings.sample_weight, settings.task)
        adjust = _covariates_of(what, request, settings.adjust)
        settings = settings._replace(adjust=adjust)
        apart = beside_covariates(usable._replace(features=features), adjust)
        plan = _plan(features, apart.features, labels, weights, kept_groups(groups, kept), settings)
        plan = _with_sets(plan, what) if request is None else _with_search(plan, what, request, settings)
        if settings.n_repeats == AUTO:
            cost = features.n_rows * features.n_features * sum(plan.counts)
            several = settings.splits_by_number and cost <= CHEAP
            settings = settings._replace(n_repeats=REPEATS if several else 1)
        splits = split_rows(settings, plan, groups, kept)
        # The whole table, as it was given.
        data = data_of(table, in_one_form(y, settings.task))
        origin: dict[str, Any] = {"data": data, "task": plan.target.task, "seed": settings.random_state}
        if own is not None:
            origin["constraints"] = constraints_by_name(own.constraints, plan.features.feature_names)
        return cls(plan, splits, settings, origin, started)

    def evaluation(self, folds: Sequence[Fold], resamples: Sequence[Resample], n_sets: int) -> Evaluation:
        plan = self.plan
        parts: list[Fold | Resample] = [*folds, *resamples]
        chosen = {index for part in parts for each in part.sets for index in each}
        return Evaluation(
            folds=tuple(folds),
            resamples=tuple(resamples),
            n_sets=n_sets,
            names={index: plan.names[index] for index in sorted(chosen)},
            scorers=tuple(plan.scoring),
            given=not plan.searches,
            n_rows=plan.features.n_rows,
            n_features_in=len(plan.names),
            n_folds=len(self.splits),
            confidence=self.settings.confidence,
            margin=self.settings.margin,
            parameters=self._parameters,
        )

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        """The settings as a document; the positive class and class weights where they play a role."""
        plan, settings = self.plan, self.settings
        default = "cox" if isinstance(plan.target, Survival) else "tree"
        estimator = default if settings.estimator is None else settings.estimator
        positive = [label for label in map(positive_label, plan.scoring.values()) if label is not None]
        several, repeats = plan.rows.labels.ndim > 1, int(settings.n_repeats)
        return {
            "estimator": _one_line(estimator),
            "model": model_name(estimator),
            "cv": _one_line(settings.cv),
            "n_repeats": repeats,
            "splits": describe_splits(settings.cv, len(self.splits), settings.groups, repeats),
            "task": plan.target.task,
            "random_state": settings.random_state,
            "ready_made": not plan.rows_matter,
            **({"pos_label": positive[0]} if positive else {}),
            **({} if settings.class_weight is None else {"class_weight": settings.class_weight}),
            **({"adjust": [str(one) for one in settings.adjust]} if settings.adjust else {}),
            "baseline": {
                name: "covariates" if settings.adjust else kind_of(one, plan.target.is_classes, several)
                for name, one in plan.scoring.items()
            },
        }

    def when(self) -> dict[str, Any]:
        """Return how long it took, and where the numbers come from."""
        elapsed = time.perf_counter() - self.started
        return {"elapsed": elapsed, "provenance": record(self.origin, elapsed)}


def _request_for(what: Any) -> Request | None:
    """Return the request with which to search on other rows; None if the sets stay the same."""
    if isinstance(what, SelectAlternatives):
        return request_of(what)
    if not isinstance(what, Frontier):
        return None
    if not any(point.result.sets for point in what):
        raise InputError("this frontier has no sets to evaluate; explain() says why.")
    request = what.points[0].result.request
    if what.by != "tau" or request is None or request.quality is None or request.existing:
        return None
    return replace(request, n_features=what.sizes[0], n_alternatives=what.counts[-1])


def _covariates_of(what: Any, request: Request | None, adjust: Any) -> tuple[Feature, ...]:
    """Return the columns that every model gets: those that the sets were adjusted for, unless others are named."""
    if adjust is not None:
        given = Request(adjust=adjust).adjust
        if isinstance(what, SelectAlternatives) and given != request_of(what).adjust:
            raise InputError(
                f"{parameter('adjust')} of evaluate() and of the selector differ; leave it out here."
            )
        if given and selector_place(what) is not None:
            raise InputError(
                f"{parameter('adjust')} is not for a pipeline, whose steps decide which columns a model gets; leave it "
                "out, or pass the selector and estimator=model."
            )
        return given
    if isinstance(what, Frontier):
        request = next((point.result.request for point in what if point.result.request is not None), request)
    elif isinstance(what, Result):
        request = what.request
    return () if request is None or selector_place(what) is not None else request.adjust


def _plan(
    table: Features,
    features: Features,
    y: Any,
    weights: Floats | None,
    groups: npt.NDArray[Any] | None,
    settings: EvaluationSettings,
) -> Plan:
    """Check how sets are scored in all folds, before the first one; models also get covariates of the table."""
    target = outcome_of(y, features.n_rows, settings.task)
    classes, labels = target.is_classes, labels_for_models(y, target)
    how = (settings.estimator, classes, settings.random_state, settings.class_weight)
    create = partial(models.fresh_model, *how, survival=isinstance(target, Survival))
    model = create()
    if settings.pos_label is not None:
        positive_class(labels, settings.pos_label, classes)
    scorers = {
        name: scorer_for(model, scorer, classes, labels, settings.pos_label)
        for name, scorer in scoring_by_name(settings.scoring, classes, labels).items()
    }
    if weights is not None:
        models.names_for_weights(model)
    columns: Any = models.table_for(settings.estimator, table)
    if settings.adjust:
        covariates = table.feature_names.positions(settings.adjust, "adjust")
        places = [place for place in range(table.n_features) if place not in covariates]
        columns = WithCovariates(columns, places, covariates)
    rows = ModelRows(columns, labels, weights, groups)
    return Plan(features, target, rows, create, models.is_own(settings.estimator), scorers)


def _with_sets(plan: Plan, what: Any) -> Plan:
    """Return the plan with the sets of a result or a list, or with those of all points of a frontier."""
    names = plan.features.feature_names
    if not isinstance(what, Frontier):
        if isinstance(plan.rows.columns, WithCovariates) and _has_numbers(what):
            raise InputError("without the covariates, columns have other numbers; give sets by name.")
        sets = check_sets(what, names)
        return replace(plan, sets=(sets,), counts=(len(sets),))
    each = (check_sets(point.result, names) if point.result.sets else () for point in what)
    return replace(plan, sets=tuple(each), counts=tuple(point.n_alternatives + 1 for point in what))


def _has_numbers(what: Any) -> bool:
    """Whether a list of sets has features by number, or masks."""
    if isinstance(what, Result | str) or not isinstance(what, Iterable):
        return False
    listed = [one for one in what if isinstance(one, Iterable) and not isinstance(one, Alternative)]
    return any(isinstance(feature, int | np.integer | np.bool_) for one in listed for feature in one)


def _with_search(plan: Plan, what: Any, request: Request, settings: EvaluationSettings) -> Plan:
    """Return the plan with the search of a selector, a pipeline or a frontier, checked before the first fold."""
    number, place = request.n_alternatives, selector_place(what)
    if place is None:
        check_request(request, plan.features, getattr(what, "alternative", 0))
        # By default, one fold leaves processors to the others.
        n_jobs = getattr(what, "n_jobs", None) or (1 if n_workers(settings.n_jobs) > 1 else None)
        matter = spec_of(request.quality).uses_target
        request = replace(request, task=settings.task)
        plan = replace(plan, request=request, n_jobs=n_jobs, rows_matter=matter)
    else:
        pipeline = SearchPipeline.of(plan.fresh_model(), place, plan.rows, plan.features)
        plan = replace(plan, pipeline=pipeline)
    if isinstance(what, Frontier):
        points = Points.of(what, request, plan.features)
        return replace(plan, points=points, counts=tuple(count + 1 for _, count, _ in points.places))
    return with_number_found(plan) if number == "max" else replace(plan, counts=(int(number) + 1,))


def model_name(estimator: Any) -> str:
    if isinstance(estimator, str):
        return estimator
    parts = getattr(estimator, "steps", None)
    if isinstance(parts, list):
        return ", ".join(type(part).__name__ for _, part in parts)
    text = " ".join(repr(estimator).split())
    return text if len(text) <= LONGEST_MODEL else type(estimator).__name__


def _one_line(value: Any) -> Any:
    if isinstance(value, str | int | np.integer):
        return value if isinstance(value, str) else int(value)
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:200]}..."


def check_sets(what: Any, names: FeatureNames) -> tuple[FeatureSet, ...]:
    """Return the sets of a result or a list (names, indices, or one bool per feature), as sorted indices."""
    if isinstance(what, Result):
        # Names find their columns also in a table with more or other columns; made-up ones stand for indices.
        named = list(zip(itertools.chain(*what.sets), itertools.chain(*what.texts), strict=True))
        known = all(name in names for _, name in named)
        made_up = all(name == f"x{index}" for index, name in named)
        what = what.sets if made_up and not known else what.texts
    if isinstance(what, str | Mapping) or not isinstance(what, Iterable):
        raise InputError(
            "evaluate() takes a SelectAlternatives, a pipeline with one and a model, a result of find(), or a list of "
            f"feature sets; got {what!r:.100}."
        )
    sets = tuple(_one_set(number, chosen, names) for number, chosen in enumerate(what))
    if not sets:
        raise InputError("there is no set to evaluate; give at least one.")
    return sets


def _one_set(number: int, chosen: Any, names: FeatureNames) -> FeatureSet:
    who = f"set {number}"
    # Other labels of columns than text are named by their text.
    chosen = list(map(str, chosen.names)) if isinstance(chosen, Alternative) else chosen
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise InputError(f"{who} must be a list of features, by name or index; got {chosen!r:.100}.")
    listed = list(chosen)
    if listed and all(isinstance(entry, bool | np.bool_) for entry in listed):
        if len(listed) != len(names):
            raise InputError(f"{who} has {len(listed)} bools for {len(names)} features; give one for each.")
        listed = np.flatnonzero(listed).tolist()
    found = []
    for feature in listed:
        if not isinstance(feature, int | np.integer) and (text := str(feature)) in names:
            # Labels of any kind but integers, which are indices.
            feature = text
        index = feature if isinstance(feature, str) else whole_number(f"a feature of {who}", feature, least=0)
        found.append(names.position(index, who))
    if not found:
        raise InputError(f"{who} is empty; give it at least one feature.")
    if len(set(found)) < len(found):
        raise InputError(f"{who} names a feature more than once: {names.listed(listed)}.")
    return tuple(sorted(found))


def scoring_by_name(scoring: Any, classes: bool, labels: npt.NDArray[Any] | None = None) -> dict[str, Any]:
    if scoring is None:
        return {default_scorer(classes, labels): None}
    if isinstance(scoring, Mapping):
        named = {str(name): scorer for name, scorer in scoring.items()}
    elif isinstance(scoring, Iterable) or callable(scoring):
        listed = [scoring] if isinstance(scoring, str) or callable(scoring) else list(scoring)
        named = {scorer_name(scorer): scorer for scorer in listed}
        if len(named) < len(listed):
            raise InputError(
                f"{parameter('scoring', scoring)} holds two scorers of one name; "
                f"{by_interface('give a dict with names of your own', 'name each of them once')}."
            )
    else:
        raise InputError(
            f"{parameter('scoring', scoring)} must be a scorer or its name, a list of them, or a dict."
        )
    if not named:
        raise InputError("scoring is empty; name at least one scorer, or leave it out.")
    return named


def split_rows(
    settings: EvaluationSettings, plan: Plan, groups: npt.NDArray[Any] | None, kept: Bools | None
) -> list[models.Split]:
    """Return the folds; a number stands for shuffled, stratified folds that keep groups together.

    Groups and listed rows refer to all rows, also those that are not ``kept``. Each repeat shuffles with a seed of
    its own, which does not depend on the number of repeats.
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    cv, target, seed = settings.cv, plan.target, settings.random_state
    splitters, n_repeats = [cv], int(settings.n_repeats)
    if settings.splits_by_number:
        n_folds = whole_number("cv", cv, least=2)
        if isinstance(target, Survival) and (n_events := int(target.event.sum())) < n_folds:
            how_many = plural(n_events, "row has one; collect more events", "rows have one; use fewer folds")
            raise InputError(
                f"{parameter('cv', cv)} needs an event in each fold, but only {n_events} {how_many}."
            )
        plain, stratified = (KFold, StratifiedKFold) if groups is None else (GroupKFold, StratifiedGroupKFold)
        kind = plain if models.strata_of(target) is None else stratified
        seeds = ((seed + repeat) % 2**32 for repeat in range(n_repeats))
        splitters = [kind(n_folds, shuffle=True, random_state=each) for each in seeds]
    elif cv is None or isinstance(cv, str | bool):
        raise InputError(f"{parameter('cv', cv)} must be a number of folds, a splitter, or a list of splits.")
    elif n_repeats > 1:
        raise InputError(
            f"{parameter('n_repeats', n_repeats)} goes with a number of folds, such as {parameter('cv', 5)}, which are "
            "drawn anew each time; a splitter or a list of splits says itself how often rows are split."
        )
    splits = [
        rows
        for splitter in splitters
        for rows in models.splits_of(splitter, plan.features.cells, target, seed, groups=groups, kept=kept)
    ]
    for number, (train, test) in enumerate(splits):
        if n_seen := int(np.isin(test, train).sum()):
            raise InputError(
                f"fold {number} of cv has {n_seen} of its {len(test)} test rows among the training rows, so scores "
                "would be too good; list each row on one side."
            )
    return splits


def describe_splits(cv: Any, n_folds: int, groups: Any, n_repeats: int = 1) -> str:
    """Say how rows were split, such as "5-fold cross-validation, 3 repeats"."""
    from sklearn.model_selection import TimeSeriesSplit

    more = f", {n_repeats} repeats" if n_repeats > 1 else ""
    if isinstance(cv, numbers.Integral):
        if groups is None:
            return f"{cv}-fold cross-validation{more}"
        name = getattr(groups, "name", None)
        of_what = f" of {name!r}" if isinstance(name, str) else ""
        return f"{cv} folds that keep groups{of_what} together{more}"
    folds = count_of(n_folds, "fold")
    return f"{folds} in time order" if isinstance(cv, TimeSeriesSplit) else folds


def bootstrap_samples(
    count: int, target: Outcome, groups: npt.NDArray[Any] | None, random_state: int
) -> list[Indices]:
    """Return the rows of bootstrap samples: as many draws with replacement as there are rows, stratified by class.

    A row counts once even if drawn twice, so a sample has about 63 % of the rows: copies would be close neighbours
    for mutual information, and end up on both sides of the splits that wrappers make. Groups are drawn as a whole.
    """
    rows = np.arange(len(target.values))
    if groups is not None:
        units = np.unique(groups, return_inverse=True)[1]
        strata = [np.unique(units)]
    else:
        units, strata = rows, [rows]
        if (alike := models.strata_of(target)) is not None:
            strata = [rows[alike == label] for label in np.unique(alike)]
    samples = []
    for number in range(count):
        # One seed per sample, so that it does not depend on the number of samples.
        rng = np.random.default_rng([random_state, number])
        drawn = np.concatenate([rng.choice(part, len(part)) for part in strata])
        samples.append(np.flatnonzero(np.isin(units, drawn)))
    return samples
