"""The paper's study, reproduced: its data sets, methods and searches, and its tables and figures beside ours.

>>> from altsets_study import Settings
>>> Settings().seconds("mrmr", 10)
60.0
"""

from __future__ import annotations

from altsets_study.datasets import StudyTable
from altsets_study.design import Settings
from altsets_study.methods import Method
from altsets_study.run import Outcome, StudyProgress, reproduce
from altsets_study.store import Store

__all__ = ["Method", "Outcome", "Settings", "Store", "StudyProgress", "StudyTable", "reproduce"]
