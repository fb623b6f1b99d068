"""From the results of a study to its tables and figures, each with what the paper has printed beside it."""

from __future__ import annotations

from altsets.experiments.report.page import write_report

__all__ = ["write_report"]
