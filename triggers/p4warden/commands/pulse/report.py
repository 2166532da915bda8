from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import home_option, parsed_by, since_option, start_s, together
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.rate_notation import UNITS_NS
from p4warden.reports import terminal
from p4warden.reports.rows import lapse
from p4warden.workbench.pulse import measurements
from p4warden.workbench.pulse.measurements import Load, Measurement
from p4warden.workbench.pulse.rounds import TOTAL, totals
from p4warden.workbench.pulse.statistics import side_of, summarize, summarize_loads, week_of
from p4warden.workbench.pulse.tables import loads_table, sides_table, weeks_table
from p4warden.workbench.pulse.working_hours import days as days_of
from p4warden.workbench.pulse.working_hours import hours as hours_of
from p4warden.workbench.pulse.working_hours import is_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.workbench.pulse.statistics import LoadSummary, Summary
    from p4warden.workbench.pulse.working_hours import Hours

file_options = together(
    home_option,
    click.option(
        "--output",
        "log_file",
        metavar="FILE",
        help="The file of measurements; default: pulse.jsonl in the home folder.",
    ),
)

_TARGET = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)(ms|s|m)")


def log_path(home: str, log_file: str | None) -> Path:
    """Return the file of pulse measurements that `file_options` select."""
    return Path(log_file) if log_file else Path(home, measurements.FILE_NAME)


def _target_ns(text: str) -> int:
    match = _TARGET.fullmatch(text)
    target_ns = round(float(match[1]) * UNITS_NS[match[2]]) if match else 0
    if not target_ns:
        raise click.BadParameter(f"{text!r} is not a response time (write 4s, 1.5s or 500ms)")
    return target_ns


@click.command()
@file_options
@since_option
@click.option(
    "--changed",
    "changed_s",
    metavar="DAY",
    type=start_s,
    help="Compare the time before this day with the time from it on.",
)
@click.option("--hours", metavar="9-18", type=parsed_by(hours_of), help="Only within these hours.")
@click.option("--days", metavar="mon-fri", type=parsed_by(days_of), help="Only on these days.")
@click.option(
    "--target",
    "target_ns",
    metavar="4s",
    type=_target_ns,
    help="Show the share of measurements within it.",
)
@click.option("--server", metavar="PORT", help="Only this server, if the file has several.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def report(  # noqa: PLR0913 - an option each
    *,
    home: str,
    log_file: str | None,
    since_s: float,
    changed_s: float | None,
    hours: Hours | None,
    days: frozenset[int] | None,
    target_ns: int | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Show average, median, maximum and minimum of each command and of all five, by week.

    With --changed also before and after a day, such as the first day of enforcing a rule. The
    figures do not show the cause of a difference.
    """
    beats = list(measurements.read(log_path(home, log_file)))
    of_server = _of_one_server([one for one in beats if one and one.time_s >= since_s], server)
    measured = [one for one in of_server if isinstance(one, Measurement)]
    selected_beats = [
        beat for beat in [*measured, *totals(measured)] if is_within(beat.time_s, hours, days)
    ]
    counted = (one for one in of_server if isinstance(one, Load))
    loads = summarize_loads(
        (load for load in counted if is_within(load.time_s, hours, days)), week_of
    )
    weeks = summarize(selected_beats, week_of, target_ns)
    sides = [] if changed_s is None else summarize(selected_beats, side_of(changed_s), target_ns)
    facts = list(_facts(selected_beats, sum(beat is None for beat in beats), target_ns))
    if as_json:
        parts: dict[str, list[Summary] | list[LoadSummary]]
        parts = {"weeks": weeks, "sides": sides, "running": loads}
        click.echo(json.dumps({n: [s._asdict() for s in p] for n, p in parts.items()}, indent=1))
    else:
        tables = [sides_table(sides, target_ns)] if sides else []
        terminal.show(
            facts,
            [*tables, weeks_table(weeks, target_ns), loads_table(loads)],
            "--json has all",
        )


def _of_one_server(
    beats: list[Measurement | Load], server: str | None
) -> list[Measurement | Load]:
    """Return the pulse measurements of one server; those of several servers are never combined."""
    servers = sorted({beat.server for beat in beats})
    if server is None and len(servers) > 1:
        raise P4WardenError(
            f"there are measurements of {', '.join(servers)}; choose with --server"
        )
    return [beat for beat in beats if server in (None, beat.server)]


def _facts(
    selected_beats: list[Measurement], bad_lines: int, target_ns: int | None
) -> Iterator[str]:
    single = [beat for beat in selected_beats if beat.command != TOTAL]
    yield f"{amount(len(single), 'measurement')} of {single[0].server if single else 'no server'}"
    failures = sum(beat.error is not None for beat in single)
    if failures:
        example = next(beat.error for beat in single if beat.error)
        yield f"{failures:,} of them failed, for example: {example}"
    if bad_lines:
        relation = "that is not a measurement" if bad_lines == 1 else "that are not measurements"
        yield f"{amount(bad_lines, 'line')} skipped {relation}"
    of_five = summarize(
        (beat for beat in selected_beats if beat.command == TOTAL), lambda _: "", target_ns
    )
    for total in of_five:
        if total.within_percent is not None:
            rounds = total.runs + total.failed
            share = f"{total.within_percent:.1f}% of {rounds:,} rounds of all five commands"
            yield f"{share} took {lapse(target_ns)} or less"
