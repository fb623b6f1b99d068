"""From a document to one HTML file that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any

from altsets import __version__
from altsets.errors import MissingExtraError
from altsets.report.blocks import Block
from altsets.report.static import one_way, static_blocks

__all__ = ["GENERATOR", "fragment", "page", "require_jinja2"]

#: What the page says about who wrote it.
GENERATOR = "altsets"

#: Characters that would end a script, or a line of it, and what JSON has for them.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def require_jinja2() -> Any:
    """Jinja2, or one sentence on how to get it."""
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("a report", "jinja2", "report") from error
    return jinja2


def page(document: Block) -> str:
    """A whole HTML page with the document, the module that draws it, and the same in plain tables.

    Parameters
    ----------
    document : dict
        What :func:`altsets.report.summarise` has made.

    Examples
    --------
    >>> text = page({"schema": 1, "title": "<b>", "subtitle": "", "sections": []})
    >>> "<title>&lt;b&gt;</title>" in text
    True
    """
    style, module = _resource("shell.css"), _resource("altsets.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(module)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _rendered(
        "shell.html",
        document=document,
        style=style,
        module=module,
        policy=policy,
        generator=f"{GENERATOR} {__version__}",
    )


def fragment(document: Block) -> str:
    """A part of a page, for notebooks: the same element, with static content where scripts do not run."""
    return _rendered("fragment.html", document=document, module=_resource("altsets.js"))


def _rendered(template: str, *, document: Block, **values: Any) -> str:
    jinja2 = require_jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = [part | {"blocks": static_blocks(part["blocks"])} for part in document["sections"]]
    safe = {
        name: jinja2.utils.markupsafe.Markup(values.pop(name))
        for name in ("style", "module")
        if name in values
    }
    made: str = environment.get_template(template).render(
        title=one_way(document["title"]),
        subtitle=one_way(document["subtitle"]),
        sections=sections,
        json=jinja2.utils.markupsafe.Markup(embedded(document)),
        **safe,
        **values,
    )
    # Names may have half characters, which no file takes.
    return made.encode("utf-8", errors="replace").decode("utf-8")


def embedded(document: Block) -> str:
    """A document as JSON that can stand inside a script element.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(ESCAPES)


@cache
def _resource(name: str) -> str:
    return resources.files("altsets.report").joinpath("page").joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """What a content-security policy calls a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
