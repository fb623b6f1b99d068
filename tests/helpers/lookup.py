"""Cases and their outcomes as a table in which users look something up."""

from __future__ import annotations

import re
from collections.abc import Iterable


def table(cases: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of a section: what is accepted without a message in a list, the rest with its message.

    Inputs whose messages differ only in numbers and quoted values share a row.
    """
    accepted: list[str] = []
    inputs: dict[str, list[str]] = {}
    messages: dict[str, str] = {}
    for what, said in cases:
        if re.fullmatch(r"\*\*Answer\*\*: [^*]*", said):
            accepted.append(what)
            continue
        message = _message(said)
        pattern = re.sub(r"-?\d+(\.\d+)?|'[^']*'|\([^)]*\)|\btype \w+", "#", message)
        inputs.setdefault(pattern, []).append(what)
        messages.setdefault(pattern, message)
    lines = [f"Accepted: {'; '.join(accepted)}.", ""] if accepted else []
    if inputs:
        lines += ["| Input | Message |", "|---|---|"]
        lines += [f"| {'; '.join(inputs[pattern])} | {message} |" for pattern, message in messages.items()]
        lines.append("")
    return lines


def sentence_with(words: str, said: str) -> str:
    """Of several sentences, the one that has certain words; a refusal as it is."""
    if said.startswith("**"):
        return said
    sentences = re.split(r"(?<=\.) (?=[A-Z0-9]|set \d)", said)
    return next((sentence for sentence in sentences if words in sentence), said)


def _message(said: str) -> str:
    """The message alone; what still gives an answer says so."""
    if said.startswith("**Refused**: "):
        return said.removeprefix("**Refused**: ")
    if found := re.search(r"\*\*(Warning|Message|Note)\*\*: (.*)", said):
        return f"*{found[1]}*: {found[2]}"
    return f"*Answer*: {said.replace('**', '')}"
