from typing import Any

from altsets.arrays import Floats, Ints

# The records are those of altsets.search.subset.kernel_call, or have the same attributes.
def subset_search(
    request: Any,
    objective: Any,
    most: int,
    max_nodes: int,
) -> tuple[Ints, Floats, float, int]: ...
