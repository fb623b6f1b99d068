"""A quality in numbers, with what the constraints of a problem say in the same terms."""

from __future__ import annotations

from dataclasses import replace

from altsets.problem import Problem
from altsets.quality import Form, Quality

__all__ = ["form_of"]


def form_of(quality: Quality, problem: Problem, size: int) -> Form:
    """The form of a quality for sets of this size; pairs that constraints rule out are conflicts as well."""
    form, ruled_out = quality.form(size), problem.conflicts
    if ruled_out is None:
        return form
    return replace(form, conflicts=ruled_out if form.conflicts is None else form.conflicts | ruled_out)
