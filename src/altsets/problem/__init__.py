"""Problems: sizes, how different the sets must be, which search; and the check of every answer.

Glossary, from the paper's symbols to the names used here:

========================  =====================================================================
``n``                     ``n_features_in``, the number of features to choose from
``k``                     ``n_features``, the size of each set
``a``                     ``n_alternatives``; ``n_sets`` = a + 1 counts the first set too
``tau``                   ``tau``, the least dissimilarity of two sets; engines see ``max_overlap``
``d(F, G)``               ``dissimilarity``
``Q(s, X, y)``            the quality (see :mod:`altsets.quality`)
``F`` (blackboard)        ``existing``, sets that every new set must differ from
(further constraints)     ``constraints`` (see :mod:`altsets.constraints`)
========================  =====================================================================
"""

from __future__ import annotations

from altsets.dissimilarity import DISSIMILARITIES
from altsets.problem._checks import (
    AGGREGATIONS,
    DIFFERENCES,
    EXACT_TOLERANCE,
    SEARCHES,
    Dissimilarity,
    FeatureSet,
    check_definition,
    counts_features,
    dissimilarity_of,
    exact_count,
    exact_tau,
    list_constraints,
)
from altsets.problem._problem import Problem
from altsets.problem._verifier import BOUND_TOLERANCE, verify, verify_scores

__all__ = [
    "AGGREGATIONS",
    "BOUND_TOLERANCE",
    "DIFFERENCES",
    "DISSIMILARITIES",
    "EXACT_TOLERANCE",
    "SEARCHES",
    "Dissimilarity",
    "FeatureSet",
    "Problem",
    "check_definition",
    "counts_features",
    "dissimilarity_of",
    "exact_count",
    "exact_tau",
    "list_constraints",
    "verify",
    "verify_scores",
]
