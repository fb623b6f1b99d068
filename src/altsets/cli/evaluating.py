"""Evaluation as commands ask for it: which options go together, how rows are split, and the evaluation itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from altsets.cli.printing import Waiting, console_for, say_error
from altsets.errors import InputError
from altsets.features import names_in

if TYPE_CHECKING:
    from altsets.cli.options import Given
    from altsets.evaluation import Evaluation
    from altsets.files.dataset import Dataset

Evaluated = TypeVar("Evaluated")

DEFAULT_FOLDS = 5


@dataclass(frozen=True)
class Splits:
    """Folds, and how often rows are split into them; ``groups`` is the column whose equal values stay together."""

    n_folds: int = DEFAULT_FOLDS
    in_time: bool = False
    groups: str | None = None
    n_repeats: int | str = "auto"

    @classmethod
    def of(cls, given: Given) -> Splits:
        """Return what ``--cv``, ``--cv-groups`` and ``--n-repeats`` ask for."""
        cv, groups, times = given.cv, given.cv_groups, given.n_repeats
        if times is not None and times < 1:
            raise InputError(f"--n-repeats {times} is too small; it must be at least 1.")
        form = re.fullmatch(r"\s*(time\s*:)?\s*([+-]?\d+)\s*", str(DEFAULT_FOLDS) if cv is None else cv)
        if form is None:
            raise InputError(f"--cv {cv!r} must have the form 5 or time:5.")
        in_time, n_folds = bool(form[1]), int(form[2])
        why = None
        if in_time and times is not None and times > 1:
            why = f"--n-repeats {times}", "are always the same"
        elif in_time and groups is not None:
            why = f"--cv-groups {groups}", "split groups"
        if why is not None:
            raise InputError(
                f"{why[0]} does not go with --cv {cv}: folds in time order {why[1]}; leave out one of them."
            )
        if n_folds < 2:
            raise InputError(f"--cv {cv}: {n_folds} is too few; rows are split into at least 2 folds.")
        return cls(n_folds, in_time, groups, "auto" if times is None or in_time else times)

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
        return replace(
            evaluation, parameters=evaluation.parameters | {"splits": words, "groups": self.groups}
        )


def evaluated(what: Any, data: Dataset, given: Given) -> Any:
    """Evaluate sets, what searches for them, or a frontier, with a progress line."""
    from altsets.evaluation import evaluate

    splits = Splits.of(given)
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Evaluating")
        found = evaluate(
            what,
            data.X,
            data.y,
            estimator=given.estimator,
            scoring=names_in([given.scoring]) if given.scoring else None,
            pos_label=given.positive,
            class_weight=given.class_weight,
            cv=splits.splitter(),
            n_repeats=splits.n_repeats,
            groups=data.groups,
            n_jobs=given.jobs,
            task=given.task,
            callback=lambda share: waiting.say(
                f"Evaluating: {share:.0%} (Ctrl-C keeps the folds that are done)"
            ),
            margin=given.margin,
            n_bootstraps=given.bootstraps or 0,
        )
    if hasattr(found, "evaluations"):
        return replace(found, evaluations=tuple(map(splits.named, found.evaluations)))
    return splits.named(found)


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
