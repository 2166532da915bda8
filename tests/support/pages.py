"""Parse p4warden's HTML pages, and render them in a headless browser, for tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium")
_VOID = {"meta", "line", "rect", "circle", "path"}


class PageParser(HTMLParser):
    """Parser of an HTML page that collects names of elements and attributes, ids and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.words: list[str] = []
        self._open_tags: list[str] = []
        self.feed(text)
        assert self._open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in _VOID:
            self._open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in _VOID or self._open_tags.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open_tags.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)


_MEASURE = """<script>
const top_ = document.documentElement, charts = [...document.querySelectorAll('svg')];
const drawn = charts.filter(s => s.getBoundingClientRect().height > 20).length;
parent.postMessage([+name, top_.scrollWidth <= top_.clientWidth, drawn], '*');
</script></body>"""
_FRAMES = """<script>
const found = []; onmessage = e => { found.push(e.data); document.title = JSON.stringify(found); };
</script>
"""


def shown_at(widths: tuple[int, ...], page: str, folder: Path) -> dict[int, tuple[bool, int]]:
    """Return by width in pixels whether the page fits, and how many of its charts are drawn.

    The page is shown in frames of these widths, because a browser window cannot be as narrow as a
    phone's.
    """
    text = page.replace("default-src 'none'", "")
    (folder / "inner.html").write_text(text.replace("</body>", _MEASURE))
    frames = (f'<iframe name={w} src=inner.html style="width:{w}px"></iframe>' for w in widths)
    (folder / "outer.html").write_text(_FRAMES + "".join(frames))
    options = "--headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom".split()
    place = f"--user-data-dir={folder}/profile", (folder / "outer.html").as_uri()
    command = [CHROMIUM or "", *options, *place]
    process = subprocess.run(command, capture_output=True, check=True, timeout=60)
    results = re.search(r"<title>(.*?)</title>", process.stdout.decode())
    assert results, process.stderr.decode()
    return {
        width: (is_fitting, chart_count)
        for width, is_fitting, chart_count in json.loads(results[1])
    }
