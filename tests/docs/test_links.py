"""Links inside the documents lead somewhere: to a file that exists, and to a heading in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import DOCS, GUIDE, ROOT

#: Documents on the front of the repository; not all of them are part of a source distribution.
FRONT = [
    path
    for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT")
    if (path := ROOT / f"{name}.md").exists()
]
LINK = re.compile(r"(!?)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
INCLUDED = re.compile(r"\{(?:literalinclude|include|figure)\}\s+(\S+)|^:file:\s+(\S+)", flags=re.MULTILINE)


def without_code(text):
    """A document without code, in which brackets mean something else."""
    text = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "code", text)


def anchors_of(path):
    """The anchors of the headings of a document, as both GitHub and MyST make them."""
    prose = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#{1,6} (.+)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def faults_of(page, text):
    """What is wrong with the links of a page."""
    targets = [target for _, target in LINK.findall(without_code(text))]
    targets += [one or other for one, other in INCLUDED.findall(text)]
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        path = page if not place else (page.parent / place).resolve()
        if not path.exists():
            yield f"{target}: there is no such file"
        elif anchor and anchor not in anchors_of(path):
            yield f"{target}: there is no such heading"


@pytest.mark.parametrize(
    "page", [*GUIDE, *FRONT], ids=lambda page: page.relative_to(ROOT).with_suffix("").as_posix()
)
def test_links_lead_somewhere(page):
    assert [*faults_of(page, page.read_text(encoding="utf-8"))] == []


def test_every_image_is_shown():
    shown = "".join(path.read_text(encoding="utf-8") for path in [*GUIDE, *FRONT])
    plots = [path.name for path in (DOCS / "images").glob("*.png") if "_report_" not in path.name]
    assert [name for name in plots if name not in shown] == []


BROKEN = """
# A page

[good](test_links.py), [good](#a-page), [elsewhere](https://example.org), `[code](nowhere.md)`

[bad](nowhere.md) and [bad](#nothing)

![bad](nowhere.png)

```python
x = [0](1)
```
"""


def test_broken_links_are_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(BROKEN, encoding="utf-8")
    Path(tmp_path / "test_links.py").touch()
    assert [*faults_of(page, BROKEN)] == [
        "nowhere.md: there is no such file",
        "#nothing: there is no such heading",
        "nowhere.png: there is no such file",
    ]
