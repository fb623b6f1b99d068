"""How well do the sets predict: cross-validation with a baseline, paired comparison, stability, substitutions."""

from altsets.evaluation._chance import AgainstBaseline
from altsets.evaluation._comparison import Comparison, corrected_t_test, holm
from altsets.evaluation._evaluate import evaluate
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Resample
from altsets.evaluation._stability import StabilityIndex, similar_stability, stability_index
from altsets.evaluation._substitution import Substitutions, substitutions

__all__ = [
    "AgainstBaseline",
    "Comparison",
    "Evaluation",
    "Fold",
    "Resample",
    "StabilityIndex",
    "Substitutions",
    "corrected_t_test",
    "evaluate",
    "holm",
    "similar_stability",
    "stability_index",
    "substitutions",
]
