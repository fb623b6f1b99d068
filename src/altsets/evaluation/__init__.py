"""How well do the sets predict: cross-validation, paired comparison, stability, substitutions."""

from altsets.evaluation._comparison import Comparison, corrected_t_test
from altsets.evaluation._evaluate import evaluate
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Resample
from altsets.evaluation._stability import StabilityIndex, stability_index
from altsets.evaluation._substitution import Substitutions, substitutions

__all__ = [
    "Comparison",
    "Evaluation",
    "Fold",
    "Resample",
    "StabilityIndex",
    "Substitutions",
    "corrected_t_test",
    "evaluate",
    "stability_index",
    "substitutions",
]
