"""Pages of one file each; all text is escaped here or in `charts`.

In addition a page's content policy prevents scripts and external resources.
"""

from __future__ import annotations

from html import escape
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

_STYLE = """
:root { color-scheme: light dark; --text: #1a1d21; --soft: #59626e; --back: #f6f7f9; --card: #fff;
  --edge: #d5d9df; --c0: #c2412d; --c1: #d9902f; --c2: #2f6fb0; --c3: #3d8f5f; --c4: #7d55a8;
  --c5: #8a929c; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #a2abb6; --back: #14171a;
  --card: #1d2125; --edge: #363c43; --c0: #ee7562; --c1: #edb45e; --c2: #6aa8e6; --c3: #69bd8b;
  --c4: #b08ddb; --c5: #99a2ad; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--back);
  color: var(--text); font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: .3rem 0; } h2 { font-size: 1.15rem; margin: 0 0 .3rem; }
p { margin: .2rem 0 .6rem; } .soft { color: var(--soft); font-size: .9rem; }
.cards { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
section { background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
  padding: 1rem; min-width: 0; }
.charts { display: grid; gap: 1rem; max-width: 70rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
section.wide { grid-column: 1 / -1; }
svg { display: block; width: 100%; max-width: 34rem; height: auto; }
svg text { fill: var(--text); font-size: 12px; }
.grid { stroke: var(--edge); stroke-width: 1; }
.mark { stroke: var(--text); stroke-width: 1; stroke-dasharray: 6 4; }
.line { fill: none; stroke-width: 2; }
.c0 { fill: var(--c0); background: var(--c0); } .s0 { stroke: var(--c0); }
.c1 { fill: var(--c1); background: var(--c1); } .s1 { stroke: var(--c1); }
.c2 { fill: var(--c2); background: var(--c2); } .s2 { stroke: var(--c2); }
.c3 { fill: var(--c3); background: var(--c3); } .s3 { stroke: var(--c3); }
.c4 { fill: var(--c4); background: var(--c4); } .s4 { stroke: var(--c4); }
.c5 { fill: var(--c5); background: var(--c5); } .s5 { stroke: var(--c5); }
.legend { list-style: none; margin: .4rem 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: .2rem .9rem; font-size: .85rem; }
.legend span { display: inline-block; width: .8em; height: .8em; margin-right: .35em;
  border-radius: .15em; }
summary { cursor: pointer; color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--edge);
  vertical-align: top; overflow-wrap: normal; white-space: pre-line; }
td { overflow-wrap: anywhere; min-width: 6rem; }
td:first-child, td:last-child { min-width: 8rem; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--card); }
th { color: var(--soft); font-weight: 600; }
@media (max-width: 40rem) { body { padding: .5rem; } section { padding: .7rem; }
  table { font-size: .8rem; } th, td { padding: .25rem .3rem; }
  td:first-child, td:last-child { min-width: 5rem; }
  section.wide td:last-child { min-width: 14rem; } }
td.lines { white-space: pre-wrap; } td.lines div { padding-left: 1.5em; text-indent: -1.5em; }
td.lines span, td.short { white-space: nowrap; }
.command { font-family: ui-monospace, monospace; font-size: .85em; margin-top: .3rem; }
@media print { td.lines span { white-space: normal; } .scroll { overflow-x: visible; } }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
  min-width: 0; }
"""


def page(title: str, lines: Iterable[str], sections: Iterable[str]) -> str:
    """Return a page; `lines` stand below the heading, as plain text."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = "".join(f'<p class="soft">{escape(line)}</p>\n' for line in lines)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
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
