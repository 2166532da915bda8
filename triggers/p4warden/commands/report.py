from __future__ import annotations

import datetime
import json
import math
import socket
import sys
import time
from typing import TYPE_CHECKING

import click

from p4warden.asking.tables import events
from p4warden.commands.facts_origin import server_address
from p4warden.commands.options import home_option, refuse_other_folder, since_option
from p4warden.core.plural import amount
from p4warden.core.printable import printable
from p4warden.health import budgets
from p4warden.history import trail
from p4warden.home import active_policy, allowances, public_file, usable
from p4warden.policy.summary import mode_of
from p4warden.reports import brief as brief_report
from p4warden.reports import export, terminal
from p4warden.reports.borrowed_exemptions import borrowed_exemptions
from p4warden.reports.counting import gather
from p4warden.reports.decision_reader import DecisionReader, refuse_unreadable
from p4warden.reports.home_tables import allowances_table, changes_table
from p4warden.reports.html import PRIVATE_PAGE_MODE
from p4warden.reports.page import report_page
from p4warden.reports.rows import moment, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.reports.brief import Stops
    from p4warden.reports.figures import Sums


_YESTERDAY = "yesterday"


def _day(text: str) -> str:
    if text == _YESTERDAY:
        today = datetime.date.today()  # noqa: DTZ011 - days are local
        return (today - datetime.timedelta(days=1)).isoformat()
    try:
        day = datetime.date.fromisoformat(text).isoformat()
        _bounds(day)
    except (ValueError, OverflowError, OSError) as error:
        raise click.BadParameter(f"{text} is not a day; write 2027-03-31") from error
    return day


@click.command()
@home_option
@since_option
@click.option("--day", type=_day, metavar="DAY", help="Only this day: 2027-03-31, or yesterday.")
@click.option(
    "--brief",
    is_flag=True,
    help="With --day: a few lines for a chat; with --json they are the text of one object.",
)
@click.option("--html", "page_file", metavar="FILE", help="Write one page with charts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="CSV: one line per day, rule, verdict and user."
)
def report(  # noqa: PLR0913 - one for each option
    home: str,
    since_s: float,
    day: str | None,
    page_file: str | None,
    *,
    brief: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show refusals, delays, observations and faults, from the decision log.

    Rotated logs are read as well, compressed or not, and decisions that the gate has counted but
    not yet written are included. Run it as p4d's account; no other can read the log. The page is
    one file without a script; it contains users' names, so only this account can read it.
    A timer can pass --brief to your chat, such as `--json | curl -d @- URL` for a webhook that
    takes `text`; p4warden sends it nowhere.
    """
    if day and since_s:
        raise click.UsageError("give either --day or --since")
    if brief and not day:
        raise click.UsageError("--brief is about a day: add --day yesterday, or --day 2027-03-31")
    refuse_other_folder(home)
    usable.refuse_other_owner(home)
    usable.refuse_unwritable(page_file)
    refuse_unreadable(home)
    span_s = _bounds(day) if day else (since_s, math.inf)
    reading = DecisionReader(home, span_s[0])
    if brief and day:
        stops = brief_report.gather(reading.lines(), _options(span_s))
        for problem in reading.problems:
            click.echo(f"note: {problem}", err=True)
        _show_brief(stops, day, server_address(home), as_json=as_json)
    elif as_json:
        sys.stdout.writelines(export.json_lines(reading, _options(span_s)))
    elif as_csv:
        export.write_csv(reading, _options(span_s), sys.stdout)
    else:
        _show(home, reading, span_s, page_file)


def _bounds(day: str) -> tuple[float, float]:
    """Return when a local day begins and ends, in seconds since the epoch."""
    midnight = datetime.datetime.fromisoformat(day)
    return midnight.timestamp(), (midnight + datetime.timedelta(days=1)).timestamp()


def _show_brief(stops: Stops, day: str, server: str | None, *, as_json: bool) -> None:
    server = server or "an unknown server"
    if as_json:
        click.echo(json.dumps(brief_report.document(stops, day, server)))
    else:
        click.echo(brief_report.text(stops, day, server), nl=False)


def _show(
    home: str, reading: DecisionReader, span_s: tuple[float, float], page_file: str | None
) -> None:
    figures = gather(reading.lines(), _options(span_s))
    running = active_policy.policy_if_any(home)
    rules = running.rules if running else ()
    modes = {rule.name: mode_of(rule) for rule in rules}
    suggesting = frozenset(rule.name for rule in rules if "form-out" in events(rule.rule))
    notes, borrowed = borrowed_exemptions(running, home, figures.exempt_uses)
    lines = [*_origin(home), *_span(figures.sums), *reading.remarks(figures.sums.bad_lines)]
    lines += [*_budgets(home, running), *notes]
    first_s, end_s = span_s
    changes = [change for change in trail.changes(home) if first_s <= change.time_s < end_s]
    report_tables = [
        *tables(figures, modes, suggesting),
        borrowed,
        allowances_table(allowances.known(home, time.time())),
        changes_table(changes),
    ]
    if page_file is None:
        terminal.show(lines, report_tables)
    else:
        public_file.write(page_file, report_page(figures, report_tables, lines), PRIVATE_PAGE_MODE)
        click.echo(page_file)


def _options(span_s: tuple[float, float]) -> list[str]:
    """Return a span as `p4warden-log count` takes it."""
    return [
        f"--{name}={time_s!r}" for name, time_s in zip(("since", "until"), span_s, strict=True)
    ]


def _origin(home: str) -> Iterator[str]:
    server = server_address(home)
    of = f"Server {printable(server)}, " if server else ""
    yield f"{of}home {home} on host {socket.gethostname()}; report made {moment(time.time())}"


def _budgets(home: str, running: Policy | None) -> Iterator[str]:
    if running:
        for place, note in budgets.notes(running, home):
            yield f"{running.rules[place].name}: {note}"


def _span(sums: Sums) -> Iterator[str]:
    if sums.last_s is None:
        yield "No decisions recorded"
    else:
        yield f"Decisions from {moment(sums.first_s)} to {moment(sums.last_s)}"
    if sums.trials:
        yield f"Not included: {amount(sums.trials, 'event')} of deployment tests"
