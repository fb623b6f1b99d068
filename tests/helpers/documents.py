"""What documents show, run again: code in one block, what it prints in the next.

As a script it puts what is printed now into the documents, wherever that differs from what they show; all of them, or
those that are named::

    python tests/helpers/documents.py [PAGE_OR_SCRIPT ...]
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import sklearn.linear_model  # noqa: F401, loaded before threads are limited, which works on what is loaded
from threadpoolctl import threadpool_limits

from altsets import cli

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
#: Folders with pages; those of the reference that Sphinx writes itself are not among them.
FOLDERS = (".", "start", "decide", "howto", "tutorials", "explain", "reference", "internals", "reproduction")
GUIDE = sorted(page for folder in FOLDERS for page in (DOCS / folder).glob("*.md"))
#: Scripts; what each prints is in a text file of the same name.
EXAMPLES = sorted(DOCS.glob("examples/*.py"))

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """Code or a command in a document, what it is said to print, and between which characters that stands."""

    code: str
    output: str = ""
    place: tuple[int, int] | None = None
    is_command: bool = False


@dataclass
class Session:
    """A reader who types in a page from top to bottom: names and files stay for what comes next."""

    folder: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})

    def print_of(self, shown: Shown) -> str:
        """What it prints, as plain text of 80 columns."""
        printed, complaints = io.StringIO(), io.StringIO()
        with (
            # For small models, threads that wait for each other take most of the time.
            threadpool_limits(1),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(complaints),
            mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        ):
            if shown.is_command:
                self._command(shown.code)
            else:
                exec(compile(shown.code, "<page>", "exec"), self.names)
        # How far it is, after each ten seconds, is said on slow machines only.
        said = re.sub(r"^\[\d+ s\] .*\n", "", complaints.getvalue(), flags=re.MULTILINE)
        return said + printed.getvalue()

    def _command(self, line: str) -> None:
        prompt, *arguments = shlex.split(line)
        assert (prompt, arguments[0]) == ("$", "altsets"), f"only altsets is run, not {line!r}"
        with mock.patch.object(sys, "argv", arguments), contextlib.suppress(SystemExit):
            cli.main()


def shown_in(text: str) -> list[Shown]:
    """All that a document shows: python blocks, each with the text block after it if there is one, and commands."""
    found: list[Shown] = []
    for match in FENCED.finditer(text):
        language, content = match.groups()
        if language == "python":
            found.append(Shown(content))
        elif language == "text":
            fits = found and found[-1].place is None
            assert fits, f"nothing prints this: {content[:60]!r}"
            found[-1] = Shown(found[-1].code, content, match.span(2))
        elif language == "console":
            command, _, output = content.partition("\n")
            place = (match.start(2) + len(command) + 1, match.end(2))
            found.append(Shown(command, output, place, is_command=True))
    return found


def comparable(text: str) -> list[str]:
    """Without what differs from run to run: elapsed times, where lines break around them, and padding."""
    text = re.sub(r"\bin\s+\d+(\.\d+)?\s+m?s\b", "in TIME", text)
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text.strip())]


def renewed(text: str, folder: Path) -> str:
    """A document with what is printed now."""
    session = Session(folder)
    parts, end = [], 0
    for shown in shown_in(text):
        printed = session.print_of(shown)
        if comparable(printed) == comparable(shown.output):
            continue
        assert shown.place is not None, f"this prints, so a text block must follow:\n{shown.code}"
        parts += [text[end : shown.place[0]], _without_padding(printed)]
        end = shown.place[1]
    return "".join([*parts, text[end:]])


def main(names: list[str]) -> None:
    """Renew the pages, and what the examples print; without names all of them."""
    chosen = {Path(name).resolve() for name in names} or {*GUIDE, *EXAMPLES}
    for page in filter(chosen.__contains__, GUIDE):
        with tempfile.TemporaryDirectory() as folder:
            _write(page, renewed(page.read_text(encoding="utf-8"), Path(folder)))
    for script in filter(chosen.__contains__, EXAMPLES):
        with tempfile.TemporaryDirectory() as folder:
            printed = Session(Path(folder)).print_of(Shown(script.read_text(encoding="utf-8")))
        old = output_of(script)
        if not old.exists() or comparable(old.read_text(encoding="utf-8")) != comparable(printed):
            _write(old, _without_padding(printed))


def output_of(script: Path) -> Path:
    """The file with what an example prints."""
    return script.with_suffix(".txt")


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"renewed {path.relative_to(ROOT)}")


def _without_padding(printed: str) -> str:
    return "\n".join(line.rstrip() for line in printed.rstrip().splitlines()) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
