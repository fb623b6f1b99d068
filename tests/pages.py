"""Documents for the page module, made up, and the smallest file around one."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror=window.hacked=3>",
    "\u202eright to left\u2067 without an end",
    "x" * 10_000,
    "two words " * 1_000,
    '=cmd|" /C calc"!A0',
    "& &amp; &lt; \"quotes\" 'single' `ticks` ${window.hacked = 4}",
    "{{ 7 * 7 }} \u2028 \u2029 \x00 \ud83d\ude00",
    "",
)


def module_text():
    return files("altsets.report").joinpath("page", "altsets.js").read_text(encoding="utf-8")


def escaped(document):
    text = json.dumps(document)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def file_of(document, path, *, static="<p>The static content.</p>", attributes="", embedded_json=None):
    """Write a page with a document and the module inside, under a strict policy; returns its path."""
    module = module_text()
    digest = base64.b64encode(hashlib.sha256(module.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; img-src data:"
    content = escaped(document) if embedded_json is None else embedded_json
    path.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"></head>\n<body>'
        f'<altsets-page {attributes}><script type="application/json">{content}</script>{static}</altsets-page>'
        f'<script type="module">{module}</script></body></html>\n',
        encoding="utf-8",
    )
    return path
