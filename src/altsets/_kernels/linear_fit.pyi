from typing import Any

class FitState:
    slack: float
    # The terms are altsets.search.subset.kernel_call.FitTerms, or have the same attributes.
    def __init__(self, terms: Any, levels: int) -> None: ...
