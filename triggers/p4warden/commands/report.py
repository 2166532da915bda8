"""`p4warden report`: what was refused, delayed, observed and what failed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from p4warden.commands.options import home_option, refuse_other_folder, since_option
from p4warden.home import active_policy, public_file
from p4warden.reports import exported, terminal
from p4warden.reports.figures import Figures, gather
from p4warden.reports.page import report_page
from p4warden.reports.reading import Reading
from p4warden.reports.rows import moment, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE_MODE = 0o600
"""It names people."""


@click.command()
@home_option
@since_option
@click.option("--html", "page_file", metavar="FILE", help="Write one page with charts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("--csv", "as_csv", is_flag=True, help="A line a day, rule, verdict and user.")
def report(
    home: str, since_s: float, page_file: str | None, *, as_json: bool, as_csv: bool
) -> None:
    """Say what was refused, delayed, observed and what failed, from the decision log.

    Rotated logs are read as well, compressed or not, and what the gate has counted and not told
    the log yet is added. Run it as p4d's account. The page is one file without a script; it names
    people, and only this account can read it.
    """
    refuse_other_folder(home)
    reading = Reading(home, since_s, time.time())
    figures = gather(reading.decisions(), _day)
    if as_json:
        click.echo(exported.to_json(figures, reading.facts()))
    elif as_csv:
        click.echo(exported.to_csv(figures), nl=False)
    else:
        _show(figures, [*_span(figures), *reading.lines()], home, page_file)


def _show(figures: Figures, lines: list[str], home: str, page_file: str | None) -> None:
    shown = tables(figures, active_policy.modes(home))
    if page_file is None:
        terminal.show(lines, shown)
    else:
        public_file.write(page_file, report_page(figures, shown, lines), PAGE_MODE)
        click.echo(page_file)


def _span(figures: Figures) -> Iterator[str]:
    if figures.last_s is None:
        yield "No decision was told of"
    else:
        yield f"Decisions from {moment(figures.first_s)} to {moment(figures.last_s)}"
    if figures.trials:
        yield f"{figures.trials:,} events of deploys that tried their triggers out are left out"


def _day(time_s: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time_s))
