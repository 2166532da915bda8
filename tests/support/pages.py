"""Parse p4warden's HTML pages, for tests."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "line", "rect", "circle", "path"}


class PageParser(HTMLParser):
    """Parser of an HTML page that collects elements, attributes, ids, links and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self._parts: list[str] = []
        self._open_tags: list[str] = []
        self.feed(text)
        assert self._open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._parts.append("" if tag == "span" else " ")
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in _VOID:
            self._open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in _VOID or self._open_tags.pop() == tag
        self._parts.append("" if tag == "span" else " ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open_tags.pop()

    def handle_data(self, data: str) -> None:
        self._parts.append(data)

    @property
    def text(self) -> str:
        """The text with single blanks; a `span` is a part of a word."""
        return " ".join("".join(self._parts).split())
