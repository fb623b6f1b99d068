"""Where an answer comes from, and the lines that give it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from altsets.provenance import PACKAGES
from altsets.report.again import ended_by_clock, python_lines, shell_line
from altsets.report.blocks import Block, code, facts, section, text
from altsets.report.constructors import NotExpressed
from altsets.result import Result

__all__ = ["again_section", "origin_section"]

SPELLED = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}


def origin_section(provenance: Mapping[str, Any], result: Result | None) -> Block:
    """Data with their hash, versions, who computed it, when and how long it took."""
    data = provenance.get("data") or {}
    known = [name for name in ("altsets", "python", *PACKAGES) if name in provenance]
    versions = [f"{SPELLED.get(name, name)} {provenance[name]}" for name in known]
    items = [
        ("Table", str(data.get("file") or "")),
        ("SHA-256 of the file", str(data.get("file_sha256") or "")),
        ("SHA-256 of the data", str(data.get("sha256") or "")),
        ("SHA-256 of the scores", str(data.get("scores_sha256") or "")),
        ("Software", ", ".join(versions)),
        ("Search engine", f"{result.engine}: {result.proof}" if result and result.engine else ""),
        ("Random seed", "" if provenance.get("seed") is None else str(provenance["seed"])),
        ("Made", str(provenance.get("time") or "")),
        ("Time taken", _seconds(provenance, result)),
    ]
    return section("origin", "Where this comes from", [facts(items)])


def _seconds(provenance: Mapping[str, Any], result: Result | None) -> str:
    if provenance.get("seconds") is not None:
        search = f", {result.elapsed:.3g} s of it for the search" if result else ""
        return f"{provenance['seconds']:.3g} s in all{search}"
    return f"{result.elapsed:.3g} s for the search" if result else ""


def again_section(provenance: Mapping[str, Any], result: Result | None, names: Sequence[str] | None) -> Block:
    """Lines to copy; where there are none, why not."""
    blocks: list[Block | None] = []
    why = []
    try:
        line = shell_line(provenance)
        blocks.append(code("shell", line, "On the command line, in the folder in which it was first run"))
        if (provenance.get("options") or {}).get("TABLE") == "-":
            why.append("The table came from standard input, and must be given there again.")
    except NotExpressed as reason:
        why.append(f"There is no line for the shell: {reason}.")
    if result is not None:
        try:
            blocks.append(code("python", python_lines(result, names), "In Python"))
        except NotExpressed as reason:
            why.append(f"There are no lines for Python: {reason}.")
        if ended_by_clock(result):
            why.append("The search was ended before it was done, so it may end elsewhere the next time.")
    return section("again", "Do it again", [*blocks, text(*why, tone="note")])
