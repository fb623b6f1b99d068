"""Parts of report documents and of the pages made from them."""

from __future__ import annotations

from html.parser import HTMLParser


def section(document, identity):
    return next((part for part in document["sections"] if part["id"] == identity), None)


def block(document, identity):
    return next(
        (one for part in document["sections"] for one in part["blocks"] if one.get("id") == identity), None
    )


class Page(HTMLParser):
    """What is in a page: its elements, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.said, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self._inside = (tag, dict(attrs).get("type"))
            self.scripts.append((tag, dict(attrs).get("type"), ""))

    def handle_endtag(self, tag):
        if self._inside and tag == self._inside[0]:
            self._inside = None

    def handle_data(self, data):
        if self._inside:
            tag, kind, before = self.scripts[-1]
            self.scripts[-1] = (tag, kind, before + data)
        else:
            self.said.append(data)

    def script(self, tag, kind=None):
        return next(text for name, its_kind, text in self.scripts if (name, its_kind) == (tag, kind))
