"""Pages of one file each; all text is escaped here or in `charts`.

In addition a page's content policy prevents scripts and external resources.
"""

from __future__ import annotations

import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from p4warden.reports.figures import MOST_ROWS
from p4warden.reports.rows import Lines
from p4warden.reports.unbroken import HALF, PHONE, SCREEN, TABLET, least_width, whole, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from p4warden.reports.rows import Table, Text

FIRST_ROWS = 20
PRIVATE_PAGE_MODE = 0o600
"""Access rights of a page that contains people's names."""

_MOST_UNLISTED = 6
"""Sections of a page without a table of contents."""


def page(
    title: str, lines: Iterable[str], tables: Iterable[Table], charts: Mapping[str, str]
) -> str:
    """Return a page; `lines` stand below the heading, as plain text. `charts` are by table."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = "".join(f'<p class="soft">{words(line)}</p>\n' for line in lines)
    all_tables = list(tables)
    shown = [table for table in all_tables if table.rows]
    empty = [table for table in all_tables if not table.rows]
    sections = [_section(table, charts.get(table.name, "")) for table in shown]
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1>\n{head}{_contents(shown)}</header>\n"
        f'<main class="cards">\n{"".join(sections)}{_nothing(empty)}</main>\n</body>\n</html>\n'
    )


def _style() -> str:
    """Rows that need more than the width become records: below each other, with their headings."""
    folder = resources.files("p4warden.reports")
    style, records = ((folder / f"{name}.css").read_text("utf-8") for name in ("page", "records"))
    tables = [records.replace("TABLE", f".{kind}") for kind in ("records", "wide", "middle")]
    narrow = "".join(
        f"@media (width < {width}) {{\n{table}}}\n"
        for width, table in zip(("75rem", "52rem"), tables[1:], strict=True)
    )
    return f"{style}{tables[0]}{narrow}"


def _contents(tables: Sequence[Table]) -> str:
    if len(tables) <= _MOST_UNLISTED:
        return ""
    starts = [_start(table.title) for table in tables]
    items = (
        f'<li><a href="#{_id(table)}">'
        f"{words(start if starts.count(start) == 1 else table.title)}</a></li>\n"
        for table, start in zip(tables, starts, strict=True)
    )
    return f'<nav aria-label="Contents"><ul>\n{"".join(items)}</ul></nav>\n'


def _start(title: str) -> str:
    """Return a title to its first comma, colon or semicolon."""
    return re.split(r"[,;:] (?!\d)", title)[0]


def _nothing(tables: Sequence[Table]) -> str:
    """One line about all tables without rows, which unfolds their notes."""
    if not tables:
        return ""
    titles = escape("; ".join(table.title for table in tables))
    notes = "".join(
        f"<li>{words(f'{table.title}: {table.note}')}</li>\n" for table in tables if table.note
    )
    return (
        f'<section class="wide">\n<details><summary>Nothing in: {titles}</summary>\n'
        f"<ul>\n{notes}</ul></details></section>\n"
    )


def _id(table: Table) -> str:
    return f"table-{escape(table.name)}"


def _section(table: Table, chart: str) -> str:
    width = least_width(table)
    wide = ' class="wide"' if not chart or width > HALF else ""
    heading = f"<h2>{escape(table.title)}</h2>\n<p>{words(table.note)}</p>\n"
    return f'<section{wide} id="{_id(table)}">\n{heading}{chart}{_rows(table, width)}</section>\n'


def _rows(table: Table, width: int) -> str:
    first, rest = table.rows[:FIRST_ROWS], table.rows[FIRST_ROWS:MOST_ROWS]
    parts = _grid(table, first, width)
    if rest:
        more = _grid(table, rest, width)
        parts += f"<details><summary>{len(rest):,} more</summary>{more}</details>\n"
    hidden_rows = table.omitted_count + max(0, len(table.rows) - MOST_ROWS)
    return parts + (f'<p class="soft">And {hidden_rows:,} more.</p>\n' if hidden_rows else "")


def _grid(table: Table, rows: Sequence[Sequence[Text]], width: int) -> str:
    kinds = ((SCREEN, "records"), (TABLET, "wide"), (PHONE, "middle"))
    kind = next((f' class="{kind}"' for least, kind in kinds if width > least), "")
    head = "".join(
        f'<th scope="col"{_kind(name, i, table)}>{escape(name)}</th>'
        for i, name in enumerate(table.columns)
    )
    body = "".join(f"<tr>{_cells(row, table)}</tr>\n" for row in rows)
    return f"<table{kind}><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"


def _cells(row: Sequence[Text], table: Table) -> str:
    return "".join(
        f'<td{_kind(text, i, table)} data-name="{escape(table.columns[i])}">{_inner(text)}</td>'
        for i, text in enumerate(row)
    )


def _kind(text: Text, column: int, table: Table) -> str:
    if isinstance(text, Lines):
        return ' class="lines"'
    return ' class="number"' if column in table.numbers else ""


def _inner(text: Text) -> str:
    if isinstance(text, Lines):
        return "".join(map(_line, text.split("\n")))
    if isinstance(text, str):
        return words(text)
    names_text = ", ".join(map(whole, text.frequent_names))
    if not text.other_names:
        return names_text
    rest = ", ".join(map(whole, text.other_names))
    return f"{names_text}<details><summary>{text.other_count:,} more</summary>{rest}</details>"


def _line(line: str) -> str:
    """An indented line is a command."""
    kind = ' class="command"' if line.startswith(" ") else ""
    return f"<div{kind}>{words(line)}</div>"
