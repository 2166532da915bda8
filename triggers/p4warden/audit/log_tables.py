from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.audit.figures import NUMBER, Column, Figures, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.audit.figures import Value

_MOST = 20
_COMMAND = Column("command", "Command")
_ESTIMATE = Column("estimate", "Estimate", NUMBER)
_ROWS = Column("rows", "Rows", NUMBER)


class LoggedCommands(NamedTuple):
    from_s: float | None  # seconds since the epoch
    until_s: float | None
    commands: dict[str, Any]  # in the JSON format of `p4warden-log replay`


def log_tables(log: LoggedCommands | None) -> Iterator[Figures]:
    """Yield the tables about p4d's log; none if no log was given."""
    if log is None:
        return
    source = Source(("p4d's log", "db.revhx", "db.revdx", "db.rev"), log.from_s, log.until_s)
    yield _commands(log, source)
    yield _single("by_estimate", "Commands with the highest estimates", 5, log, source)
    yield _single("by_rows", "Commands that read most rows", 6, log, source)


def _commands(log: LoggedCommands, source: Source) -> Figures:
    rows: list[Sequence[Value]] = [
        (
            name,
            one["requests"],
            one["unknown"],
            one["estimated_rows"] if one["unknown"] < one["requests"] else None,
            one["with_rows"],
            one["logged_rows"] if one["with_rows"] else None,
            one["ratios"] and one["ratios"]["50"],
        )
        for name, one in log.commands.items()
    ]
    rows.sort(key=lambda row: -max(int(row[3] or 0), int(row[5] or 0)))  # type: ignore[arg-type]
    return Figures(
        "commands",
        "Commands by estimated and by actual rows",
        "Estimates are made with the index of this checkpoint; rows are those in track lines "
        "(got and scanned). Ratio: the median of estimate / rows, of commands of 1,000 rows "
        "and more.",
        source,
        (
            _COMMAND,
            Column("requests", "Times", NUMBER),
            Column("unknown", "Without estimate", NUMBER),
            Column("estimated_rows", "Estimated rows", NUMBER, "-"),
            Column("with_rows", "With rows", NUMBER),
            Column("logged_rows", "Rows", NUMBER, "-"),
            Column("ratio", "Ratio", NUMBER, "-"),
        ),
        rows,
    )


def _single(name: str, title: str, place: int, log: LoggedCommands, source: Source) -> Figures:
    rows: list[Sequence[Value]] = [
        (
            command,
            value["args"],
            value["user"],
            value["program"],
            value["line"],
            value["estimate"],
            value["rows"],
        )
        for command, one in log.commands.items()
        for value in one[name]
    ]
    rows.sort(key=lambda row: -int(row[place] or 0))  # type: ignore[arg-type]
    return Figures(
        name,
        title,
        "",
        source,
        (
            _COMMAND,
            Column("args", "Arguments"),
            Column("user", "User"),
            Column("program", "Program"),
            Column("line", "Line of the log", NUMBER),
            _ESTIMATE,
            _ROWS,
        ),
        rows[:_MOST],
    )
