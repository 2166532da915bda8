from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.workbench.audit.figures import NUMBER, Column, Figures, Source
from p4warden.workbench.logs.run_time_shares import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from p4warden.workbench.audit.figures import Value
    from p4warden.workbench.logs.run_time_shares import RunTime

DEFAULT_POLICY = "default"
_MOST = 20
_COMMAND = Column("command", "Command")
_COMMANDS = (
    _COMMAND,
    Column("requests", "Times", NUMBER),
    Column("unknown", "Without estimate", NUMBER),
    Column("estimated_rows", "Estimated rows", NUMBER, "-"),
    Column("with_rows", "With rows", NUMBER),
    Column("logged_rows", "Rows", NUMBER, "-"),
    Column("ratio", "Ratio", NUMBER, "-"),
)
_SHARES = (
    Column("part", "Share"),
    Column("lapse_s", "Run time in s", NUMBER),
    Column("requests", "Times", NUMBER),
    Column("waited_s", "Waits in s", NUMBER),
    Column("rows", "Rows", NUMBER, "-"),
    Column("form", "Command and form"),
    Column("program", "Program"),
    Column("stopped", "Would be stopped"),
)
_SINGLE = (
    _COMMAND,
    Column("args", "Arguments"),
    Column("user", "User"),
    Column("program", "Program"),
    Column("line", "Line of the log", NUMBER),
    Column("estimate", "Estimate", NUMBER),
    Column("rows", "Rows", NUMBER),
)


class LoggedCommands(NamedTuple):
    files: Sequence[str]
    from_s: float | None  # seconds since the epoch
    until_s: float | None
    commands: dict[str, Any]  # in the JSON format of `p4warden-log replay`
    run_time: RunTime  # with what rules of `DEFAULT_POLICY` would stop


def log_tables(log: LoggedCommands | None) -> Iterator[Figures]:
    """Yield the tables about p4d's log; none if no log was given."""
    if log is None:
        return
    yield _shares(log)
    source = Source(("p4d's log", "db.revhx", "db.revdx", "db.rev"), log.from_s, log.until_s)
    yield _commands(log, source)
    yield _single("by_estimate", "Commands with the highest estimates", "estimate", log, source)
    yield _single("by_rows", "Commands that read most rows", "rows", log, source)


def _shares(log: LoggedCommands) -> Figures:
    return Figures(
        "run_time",
        "Run time of users' commands",
        "By the form of the command and its program. Waits: for locks. Would be stopped: the part "
        f"of the run time that rules of the policy {DEFAULT_POLICY} would refuse if enforced.",
        Source(("p4d's log",), log.from_s, log.until_s),
        _SHARES,
        [
            (
                percent(one.part),
                one.all.lapse_s,
                one.all.commands,
                one.all.waited_s,
                one.all.rows,
                one.form,
                one.program,
                one.stopped_text,
            )
            for one in log.run_time.shares[:_MOST]
        ],
    )


def _commands(log: LoggedCommands, source: Source) -> Figures:
    commands = [
        {
            **one,
            "command": name,
            "estimated_rows": one["estimated_rows"] if one["unknown"] < one["requests"] else None,
            "logged_rows": one["logged_rows"] if one["with_rows"] else None,
            "ratio": one["ratios"] and one["ratios"]["50"],
        }
        for name, one in log.commands.items()
    ]
    commands.sort(key=lambda one: -max(one["estimated_rows"] or 0, one["logged_rows"] or 0))
    return Figures(
        "commands",
        "Commands by estimated and by actual rows",
        "Estimates are made with the index of this checkpoint; rows are those in track lines "
        "(got and scanned). Ratio: the median of estimate / rows, of commands of 1,000 rows "
        "and more.",
        source,
        _COMMANDS,
        [_row(_COMMANDS, one) for one in commands],
    )


def _single(name: str, title: str, key: str, log: LoggedCommands, source: Source) -> Figures:
    commands = [
        {**value, "command": command}
        for command, one in log.commands.items()
        for value in one[name]
    ]
    commands.sort(key=lambda one: -(one[key] or 0))
    rows = [_row(_SINGLE, one) for one in commands[:_MOST]]
    return Figures(name, title, "", source, _SINGLE, rows)


def _row(columns: Sequence[Column], values: dict[str, Any]) -> Sequence[Value]:
    return [values[column.key] for column in columns]
