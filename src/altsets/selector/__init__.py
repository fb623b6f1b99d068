"""The scikit-learn way in: selectors that find several sets and keep the columns of one of them.

A thin shell: the table is brought into form, its columns are scored, the sets are searched, and the answer is put into
attributes.
"""

from altsets.selector._alternatives import SelectAlternatives, selector_for
from altsets.selector._answers import (
    Alternative,
    RowData,
    check_request,
    columns_of,
    fitting,
    groups_of,
    refuse_in_passes,
    refuse_numbered,
    request_of,
    rows_of,
    scored,
    table_and_target,
    warn_of_size,
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
    "check_request",
    "columns_of",
    "fitting",
    "groups_of",
    "reduced",
    "refuse_in_passes",
    "refuse_numbered",
    "refuse_too_few",
    "refuse_unknown_noise",
    "request_of",
    "rows_of",
    "scored",
    "selector_for",
    "table_and_target",
    "warn_of_size",
]
