"""Evaluation as commands ask for it: which options go together, how rows are split, and the evaluation itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from altsets.cli.printing import Waiting, console_for, say_error
from altsets.errors import InputError
from altsets.features import cells_in, names_in

if TYPE_CHECKING:
    from altsets.cli.options import EvaluationOptions, Given
    from altsets.evaluation import Evaluation, Evaluations
    from altsets.files.dataset import Dataset
    from altsets.request import Request
    from altsets.search.frontier import Frontier

Evaluated = TypeVar("Evaluated")

DEFAULT_FOLDS = 5
FORMS = "5 or time:5"


@dataclass(frozen=True)
class Splits:
    """Folds, and how often rows are split into them; ``groups`` is the column whose equal values stay together."""

    n_folds: int = DEFAULT_FOLDS
    in_time: bool = False
    groups: str | None = None
    n_repeats: int | str = "auto"

    @classmethod
    def of(cls, given: EvaluationOptions) -> Splits:
        """Return what ``--cv``, ``--cv-groups`` and ``--n-repeats`` ask for."""
        cv, groups, times = given.cv, given.cv_groups, given.n_repeats
        if times is not None and times < 1:
            raise InputError(f"--n-repeats {times} is too small; it must be at least 1.")
        again: int | str = "auto" if times is None else times
        if cv is None:
            return cls(groups=groups, n_repeats=again)
        match cells_in(cv, ":"):
            case [number]:
                return cls(_folds(cv, number), groups=groups, n_repeats=again)
            case ["time", number]:
                if times is not None and times > 1:
                    raise InputError(
                        f"--n-repeats {times} does not go with --cv {cv}: folds in time order are always the same; "
                        "leave out one of them."
                    )
                if groups is not None:
                    raise InputError(
                        f"--cv-groups {groups} does not go with --cv {cv}: folds in time order split groups; leave out "
                        "one of them."
                    )
                return cls(_folds(cv, number), in_time=True)
        raise InputError(f"--cv {cv!r} must have the form {FORMS}.")

    def splitter(self) -> Any:
        """What :func:`altsets.evaluate` takes as ``cv``."""
        if not self.in_time:
            return self.n_folds
        from sklearn.model_selection import TimeSeriesSplit

        return TimeSeriesSplit(self.n_folds)

    def check(self, groups: Any) -> None:
        """Refuse a column of fewer groups than folds."""
        n_groups = 0 if groups is None else len(set(groups.tolist()))
        if groups is not None and n_groups < self.n_folds:
            raise InputError(
                f"--cv {self.n_folds} needs at least {self.n_folds} groups, and column {self.groups!r} of --cv-groups "
                f"has {n_groups}; ask for fewer folds."
            )

    def named(self, evaluation: Evaluation) -> Evaluation:
        """The same evaluation, which names the column that its folds keep together."""
        if self.groups is None:
            return evaluation
        words = evaluation.parameters["splits"].replace("groups", f"groups of {self.groups!r}")
        parameters = evaluation.parameters | {"splits": words, "groups": self.groups}
        return replace(evaluation, parameters=parameters)


def _folds(cv: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise InputError(f"--cv {cv!r} must have the form {FORMS}.") from None
    if number < 2:
        raise InputError(f"--cv {cv}: {number} is too few; rows are split into at least 2 folds.")
    return number


def check_evaluation(given: Given) -> None:
    """Refuse options that need --evaluate, and those that do not go with it."""
    evaluate = given.evaluation.evaluate
    for name, value in vars(given.evaluation).items():
        if name != "evaluate" and value is not None and not evaluate:
            option = name.replace("_", "-")
            raise InputError(f"--{option} {value} goes with --evaluate; add it, or leave out --{option}.")
    others = {
        "scores": (
            given.scoring.scores,
            "scores that were saved have seen all rows, and the search must not see the test rows",
        ),
        "existing": (given.conditions.existing, "the search in each fold does not use existing sets"),
        "engine": (given.limits.engine, "the search in each fold chooses its engine itself"),
    }
    for name, (value, why) in others.items():
        if evaluate and value and value != "auto":
            raise InputError(f"--{name} does not go with --evaluate: {why}; leave out one of them.")


def evaluate_sets(what: Any, data: Dataset, given: Given) -> Evaluation:
    """Evaluate sets, or what searches for them, with a progress line."""
    from altsets.evaluation import evaluate

    more: dict[str, Any] = {
        "margin": given.evaluation.margin,
        "n_bootstraps": given.evaluation.bootstraps or 0,
    }
    found = _evaluate(partial(evaluate, what, **more), data, given)
    return Splits.of(given.evaluation).named(found)


def evaluate_points(frontier: Frontier, data: Dataset, given: Given) -> Evaluations:
    """Evaluate a frontier that was found on all rows, with a progress line."""
    from altsets.evaluation import evaluate

    found: Evaluations = _evaluate(partial(evaluate, frontier), data, given)
    return replace(found, evaluations=tuple(map(Splits.of(given.evaluation).named, found.evaluations)))


def _evaluate(evaluate: Callable[..., Evaluated], data: Dataset, given: Given) -> Evaluated:
    splits, model = Splits.of(given.evaluation), given.model
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Evaluating")
        return evaluate(
            data.X,
            data.y,
            estimator=model.estimator,
            scoring=names_in([model.scoring]) if model.scoring else None,
            pos_label=model.positive,
            class_weight=model.class_weight,
            cv=splits.splitter(),
            n_repeats=splits.n_repeats,
            groups=data.groups,
            n_jobs=given.evaluation.jobs,
            task=given.scoring.task,
            callback=lambda share: waiting.say(
                f"Evaluating: {share:.0%} (Ctrl-C keeps the folds that are done)"
            ),
        )


def parameters_of(request: Request, seconds: float) -> dict[str, Any]:
    """What the search in each fold takes over from a request; it knows no existing sets, and chooses its engine."""
    taken = ("dissimilarity", "feature_groups", "search", "aggregation", "constraints")
    return {name: getattr(request, name) for name in taken} | {"time_limit": request.time_limit or seconds}


def unless_interrupted(
    evaluate: Callable[[], Evaluated | None], was_interrupted: bool, what: str
) -> Evaluated | None:
    """Evaluate what a search has found, unless Ctrl-C has ended that or ends this."""
    try:
        if not was_interrupted and (found := evaluate()) is not None:
            return found
    except KeyboardInterrupt:
        pass
    say_error(f"Interrupted: the {what} were not evaluated.")
    return None
