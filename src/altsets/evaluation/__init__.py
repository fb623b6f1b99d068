"""Cross-validated scores of feature sets: baseline, paired comparisons, stability, substitutions."""

from altsets.evaluation._decision import Decision, lines_of
from altsets.evaluation._evaluated_frontier import EvaluatedFrontier, EvaluatedPoint
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation.comparison import Comparison, corrected_t_test, holm
from altsets.evaluation.evaluating import evaluate, evaluate_frontier
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
    "EvaluatedFrontier",
    "EvaluatedPoint",
    "Evaluation",
    "Fold",
    "Resample",
    "StabilityIndex",
    "Substitutions",
    "corrected_t_test",
    "evaluate",
    "evaluate_frontier",
    "holm",
    "lines_of",
    "shown",
    "similar_stability",
    "stability_index",
    "substitutions",
]
