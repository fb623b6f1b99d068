"""What "good" means: the quality of a feature set, from numbers or from a table.

=================  =================================================================================
:class:`Additive`  sum of the scores of its features
:class:`FCBF`      the same, but features that outdo each other's relevance exclude each other
:class:`MRMR`      mean relevance minus mean redundancy
:class:`CFS`       relevance divided by redundancy
=================  =================================================================================

:class:`Quality` is what all of them offer, :class:`Form` what engines read.
"""

from altsets.quality._additive import Additive
from altsets.quality._cfs import CFS
from altsets.quality._fcbf import FCBF
from altsets.quality._form import Form
from altsets.quality._mrmr import MRMR
from altsets.quality._quality import Quality

__all__ = ["CFS", "FCBF", "MRMR", "Additive", "Form", "Quality"]
