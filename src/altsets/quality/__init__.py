"""What "good" means: the quality of a feature set, from numbers or from a table.

==================  ================================================================================
:class:`Additive`   sum of the scores of its features
:class:`FCBF`       the same, but features that outdo each other's relevance exclude each other
:class:`MRMR`       mean relevance minus mean redundancy
:class:`CFS`        relevance divided by redundancy
:class:`LinearFit`  the share of the targets that a linear model on it explains
:class:`BlackBox`   whatever a function says
:class:`Wrapper`    how well a model predicts with it
:class:`Embedded`   the same for sets that a model chooses by itself
==================  ================================================================================

:class:`Quality` is what all of them offer, :class:`Form` what exact engines read; the last three have none.
"""

from altsets.quality._additive import Additive
from altsets.quality._black_box import BlackBox, Wrapper
from altsets.quality._embedded import Embedded
from altsets.quality._fitted_set import FittedSet
from altsets.quality._linear_fit import LinearFit
from altsets.quality._pairwise import CFS, FCBF, MRMR
from altsets.quality._quality import Quality
from altsets.quality.form import Form

__all__ = [
    "CFS",
    "FCBF",
    "MRMR",
    "Additive",
    "BlackBox",
    "Embedded",
    "FittedSet",
    "Form",
    "LinearFit",
    "Quality",
    "Wrapper",
]
