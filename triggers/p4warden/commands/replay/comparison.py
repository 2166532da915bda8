from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.commands.replay.tables import add_row, new_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

QUANTILES = ("5", "25", "50", "75", "95")


def comparison_parts(estimates: dict[str, Any], top: int) -> Iterator[str | Table]:
    """Yield text and tables that compare estimated rows with the rows in p4d's log."""
    commands = estimates["commands"]
    yield "\nEstimates by the index, beside the rows in the track lines of the log:"
    if not commands:
        yield (
            "There is nothing to compare: the log contains none of the commands whose rows are "
            "estimated."
        )
        return
    yield _commands(commands)
    yield _forms(estimates["forms"][:top])
    yield _programs(estimates["programs"][:top])
    if any(one["ratios"] for one in commands.values()):
        yield "\nEstimate / rows of commands of 1,000 rows and more, quantiles in percent:"
        yield _ratios(commands)
    misses = [(name, miss) for name, one in commands.items() for miss in one["worst"]]
    if misses:
        yield "\nThe worst misses:"
        yield _misses(misses, top)


def _commands(commands: dict[str, Any]) -> Table:
    table = new_table("command", "requests", "unknown", "share", "compared")
    for name, one in commands.items():
        share = _share(one)
        add_row(table, name, one["requests"], one["unknown"], share, one["compared"])
    return table


def _forms(forms: list[dict[str, Any]]) -> Table:
    table = new_table("command and form", "requests", "unknown", "compared", "estimate", "rows")
    for one in forms:
        counts = [one[key] for key in ("requests", "unknown", "compared")]
        rows = [one["estimated_rows"], one["logged_rows"]] if one["compared"] else ["-", "-"]
        add_row(table, one["form"], *counts, *rows)
    return table


def _programs(programs: list[dict[str, Any]]) -> Table:
    table = new_table("program", "requests", "unknown", "share")
    for one in programs:
        add_row(table, one["program"] or "-", one["requests"], one["unknown"], _share(one))
    return table


def _ratios(commands: dict[str, Any]) -> Table:
    table = new_table("command", *QUANTILES)
    for name, one in commands.items():
        if one["ratios"]:
            add_row(table, name, *(f"{one['ratios'][percent]:.2f}" for percent in QUANTILES))
    return table


def _misses(misses: list[tuple[str, dict[str, Any]]], top: int) -> Table:
    table = new_table("command", "estimate", "rows", "line", "user", "program", "arguments")
    worst = sorted(misses, key=lambda miss: -abs(miss[1]["estimate"] - miss[1]["rows"]))
    for name, miss in worst[:top]:
        counts = miss["estimate"], miss["rows"], miss["line"]
        add_row(table, name, *counts, miss["user"], miss["program"], miss["args"])
    return table


def _share(one: dict[str, Any]) -> str:
    return f"{one['unknown'] / one['requests']:.0%}" if one["requests"] else "-"
