from __future__ import annotations

import shlex
import time

import click

from p4warden.commands.options import home_option, refuse_other_folder, span_at_most
from p4warden.core.errors import P4WardenError
from p4warden.health import trigger_programs
from p4warden.history import local_time
from p4warden.history.record import record
from p4warden.home import leftovers, off_mark, own_program, trusted_files
from p4warden.home.account import owner_of

_RECORD_WAIT_S = 1.0
"""Short, because a command that hangs may hold the history's lock."""


@click.command()
@home_option
@click.option(
    "--for",
    "span_s",
    metavar="SPAN",
    type=span_at_most(7, "without --for the triggers stay off until p4warden on"),
    help="Switch on again after 30m, 2h, ..., 7d at most.",
)
@click.option("--reason", metavar="TEXT", help="The reason, for p4warden history and status.")
def off(home: str, span_s: int | None, reason: str | None) -> int:
    """Switch p4warden off: every trigger of this home allows everything from now on.

    The triggers table stays unchanged; `p4warden on` switches p4warden on again.

    With --for the triggers are on again after that time without a further command.

    Afterwards the programs of the trigger lines are started: p4d refuses the events of a line
    whose program is missing, whether p4warden is off or not. Then the exit code is 1.
    """
    refuse_other_folder(home)
    if span_s is not None and off_mark.is_uninstalled(home):
        raise P4WardenError(
            f"{home}: p4warden was uninstalled; its triggers already allow everything"
        )
    until_s = None if span_s is None else int(time.time()) + span_s
    _mark(home, until_s)
    of_home = f"--home {shlex.quote(home)}"
    on = f"p4warden on {of_home}"
    end = f"{on} switches them on again; p4warden off --for 2h {of_home} lets it end by itself."
    if until_s is not None:
        end = f"They are on again from {local_time.time_text(until_s)}, or after {on}."
    text = own_program.named_in(f"Off: the triggers of {home} allow everything. {end}")
    click.echo(text)
    record_switch(home, "off", message=reason, until_s=until_s)
    return _tell_start(home)


def _mark(home: str, until_s: int | None) -> None:
    try:
        off_mark.mark_off(home, until_s)
    except trusted_files.HomeError as error:
        raise P4WardenError(
            f"{error}; mend that and try again, or, for which {home} need not be writable,\n"
            f"{trigger_programs.way_without_lines(home)}"
        ) from error


def _tell_start(home: str) -> int:
    result = trigger_programs.start_shown(home)
    if result.unchecked:
        click.echo(f"Not checked here, whether p4d can start p4warden: {result.unchecked}.")
    if result.has_arguments:
        click.echo(
            "Except commands with over 128 KiB of arguments, for which p4d cannot start the line "
            f"that passes them. Take the lines out: {trigger_programs.take_out(home)}"
        )
    return tell_failure(home, result, "off does not help with all lines: ")


def tell_failure(home: str, result: trigger_programs.StartResult, lead: str = "") -> int:
    """Print what p4d does if it cannot start a program, and the ways out; return the exit code."""
    if result.failure is None:
        return 0
    click.echo(f"p4warden: {lead}{trigger_programs.ways_out(result.failure, home)}", err=True)
    return 1


def record_switch(
    home: str, action: str, *, message: str | None, until_s: int | None = None
) -> None:
    """Record `off` or `on` in the history; a failure only prints a warning."""
    try:
        with owner_of(home).acting():
            leftovers.remove(home)
            record(home, action, message=message, until_s=until_s, wait_s=_RECORD_WAIT_S)
    except (P4WardenError, OSError) as error:
        click.echo(f"warning: not recorded in the history: {error}", err=True)
