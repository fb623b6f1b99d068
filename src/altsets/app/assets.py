"""The page of the explorer, with everything inline."""

from __future__ import annotations


def page_text() -> str:
    """The whole page; it is the same for every table."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>altsets</title><h1>altsets</h1></html>'
    )


def content_policy() -> str:
    """What the page may load and run: what is in it, and answers of its own server."""
    return (
        "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
