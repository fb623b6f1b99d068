"""All sets at once, largest minimum."""
from altsets.search.simultaneous_sum import largest_sum
def largest_minimum(quality, problem, candidates, run):
    from altsets.search.milp import _simultaneous
    return _simultaneous(quality, problem, candidates, run)
