"""The scikit-learn way in: selectors that find several sets and keep the columns of one of them.

A thin shell: the table is brought into form, :func:`quality_of` says what a good set is, :func:`search_for` searches,
and the answer is put into attributes.
"""

from altsets.selector._alternatives import SelectAlternatives, selector_for
from altsets.selector._answers import (
    Alternative,
    RowData,
    check_frontier,
    check_request,
    columns_of,
    frontier_for,
    groups_of,
    quality_of,
    refuse_in_passes,
    refuse_numbered,
    rows_of,
    scored,
    search_for,
    table_and_target,
)
from altsets.selector._column_selector import SelectFeatures
from altsets.selector._fallback import FallbackEstimator
from altsets.selector._reduced import reduced
from altsets.selector.noise import refuse_too_few, refuse_unknown_noise

__all__ = [
    "Alternative",
    "FallbackEstimator",
    "RowData",
    "SelectAlternatives",
    "SelectFeatures",
    "check_frontier",
    "check_request",
    "columns_of",
    "frontier_for",
    "groups_of",
    "quality_of",
    "reduced",
    "refuse_in_passes",
    "refuse_numbered",
    "refuse_too_few",
    "refuse_unknown_noise",
    "rows_of",
    "scored",
    "search_for",
    "selector_for",
    "table_and_target",
]
