"""Pages of one file each; all text is escaped here or in `charts`.

In addition a page's content policy prevents scripts and external resources.
"""

from __future__ import annotations

from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from p4warden.reports.rows import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from p4warden.reports.rows import Table, Text

FIRST_ROWS = 20
MOST_ROWS = 5000
PRIVATE_PAGE_MODE = 0o600
"""Access rights of a page that contains people's names."""

_NARROW_COLUMNS = 6
"""Of a table that may stand beside another one."""

_UNBROKEN = 32
"""Characters of a row's first cell that are kept on one line."""


def page(title: str, lines: Iterable[str], sections: Iterable[str]) -> str:
    """Return a page; `lines` stand below the heading, as plain text."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    style = (resources.files("p4warden.reports") / "page.css").read_text("utf-8")
    head = "".join(f'<p class="soft">{escape(line)}</p>\n' for line in lines)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1>\n{head}</header>\n"
        f'<main class="cards">\n{"".join(sections)}</main>\n</body>\n</html>\n'
    )


def section(table: Table, chart: str = "") -> str:
    """Return a section of heading, note, chart and table."""
    wide = ' class="wide"' if not chart or len(table.columns) > _NARROW_COLUMNS else ""
    heading = f"<h2>{escape(table.title)}</h2>\n<p>{escape(table.note)}</p>\n"
    return f"<section{wide}>\n{heading}{chart}{_table(table)}</section>\n"


def _table(table: Table) -> str:
    if not table.rows:
        return '<p class="soft">Nothing.</p>\n'
    first, rest = table.rows[:FIRST_ROWS], table.rows[FIRST_ROWS:MOST_ROWS]
    parts = _scrolled(table, first)
    if rest:
        parts += (
            f"<details><summary>{len(rest):,} more</summary>{_scrolled(table, rest)}</details>\n"
        )
    hidden_rows = table.omitted_count + max(0, len(table.rows) - MOST_ROWS)
    return parts + (f'<p class="soft">And {hidden_rows:,} more.</p>\n' if hidden_rows else "")


def _scrolled(table: Table, rows: Sequence[Sequence[Text]]) -> str:
    head = "".join(_cell("th", i, name, table) for i, name in enumerate(table.columns))
    body = "".join(
        f"<tr>{''.join(_cell('td', i, cell, table) for i, cell in enumerate(row))}</tr>\n"
        for row in rows
    )
    # Let a table that is wider than a phone's screen scroll separately, with the keyboard too.
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _cell(tag: str, column: int, text: Text, table: Table) -> str:
    kind = ' class="number"' if column in table.numbers else ""
    if isinstance(text, Lines):
        kind = ' class="lines"'
    elif tag == "td" and column == 0 and not kind and len(str(text)) <= _UNBROKEN:
        kind = ' class="short"'
    scope = ' scope="col"' if tag == "th" else ""
    return f"<{tag}{scope}{kind}>{_inner(text)}</{tag}>"


def _inner(text: Text) -> str:
    if isinstance(text, Lines):
        return "".join(map(_line, text.split("\n")))
    if isinstance(text, str):
        return escape(text)
    names_text = escape(", ".join(text.frequent_names))
    if not text.other_names:
        return names_text
    rest = escape(", ".join(text.other_names))
    return (
        f"{names_text}<details><summary>{len(text.other_names):,} more</summary>{rest}</details>"
    )


def _line(line: str) -> str:
    """Wrap at blanks only: browsers break paths at hyphens. An indented line is a command."""
    words = " ".join(f"<span>{escape(word)}</span>" if word else "" for word in line.split(" "))
    kind = ' class="command"' if line.startswith(" ") else ""
    return f"<div{kind}>{words}</div>"
