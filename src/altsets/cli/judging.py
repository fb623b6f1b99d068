"""How well sets predict, as commands ask for it: the options of an evaluation, and the evaluation itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from altsets.cli import parsing
from altsets.cli.printing import Waiting, console_for
from altsets.cli.splits import SplitOptions
from altsets.errors import InputError

if TYPE_CHECKING:
    from altsets.evaluation import EvaluatedFrontier, Evaluation
    from altsets.files.dataset import Dataset
    from altsets.search.frontier import Frontier

__all__ = ["JudgeOptions", "JudgingOptions", "check_judging", "evaluation_of", "for_quality", "scores_along"]

Judged = TypeVar("Judged")


@dataclass(frozen=True)
class JudgingOptions:
    """What the user says about an evaluation; None where nothing is said."""

    cv: str | None = None
    repeats: int | None = None
    margin: float | None = None
    bootstraps: int | None = None
    jobs: int | None = None

    @property
    def splits(self) -> SplitOptions:
        """How rows are split."""
        return SplitOptions.of(self.cv, self.repeats)


@dataclass(frozen=True)
class JudgeOptions:
    """Which model judges sets, and how; None where nothing is said."""

    estimator: str | None = None
    scoring: str | None = None
    pos_label: str | None = None
    class_weight: str | None = None


def check_judging(evaluate: bool, judging: JudgingOptions, others: Mapping[str, Any]) -> None:
    """Options that need --evaluate, and those that do not go with it."""
    for name, value in vars(judging).items():
        if value is not None and not evaluate:
            raise InputError(f"--{name} {value} goes with --evaluate; add it, or leave out --{name}.")
    why = {
        "--scores": "scores that were saved have seen all rows, and the search must not see the test rows",
        "--existing": "the search in each fold knows no existing sets",
        "--engine": "the search in each fold chooses its engine itself",
    }
    for name, value in others.items():
        if evaluate and value and value != "auto":
            raise InputError(f"{name} does not go with --evaluate: {why[name]}; leave out one of them.")


def for_quality(quality: str, how: Mapping[str, str | None]) -> dict[str, str | None]:
    """What the quality takes of the options; the model that judges takes the others."""
    from altsets.quality.named import takes_option

    return {name: value for name, value in how.items() if name == "measure" or takes_option(quality, name)}


def evaluation_of(
    what: Any,
    data: Dataset,
    judge: JudgeOptions,
    task: str,
    judging: JudgingOptions,
) -> Evaluation:
    """Evaluate, with a sign of life."""
    from altsets.evaluation import evaluate

    more: dict[str, Any] = {"margin": judging.margin, "n_bootstraps": judging.bootstraps or 0}
    return judging.splits.named(_judged(partial(evaluate, what, **more), data, judge, task, judging))


def scores_along(
    frontier: Frontier,
    quality: Any,
    asked: Mapping[str, Any],
    data: Dataset,
    judge: JudgeOptions,
    task: str,
    judging: JudgingOptions,
) -> EvaluatedFrontier:
    """Evaluate a frontier that was found on all rows, with a sign of life."""
    from altsets.evaluation import evaluate_frontier

    def along(X: Any, y: Any, **options: Any) -> EvaluatedFrontier:
        return evaluate_frontier(quality, X, y, **asked, frontier=frontier, **options)

    found = _judged(along, data, judge, task, judging)
    return replace(found, evaluations=tuple(map(judging.splits.named, found.evaluations)))


def _judged(
    evaluate: Callable[..., Judged], data: Dataset, judge: JudgeOptions, task: str, judging: JudgingOptions
) -> Judged:
    """What an evaluation of a table says, as the options want it."""
    splits = judging.splits
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Evaluating")
        return evaluate(
            data.X,
            data.y,
            estimator=judge.estimator,
            scoring=parsing.names_in([judge.scoring]) if judge.scoring else None,
            pos_label=judge.pos_label,
            class_weight=judge.class_weight,
            cv=splits.splitter(),
            repeats=splits.repeats,
            groups=data.groups,
            n_jobs=judging.jobs,
            task=task,
            progress=lambda share: waiting.say(
                f"Evaluating: {share:.0%} (Ctrl-C keeps the folds that are done)"
            ),
        )
