"""The quality of requests that only ask for some set."""

from __future__ import annotations

from collections.abc import Sequence

from altsets.quality import Form, Quality

__all__ = ["Anything"]


class Anything(Quality):
    """All sets are equally good, but for those that are ruled out."""

    size_normalised = False

    def __init__(self, form: Form) -> None:
        super().__init__(len(form.linear), None)
        self._form = form

    def evaluate(self, indices: Sequence[int]) -> float:
        """Nothing depends on it."""
        return 0.0

    def form(self, size: int) -> Form:
        """The same for all sizes."""
        return self._form
