"""How well do the sets predict: cross-validation with a baseline, paired comparison, stability, substitutions."""

from altsets.evaluation._along_frontier import evaluate_frontier
from altsets.evaluation._chance import AgainstBaseline
from altsets.evaluation._comparison import Comparison, corrected_t_test, holm, shown
from altsets.evaluation._evaluate import evaluate
from altsets.evaluation._evaluated_frontier import EvaluatedFrontier
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Resample
from altsets.evaluation._scores_along import EvaluatedPoint
from altsets.evaluation._stability import StabilityIndex, similar_stability, stability_index
from altsets.evaluation._substitution import Substitutions, substitutions

__all__ = [
    "AgainstBaseline",
    "Comparison",
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
    "shown",
    "similar_stability",
    "stability_index",
    "substitutions",
]
