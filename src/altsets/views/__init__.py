"""What is to be seen in an answer, in numbers and names: drawn by plots and by the page of a report.

Each function takes an answer and returns one small record. Nothing is drawn here, nothing is random, and what is left
out to keep a picture readable is said in a note.
"""

from altsets.views._evaluation import predictive_scores, stability, stand_ins
from altsets.views._frontier import curve_over_size, curve_over_tau, heat
from altsets.views._near_best import near_best_frequencies
from altsets.views._result import likeness, membership, overlaps, qualities
from altsets.views._scores_along import scores_along
from altsets.views._shapes import (
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
