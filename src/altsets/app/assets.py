"""The explorer's page as text: two modules and a style sheet joined, with the policy that allows nothing else."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

from altsets.report.render import hash_of, resource

#: Statements that make sense only where modules are files of their own.
IMPORTS = re.compile(r'^import \{[^}]*\} from "\./altsets\.js";\n', re.MULTILINE)
EXPORTS = re.compile(r"^export \{[^}]*\};\n", re.MULTILINE)


@cache
def module_text() -> str:
    """The explorer as one module, which also exports ``render`` for a widget of a notebook."""
    style = f"const STYLE_OF_EXPLORER = {json.dumps(_own('explorer.css'))};\n"
    return EXPORTS.sub("", resource("altsets.js")) + style + IMPORTS.sub("", _own("explorer.js"))


@cache
def page_text() -> str:
    """The page that a browser gets; the same for everybody."""
    parts = {"STYLE": resource("shell.css"), "MODULE": module_text()}
    return re.sub("(?<=>)(STYLE|MODULE)(?=<)", lambda found: parts[found[0]], _own("explorer.html"))


@cache
def content_policy() -> str:
    """What the page may do: run this module, use this style, and ask the server that it comes from."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{hash_of(module_text())}'",
            f"style-src '{hash_of(resource('shell.css'))}'",
            "img-src data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _own(name: str) -> str:
    return resources.files("altsets.app").joinpath("page").joinpath(name).read_text(encoding="utf-8")
