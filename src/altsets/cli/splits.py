"""How rows are split for an evaluation, as options say: shuffled folds, folds in time order, folds that keep groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.cli import parsing
from altsets.errors import InputError

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation

__all__ = ["SplitOptions"]

DEFAULT_FOLDS = 5
FORMS = "5, time:5 or group:COLUMN:5"


@dataclass(frozen=True)
class SplitOptions:
    """Folds, and how often rows are split into them.

    Attributes
    ----------
    n_folds : int
        How many folds.
    in_time : bool
        Whether each fold predicts rows from those above them.
    groups : str or None
        The column whose equal values stay together.
    repeats : int
        How often.
    """

    n_folds: int = DEFAULT_FOLDS
    in_time: bool = False
    groups: str | None = None
    repeats: int = 1

    @classmethod
    def of(cls, cv: str | None, repeats: int | None) -> SplitOptions:
        """What ``--cv`` and ``--repeats`` say.

        Examples
        --------
        >>> SplitOptions.of("group:patient:3", 2)
        SplitOptions(n_folds=3, in_time=False, groups='patient', repeats=2)
        """
        times = 1 if repeats is None else repeats
        if times < 1:
            raise InputError(f"--repeats {times} is too small; it must be at least 1.")
        if cv is None:
            return cls(repeats=times)
        match parsing.cells_in(cv, ":"):
            case [number]:
                return cls(_folds(cv, number), repeats=times)
            case ["time", number]:
                if times > 1:
                    raise InputError(
                        f"--repeats {times} does not go with --cv {cv}: folds in time order are always the same; leave "
                        "out one of them."
                    )
                return cls(_folds(cv, number), in_time=True)
            case ["group", column, number] if column:
                return cls(_folds(cv, number), groups=column, repeats=times)
        raise InputError(
            f"--cv {cv!r} must have the form {FORMS}; a name with a colon stands in double quotes."
        )

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
                f"--cv group:{self.groups}:{self.n_folds} needs at least {self.n_folds} groups, and column "
                f"{self.groups!r} has {n_groups}; ask for fewer folds."
            )

    def named(self, evaluation: Evaluation) -> Evaluation:
        """The same evaluation, which says by name what its folds keep together."""
        if self.groups is None:
            return evaluation
        from dataclasses import replace

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
