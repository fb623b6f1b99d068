"""Plot-ready data: each function takes an answer and returns one small record, drawn by plots and by the report page.

Nothing is drawn here and nothing is random; what is left out to keep a plot readable is said in a note.
"""

from altsets.views._frontier import curve_over_size, curve_over_tau, heat, scores_along
from altsets.views._records import (
    Bars,
    CurveLine,
    CurveMark,
    CurvePoint,
    Curves,
    FeatureStability,
    Grid,
    Membership,
    ReferenceLine,
)
from altsets.views._sets import (
    likeness,
    membership,
    near_best_frequencies,
    overlaps,
    predictive_scores,
    qualities,
    stability,
    stand_ins,
)

__all__ = [
    "Bars",
    "CurveLine",
    "CurveMark",
    "CurvePoint",
    "Curves",
    "FeatureStability",
    "Grid",
    "Membership",
    "ReferenceLine",
    "curve_over_size",
    "curve_over_tau",
    "heat",
    "likeness",
    "membership",
    "near_best_frequencies",
    "overlaps",
    "predictive_scores",
    "qualities",
    "scores_along",
    "stability",
    "stand_ins",
]
