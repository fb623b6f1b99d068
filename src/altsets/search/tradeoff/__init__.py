"""Quality against a second criterion: all feature sets of which none is better in both."""

from altsets.search.tradeoff.answer import Tradeoff, TradeoffPoint
from altsets.search.tradeoff.stepping import TradeoffProgress, tradeoff

__all__ = ["Tradeoff", "TradeoffPoint", "TradeoffProgress", "tradeoff"]
