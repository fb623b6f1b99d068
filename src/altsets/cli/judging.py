"""How well sets predict, as commands ask for it: the options of an evaluation, and the evaluation itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.cli import parsing
from altsets.cli.printing import Waiting, console_for
from altsets.cli.splits import SplitOptions

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.tables.dataset import Dataset

__all__ = ["JudgeOptions", "JudgingOptions", "evaluation_of"]


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


def evaluation_of(
    what: Any,
    data: Dataset,
    judge: JudgeOptions,
    task: str,
    judging: JudgingOptions,
) -> Evaluation:
    """Evaluate, with a sign of life."""
    from altsets.evaluation import evaluate

    splits = judging.splits
    several = parsing.names_in([judge.scoring]) if judge.scoring else None
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Evaluating")
        evaluation = evaluate(
            what,
            data.X,
            data.y,
            estimator=judge.estimator,
            scoring=several,
            pos_label=judge.pos_label,
            class_weight=judge.class_weight,
            cv=splits.splitter(),
            repeats=splits.repeats,
            groups=data.groups,
            margin=judging.margin,
            n_bootstraps=judging.bootstraps or 0,
            n_jobs=judging.jobs,
            task=task,
            progress=lambda share: waiting.say(
                f"Evaluating: {share:.0%} (Ctrl-C keeps the folds that are done)"
            ),
        )
    return splits.named(evaluation)
