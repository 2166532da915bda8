from __future__ import annotations

import socket
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
from p4warden.history.local_time import local_day
from p4warden.home import active_policy, allowances, public_file, usable
from p4warden.policy.summary import mode_of
from p4warden.reports import export, terminal
from p4warden.reports.borrowed_exemptions import borrowed_exemptions
from p4warden.reports.decision_reader import DecisionReader, refuse_unreadable
from p4warden.reports.figures import Figures, gather
from p4warden.reports.home_tables import allowances_table, changes_table
from p4warden.reports.html import PRIVATE_PAGE_MODE
from p4warden.reports.page import report_page
from p4warden.reports.rows import moment, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.reports.rows import Table


@click.command()
@home_option
@since_option
@click.option("--html", "page_file", metavar="FILE", help="Write one page with charts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="CSV: one line per day, rule, verdict and user."
)
def report(
    home: str, since_s: float, page_file: str | None, *, as_json: bool, as_csv: bool
) -> None:
    """Show refusals, delays, observations and faults, from the decision log.

    Rotated logs are read as well, compressed or not, and decisions that the gate has counted but
    not yet written are included. Run it as p4d's account; no other can read the log. The page is
    one file without a script; it contains users' names, so only this account can read it.
    """
    refuse_other_folder(home)
    usable.refuse_other_owner(home)
    usable.refuse_unwritable(page_file)
    refuse_unreadable(home)
    reading = DecisionReader(home, since_s)
    figures = gather(reading.decisions(), local_day)
    if as_json:
        click.echo(export.to_json(figures, reading.facts()))
    elif as_csv:
        click.echo(export.to_csv(figures), nl=False)
    else:
        running = active_policy.policy_if_any(home)
        rules = running.rules if running else ()
        modes = {rule.name: mode_of(rule) for rule in rules}
        suggesting = frozenset(rule.name for rule in rules if "form-out" in events(rule.rule))
        notes, borrowed = borrowed_exemptions(running, home, figures.exempt_uses)
        lines = [*_origin(home), *_span(figures), *reading.lines()]
        lines += [*_budgets(home, running), *notes]
        changes = [change for change in trail.changes(home) if change.time_s >= since_s]
        report_tables = [
            *tables(figures, modes, suggesting),
            borrowed,
            allowances_table(allowances.known(home, time.time())),
            changes_table(changes),
        ]
        _show(figures, lines, report_tables, page_file)


def _show(
    figures: Figures, lines: list[str], report_tables: list[Table], page_file: str | None
) -> None:
    if page_file is None:
        terminal.show(lines, report_tables)
    else:
        public_file.write(page_file, report_page(figures, report_tables, lines), PRIVATE_PAGE_MODE)
        click.echo(page_file)


def _origin(home: str) -> Iterator[str]:
    server = server_address(home)
    of = f"Server {printable(server)}, " if server else ""
    yield f"{of}home {home} on host {socket.gethostname()}; report made {moment(time.time())}"


def _budgets(home: str, running: Policy | None) -> Iterator[str]:
    if running:
        for place, note in budgets.notes(running, home):
            yield f"{running.rules[place].name}: {note}"


def _span(figures: Figures) -> Iterator[str]:
    if figures.last_s is None:
        yield "No decisions recorded"
    else:
        yield f"Decisions from {moment(figures.first_s)} to {moment(figures.last_s)}"
    if figures.trials:
        yield f"Not included: {amount(figures.trials, 'event')} of deployment tests"
