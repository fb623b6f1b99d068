"""A quality that can only be asked: a function of the set, and a memory of what it said."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from altsets.errors import InputError, UnsupportedError
from altsets.features import whole_number
from altsets.measures.models import one_line
from altsets.measures.workers import check_jobs, n_workers, run_in_workers
from altsets.quality._form import Form
from altsets.quality._quality import Quality, common_names, size_checked

#: Sums of larger scores come near the end of double precision.
LARGEST_SCORE = 1e100


class BlackBox(Quality):
    """Quality of a set = whatever a function says about it.

    Each set is scored once and remembered, also from one search to the next; so the function should always say the
    same about the same set. A score of minus infinity rules a set out.

    Parameters
    ----------
    score : callable
        ``score(indices) -> float`` for a sorted tuple of feature indices; larger is better.
    n_features_in : int, optional
        How many features there are to choose from; may be left out where they are named.
    feature_names : sequence of str, optional
        Names for every output, else ``x0``, ``x1``, ...
    size_normalised : bool
        Whether sets of different sizes compare fairly. Say False for a score that grows with every feature.
    n_jobs : int, optional
        How many sets are scored at a time, in threads; -1 for one per processor. The function must be thread-safe.
        joblib's ``parallel_config`` overrules. No answer depends on it.

    Attributes
    ----------
    n_evaluations : int
        How many times the function was called.

    Examples
    --------
    >>> quality = BlackBox(lambda indices: 10 - sum(indices), n_features_in=5)
    >>> quality.evaluate((0, 3)), quality.evaluate((3, 0)), quality.n_evaluations
    (7.0, 7.0, 1)
    """

    has_form = False

    #: Whether sets that are scored at the same time are scored in processes of their own.
    _in_processes = False

    def __init__(
        self,
        score: Callable[[tuple[int, ...]], float],
        *,
        n_features_in: int | None = None,
        feature_names: Sequence[str] | None = None,
        size_normalised: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        if not callable(score):
            raise InputError(f"score must be a function of a tuple of indices, not {type(score).__name__}.")
        if n_features_in is None:
            if feature_names is None:
                raise InputError("a black box does not say how many features there are; give n_features_in.")
            n_features_in = len(feature_names)
        n = whole_number("n_features_in", n_features_in, least=1)
        super().__init__(n, common_names(feature_names, n))
        self.score = score
        self.size_normalised = bool(size_normalised)
        self.n_jobs = check_jobs(n_jobs)
        self.n_evaluations = 0
        self._known: dict[tuple[int, ...], float] = {}

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set; the function is asked only if it has not been asked before."""
        known = self._known.get(indices if type(indices) is tuple else self._key(indices))
        return self.evaluate_many([indices])[0] if known is None else known

    def evaluate_many(self, sets: Sequence[Sequence[int]]) -> list[float]:
        """The qualities of several sets, ``n_jobs`` at a time.

        If the function fails on one of them, the others are remembered before that is said.
        """
        keys = [self._key(indices) for indices in sets]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        failure = None
        for key, answer in zip(new, self._answers(new), strict=True):
            self.n_evaluations += 1
            if isinstance(answer, InputError):
                failure = failure or answer
            else:
                self._known[key] = answer
        if failure is not None:
            raise failure
        return [self._known[key] for key in keys]

    def knows(self, indices: Sequence[int]) -> bool:
        """Whether the function has been asked about this set."""
        return self._key(indices) in self._known

    def form(self, size: int) -> Form:
        """A black box has no numbers, so this is refused."""
        raise UnsupportedError(f"{type(self).__name__} can evaluate sets, but has no feature scores.")

    def _answers(self, keys: list[tuple[int, ...]]) -> list[float | InputError]:
        if len(keys) < 2 or n_workers(self.n_jobs) == 1:
            outcomes = [_outcome(self.score, key) for key in keys]
        else:
            from joblib import Parallel, delayed  # type: ignore[import-untyped]

            calls = (delayed(_outcome)(self.score, key) for key in keys)
            if self._in_processes:
                outcomes = list(run_in_workers(calls, self.n_jobs, return_as="generator"))
            else:
                outcomes = Parallel(n_jobs=self.n_jobs, prefer="threads")(calls)
        return [self._answer(key, outcome) for key, outcome in zip(keys, outcomes, strict=True)]

    def _answer(self, key: tuple[int, ...], outcome: Any) -> float | InputError:
        """What the function says, or what is wrong with it."""
        if isinstance(outcome, Exception):
            kind = "" if isinstance(outcome, InputError) else f"{type(outcome).__name__}: "
            wrong = self._wrong(key, f"could not be computed: {kind}{one_line(outcome)}")
            wrong.__cause__ = outcome
            return wrong
        number = math.nan
        if isinstance(outcome, float | numbers.Real) or getattr(outcome, "ndim", None) == 0:
            number = float(outcome)
        if number != number or number == math.inf:
            return self._wrong(key, f"is {outcome!r}; it must be a number, or minus infinity to rule it out.")
        if LARGEST_SCORE < abs(number) < math.inf:
            return self._wrong(
                key,
                f"is {outcome!r}, which leaves no digits for other scores; give numbers up to {LARGEST_SCORE:g}, "
                "or minus infinity to rule a set out.",
            )
        return number

    def _wrong(self, key: tuple[int, ...], what: str) -> InputError:
        return InputError(f"the score of {{{', '.join(self.names_of(key))}}} {what}")

    def _key(self, indices: Sequence[int]) -> tuple[int, ...]:
        key = tuple(sorted({int(index) for index in indices}))
        size_checked(len(key))
        if key[0] < 0 or key[-1] >= self.n_features_in:
            raise InputError(
                f"{key} is not a set of features; indices go from 0 to {self.n_features_in - 1}."
            )
        return key


def _outcome(score: Callable[[tuple[int, ...]], Any], key: tuple[int, ...]) -> Any:
    """What a function says about a set, or the exception that it raises: either can come from another process."""
    try:
        return score(key)
    except Exception as error:
        return error
