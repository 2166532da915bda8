"""Tables of an audit report with the source and time of their figures, for all its outputs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.time_spans import LATEST_S
from p4warden.core.visible import shown_lines
from p4warden.reports.rows import Lines, Table
from p4warden.workbench.census.verdicts import day_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT, NUMBER, DAY, LIST, LINES = "text", "number", "day", "list", "lines"

Value = str | int | float | tuple[str, ...] | None
"""A day is in seconds since the epoch."""


class Column(NamedTuple):
    key: str  # its name in JSON
    heading: str  # without one, the cells fill empty ones of the column before
    kind: str = TEXT  # `text`, `number`, `day`, `list` (on one line), `lines` (one each)
    unknown_text: str = "unknown"  # for None; a column of days shows `-`


class Source(NamedTuple):
    tables: tuple[str, ...]  # database tables, or `p4d's log`
    from_s: float | None = None  # seconds since the epoch
    until_s: float | None = None

    def text(self) -> str:
        """`Source: db.have; 2027-03-01 ...`."""
        times = [moment(one) for one in (self.from_s, self.until_s) if one is not None]
        return f"Source: {', '.join(self.tables)}{'; ' if times else ''}{' to '.join(times)}."

    def document(self) -> dict[str, Any]:
        times = {"time": iso(self.from_s)}
        if self.until_s is not None:
            times = {"from": iso(self.from_s), "until": iso(self.until_s)}
        return {"source": list(self.tables), **times}


class Figures(NamedTuple):
    name: str
    title: str
    note: str
    source: Source
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value]]
    omitted_count: int = 0


def text_table(figures: Figures) -> Table:
    """Convert a table to text cells, for the HTML page and the terminal."""
    columns = [column for column in figures.columns if column.heading]
    rows = [tuple(_cells(figures.columns, row)) for row in figures.rows]
    numbers = frozenset(i for i, one in enumerate(columns) if one.kind in (NUMBER, DAY))
    note = f"{figures.note} {figures.source.text()}".strip()
    headings = tuple(column.heading for column in columns)
    return Table(figures.name, figures.title, note, headings, rows, numbers, figures.omitted_count)


def document(figures: Figures) -> dict[str, Any]:
    """Convert a table to a JSON object; days become `YYYY-MM-DD`."""
    rows = [
        {
            column.key: _plain(column, value)
            for column, value in zip(figures.columns, row, strict=True)
        }
        for row in figures.rows
    ]
    return {**figures.source.document(), "left_out": figures.omitted_count, "rows": rows}


def day(seconds: float | None) -> str | None:
    """Convert epoch seconds to a local date, `YYYY-MM-DD`; None for None, 0 or out of range."""
    return day_of(seconds or None)


def moment(seconds: float) -> str:
    """Convert seconds since the epoch to local time with its zone: `2027-03-01 10:00 +0100`."""
    return time.strftime("%Y-%m-%d %H:%M %z", time.localtime(min(seconds, LATEST_S)))


def iso(seconds: float | None) -> str | None:
    """Convert seconds since the epoch to UTC, `2027-03-01T09:00:00Z`."""
    if seconds is None:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(seconds, LATEST_S)))


def _cells(columns: Sequence[Column], row: Sequence[Value]) -> list[str]:
    cells: list[str] = []
    for column, value in zip(columns, row, strict=True):
        text = _text(column, value)
        if column.heading:
            cells.append(text)
        elif not cells[-1]:
            cells[-1] = text
    return cells


def _text(column: Column, value: Value) -> str:
    if column.kind == DAY and not isinstance(value, (str, tuple)):
        return day(value) or "-"
    if value is None:
        return column.unknown_text
    if isinstance(value, tuple):
        if column.kind == LINES:
            return Lines(shown_lines("\n".join(value)))
        return shown_lines(", ".join(value))
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else shown_lines(value)


def _plain(column: Column, value: Value) -> Any:
    if column.kind == DAY and not isinstance(value, (str, tuple)):
        return day(value)
    return list(value) if isinstance(value, tuple) else value
