"""The condition that sets have no feature that scores no higher than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from altsets.constraints.base import Constraint, CountRule, Option, OptionReader, Rule


@dataclass(frozen=True, init=False)
class AboveNoise(Constraint):
    """A set has only features that score above the noise floor: what such a column may score by chance.

    For scores that are computed from a table one column at a time, and for ``"mrmr"``, ``"fcbf"`` and ``"cfs"`` with
    these.

    Raises
    ------
    altsets.errors.InputError
        During a search, if the scores do not come from a table, or from a measure without a noise floor.

    See Also
    --------
    altsets.SelectAlternatives : ``noise_floor_`` is what each column may score by chance.
    altsets.constraints.Forbid : Rule out features by name.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> noise = X.sample(frac=1, random_state=0, ignore_index=True).add_suffix("_shuffled")
    >>> found = altsets.find("f", 12, 0, X=X.join(noise), y=y, constraints=AboveNoise())
    >>> [name for name in found.named_sets[0] if name.endswith("_shuffled")]
    []
    """

    kind = "above_noise"
    option = Option(
        "--above-noise", "", "Only features that score higher than features do by chance (the noise floor)."
    )
    #: The features at or below the noise floor; None while scores are unknown.
    below: tuple[int, ...] | None

    def __init__(self) -> None:
        self._set(below=None)

    def leaving_out(self, below: Sequence[int]) -> Self:
        """Return the same constraint with the indices of the features at or below the noise floor."""
        return self._changed(below=tuple(below))

    def resolve(self, names: Sequence[str]) -> Self:
        return self

    def holds(self, chosen: Sequence[int]) -> bool:
        return not set(self.below or ()).intersection(chosen)

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.below, upper=0),) if self.below else ()

    def describe(self, names: Sequence[str]) -> str:
        return "only features above the noise floor"

    def sentence(self, names: Sequence[str]) -> str:
        return "All features score above the noise floor."

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return cls()

    def option_text(self, names: Sequence[str]) -> str:
        return ""

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        return []

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}
