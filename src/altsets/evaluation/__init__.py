"""Cross-validated scores of feature sets: baseline, paired comparisons, stability, substitutions."""

from altsets.evaluation._decision import Decision, lines_of
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._evaluations import Evaluations, n_found, overall
from altsets.evaluation.comparison import Comparison, corrected_t_test, holm
from altsets.evaluation.evaluating import evaluate
from altsets.evaluation.folds import Fold, Resample
from altsets.evaluation.stability import (
    StabilityIndex,
    Substitutions,
    similar_stability,
    stability_index,
    substitutions,
)
from altsets.wording import score as shown

__all__ = [
    "Comparison",
    "Decision",
    "Evaluation",
    "Evaluations",
    "Fold",
    "Resample",
    "StabilityIndex",
    "Substitutions",
    "corrected_t_test",
    "evaluate",
    "holm",
    "lines_of",
    "n_found",
    "overall",
    "shown",
    "similar_stability",
    "stability_index",
    "substitutions",
]
