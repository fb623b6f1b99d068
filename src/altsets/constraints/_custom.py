"""A condition of a user's own, asked about complete sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from altsets.constraints.base import Constraint, OptionReader, Rule
from altsets.errors import InputError, NotExpressedError
from altsets.wording import list_some

#: Why it is written nowhere; ends a sentence.
OWN = "a condition of your own is known to you alone"


@dataclass(frozen=True, init=False)
class Custom(Constraint):
    """Every set passes a check of your own.

    You write a function that looks at one complete set and says whether it is allowed. Answers are still proven: the
    search asks about sets from the best one down until one passes, which takes long where few good sets pass. The
    other constraints are much faster; use them where they can express the condition. This one has no form as JSON or
    as an option, and engines that need conditions in numbers decline it.

    Parameters
    ----------
    check : callable
        Takes a set as a sorted tuple of indices, the positions of columns in the table, and returns True if it is
        allowed, else False; always the same answer for the same set.

    See Also
    --------
    altsets.constraints.Linear : A bound on a sum of coefficients.

    Examples
    --------
    Not three features in a row:

    >>> def spread_out(chosen):
    ...     return all(third > first + 2 for first, third in zip(chosen, chosen[2:]))
    >>> apart = Custom(spread_out)
    >>> apart.holds((0, 1, 3)), apart.holds((0, 1, 2))
    (True, False)
    """

    kind = "custom"
    check: Callable[[tuple[int, ...]], bool]
    names: tuple[str, ...] | None = field(compare=False, repr=False)

    def __init__(self, check: Callable[[tuple[int, ...]], bool]) -> None:
        if not callable(check):
            raise InputError(f"{self.title} takes a function of a set, not {check!r}.")
        self._set(check=check, names=None)

    def resolve(self, names: Sequence[str]) -> Self:
        return self._changed(names=tuple(names))

    def holds(self, chosen: Sequence[int]) -> bool:
        asked = tuple(sorted(int(feature) for feature in chosen))
        try:
            answer = self.check(asked)
        except Exception as error:
            raise InputError(
                f"{self.title}: the check raised {type(error).__name__} ({error}) for the set {self._named(asked)}."
            ) from error
        # Constraints are known to the command line, which must not wait for NumPy, whose truth values are like these.
        dtype = getattr(answer, "dtype", None)
        if not isinstance(answer, bool) and (getattr(dtype, "kind", "") != "b" or getattr(answer, "ndim", 1)):
            raise InputError(
                f"{self.title}: the check returned {answer!r} for the set {self._named(asked)}; return True or False."
            )
        return bool(answer)

    def _named(self, chosen: tuple[int, ...]) -> str:
        return str(chosen) if self.names is None else list_some([self.names[feature] for feature in chosen])

    def rules(self) -> tuple[Rule, ...]:
        return ()

    @property
    def is_asked(self) -> bool:
        return True

    def describe(self, names: Sequence[str]) -> str:
        return f"own condition {self._called}"

    @property
    def _called(self) -> str:
        return str(getattr(self.check, "__name__", type(self.check).__name__))

    def sentence(self, names: Sequence[str]) -> str:
        return f"Every set meets a condition of your own, {self._called}."

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        raise NotExpressedError(OWN)

    def option_text(self, names: Sequence[str]) -> str:
        raise NotExpressedError(OWN)

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        raise NotExpressedError(OWN)

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "check": self._called}
