"""Every page of the guide and every example prints what it is said to print, and the reference lists all there is."""

from __future__ import annotations

import re

import pytest
from documents import DOCS, EXAMPLES, GUIDE, ROOT, Session, Shown, comparable, output_of, renewed, shown_in

import altsets


def named(path):
    return path.relative_to(ROOT).as_posix()


#: Pages that have nothing to run.
WORDS_ONLY = {"docs/index.md", "docs/examples.md", "docs/jobs.md", "docs/guide/unusual_inputs.md"}


def test_nearly_every_page_shows_something_that_was_printed():
    assert {named(page) for page in GUIDE if not shown_in(page.read_text(encoding="utf-8"))} == WORDS_ONLY


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in GUIDE if named(page) not in WORDS_ONLY], ids=named)
def test_pages_show_what_is_printed(page, tmp_path):
    session = Session(tmp_path)
    for shown in shown_in(page.read_text(encoding="utf-8")):
        assert comparable(session.print_of(shown)) == comparable(shown.output), shown.code


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=named)
def test_examples_print_what_is_shown(script, tmp_path):
    code = script.read_text(encoding="utf-8")
    assert len(code.splitlines()) < 60
    printed = Session(tmp_path).print_of(Shown(code))
    assert comparable(printed) == comparable(output_of(script).read_text(encoding="utf-8"))


def test_there_are_six_examples_and_all_are_shown():
    page = (DOCS / "examples.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) == 6
    for script in EXAMPLES:
        assert f"examples/{script.name}" in page
        assert f"examples/{output_of(script).name}" in page


def test_every_page_is_in_the_contents():
    contents = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in [*GUIDE, *DOCS.glob("reference/*.rst")]:
        place = page.relative_to(DOCS).with_suffix("").as_posix()
        assert place == "index" or f"\n{place}\n" in contents, place


def test_the_reference_has_every_public_name():
    pages = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("reference/*.rst")}
    for name in altsets.__all__:
        if name in pages:
            assert f"automodule:: altsets.{name}\n   :members:" in pages[name]
        elif not name.startswith("_"):
            assert re.search(rf"auto(function|class):: {name}\n", pages["altsets"]), name


# --- The tests above can fail ------------------------------------------------------------------------

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
