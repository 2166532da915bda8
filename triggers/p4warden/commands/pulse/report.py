"""`p4warden pulse report`: the measurements, week by week, and before and after a change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import since_option, start_s
from p4warden.commands.pulse.options import file_option, log_path
from p4warden.core.errors import P4WardenError
from p4warden.home import public_file
from p4warden.pulse import measurements
from p4warden.pulse.statistics import side_of, summarize, week_of
from p4warden.pulse.tables import pulse_page, sides_table, weeks_table
from p4warden.reports import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.pulse.measurements import Beat

PAGE_MODE = 0o644
"""It names a server, and no one."""


@click.command()
@file_option
@since_option
@click.option(
    "--changed", "changed_s", metavar="DAY", callback=start_s, help="Compare both sides."
)
@click.option("--server", metavar="PORT", help="Where the log has several: of this one alone.")
@click.option("--html", "page_file", metavar="FILE", help="Write one page with charts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def report(  # noqa: PLR0913 - an option each
    *,
    home: str,
    log_file: str | None,
    since_s: float,
    changed_s: float | None,
    server: str | None,
    page_file: str | None,
    as_json: bool,
) -> None:
    """Show average, median, maximum and minimum of each command, by week.

    With --changed also before and after a day, such as the one on which a rule was enforced. What
    made the difference is not in these figures.
    """
    found = list(measurements.read(log_path(home, log_file)))
    known = [beat for beat in found if beat and beat.time_s >= since_s]
    chosen = _of_one_server(known, server)
    weeks = summarize(chosen, week_of)
    sides = summarize(chosen, side_of(changed_s)) if changed_s is not None else []
    facts = list(_facts(chosen, sum(beat is None for beat in found)))
    if as_json:
        parts = {"weeks": weeks, "sides": sides}
        click.echo(json.dumps({n: [s._asdict() for s in p] for n, p in parts.items()}, indent=1))
    elif page_file:
        public_file.write(page_file, pulse_page(weeks, sides, facts), PAGE_MODE)
        click.echo(page_file)
    else:
        terminal.show(facts, [*([sides_table(sides)] if sides else []), weeks_table(weeks)])


def _of_one_server(known: list[Beat], server: str | None) -> list[Beat]:
    """Return the measurements of one server: those of two are not put together.

    Raises:
        P4WardenError: there are several, and none was chosen.
    """
    servers = sorted({beat.server for beat in known})
    if server is None and len(servers) > 1:
        raise P4WardenError(
            f"there are measurements of {', '.join(servers)}; choose with --server"
        )
    return [beat for beat in known if server in (None, beat.server)]


def _facts(chosen: list[Beat], bad_lines: int) -> Iterator[str]:
    yield f"{len(chosen):,} measurements of {chosen[0].server if chosen else 'no server'}"
    failed = sum(beat.error is not None for beat in chosen)
    if failed:
        yield f"{failed:,} of them failed, for example: {next(b.error for b in chosen if b.error)}"
    if bad_lines:
        yield f"{bad_lines:,} lines are no measurements and were passed over"
