"""What "good" means: the quality of a feature set, from numbers or from a table."""

from altsets.quality._additive import Additive

__all__ = ["Additive"]
