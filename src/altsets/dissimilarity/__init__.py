"""How different two sets are, for those who do not want to be fooled by names.

``"dice"`` and ``"jaccard"`` count the features that two sets share. The classes here look further: :class:`Matched`
through similarity (a feature that says the same as another one does not make a set different), :class:`Grouped` at
groups (sensors, pathways, pages of a questionnaire). Both are given as ``dissimilarity``.
"""

from altsets.dissimilarity._grouped import Grouped
from altsets.dissimilarity._matched import Matched

__all__ = ["Grouped", "Matched"]
