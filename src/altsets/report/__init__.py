"""Reports: answers summarised in a document, and the document rendered as one HTML file."""

from altsets.report.summarise import summarise, write_report

__all__ = ["summarise", "write_report"]
