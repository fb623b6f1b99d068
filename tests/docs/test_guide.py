"""Every page and every example prints what it is said to print, and the reference lists every public name."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

import pytest
from documents import DOCS, EXAMPLES, GUIDE, ROOT, Session, Shown, comparable, output_of, renewed, shown_in

import altsets
from altsets import cli


def named(path):
    return path.relative_to(ROOT).as_posix()


#: Pages that have nothing to run, or whose scripts are run elsewhere.
WORDS_ONLY = {
    *(f"docs/{name}.md" for name in ("changelog", "citing", "faq", "when_not", "start/glossary")),
    *(f"docs/tutorials/{name}.md" for name in ("churn", "committee", "examples", "genes", "sensors")),
    "docs/howto/unusual_inputs.md",
    "docs/internals/search.md",
    "docs/reproduction/index.md",
}
#: Packages that only data sets of pages come from, by what is imported.
OPTIONAL = {"sksurv": "scikit-survival"}
#: Public by name, but not for users of the package.
NOT_FOR_USERS = {"errors.reason_of", "errors.warn_user"}


def test_nearly_every_page_shows_something_that_was_printed():
    assert {named(page) for page in GUIDE if not shown_in(page.read_text(encoding="utf-8"))} == WORDS_ONLY


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in GUIDE if named(page) not in WORDS_ONLY], ids=named)
def test_pages_show_what_is_printed(page, tmp_path):
    session = Session(tmp_path)
    for shown in shown_in(page.read_text(encoding="utf-8")):
        for package in OPTIONAL:
            if f"from {package}." in shown.code:
                pytest.importorskip(package, reason=f"the rest of {page.name} needs {OPTIONAL[package]}")
        assert comparable(session.print_of(shown)) == comparable(shown.output), shown.code


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=named)
def test_examples_print_what_is_shown(script, tmp_path):
    code = script.read_text(encoding="utf-8")
    assert len(code.splitlines()) < 60
    printed = Session(tmp_path).print_of(Shown(code))
    assert comparable(printed) == comparable(output_of(script).read_text(encoding="utf-8"))


def test_there_are_six_examples_and_all_are_shown():
    page = (DOCS / "tutorials" / "examples.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) == 6
    for script in EXAMPLES:
        assert f"../examples/{script.name}" in page
        assert f"../examples/{output_of(script).name}" in page


def test_every_page_is_in_the_contents():
    contents = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in [*GUIDE, *DOCS.glob("reference/*.rst")]:
        place = page.relative_to(DOCS).with_suffix("").as_posix()
        assert place == "index" or f"\n{place}\n" in contents, place


def listed_in_the_reference():
    """The objects that have a page of their own, by their full names."""
    module, listed, inside = "altsets", set(), False
    for line in (DOCS / "reference" / "index.rst").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)$", line):
            module = found[1]
        elif found := re.match(r"\.\. py:data:: (\w+)$", line) or (
            inside and re.match(r" {3}([\w.]+)$", line)
        ):
            listed.add(f"{module}.{found[1]}")
        if line and not line.startswith("   "):
            inside = line == ".. autosummary::"
    return listed


def test_the_reference_has_every_public_name():
    public = set()
    for name in altsets.__all__:
        thing = getattr(altsets, name)
        if isinstance(thing, ModuleType):
            public |= {f"{name}.{inner}" for inner in thing.__all__}
        elif not name.startswith("_"):
            public.add(name)
    assert {f"altsets.{name}" for name in public - NOT_FOR_USERS} <= listed_in_the_reference()


def test_the_reference_lists_nothing_else():
    for name in listed_in_the_reference():
        module, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(module), last), name


def test_every_option_of_the_command_line_is_in_the_reference():
    page = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    shown = {one.code for one in shown_in(page) if one.is_command}
    assert {f"$ altsets {name} --help-all" for name in cli.COMMANDS} <= shown


PAGE = """
```python
x = 1
```

```python
print(x + 1)
```

```text
3
```

```console
$ altsets --version
altsets 0
```
"""


def test_a_wrong_page_is_noticed_and_put_right(tmp_path):
    first, second, command = shown_in(PAGE)
    session = Session(tmp_path)
    assert session.print_of(first) == first.output == ""
    assert (session.print_of(second), second.output) == ("2\n", "3\n")
    assert session.print_of(command) == f"altsets {altsets.__version__}\n"
    right = PAGE.replace("3\n", "2\n").replace("altsets 0\n", f"altsets {altsets.__version__}\n")
    assert renewed(PAGE, tmp_path) == right


def test_output_that_nothing_prints_is_noticed():
    with pytest.raises(AssertionError, match="nothing prints this"):
        shown_in("```text\n1\n```\n")
