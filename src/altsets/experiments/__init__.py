"""The paper's study, reproduced: its data sets, methods and searches, and its tables and figures beside ours.

>>> from altsets.experiments import Settings
>>> Settings().seconds("mrmr", 10)
60.0
"""

from __future__ import annotations

from altsets.experiments.datasets import StudyTable
from altsets.experiments.design import Settings
from altsets.experiments.methods import Method
from altsets.experiments.run import Outcome, StudyProgress, reproduce
from altsets.experiments.store import Store

__all__ = ["Method", "Outcome", "Settings", "Store", "StudyProgress", "StudyTable", "reproduce"]
