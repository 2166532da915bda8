from __future__ import annotations

import click

from p4warden.commands.off import record_switch, tell_failure
from p4warden.commands.options import home_option, refuse_other_folder
from p4warden.health import trigger_programs
from p4warden.history import states, trail
from p4warden.home import off_mark, own_program, trusted_files, usable
from p4warden.home.account import owner_of


@click.command()
@home_option
@click.option("--reason", metavar="TEXT", help="The reason, for p4warden history.")
def on(home: str, reason: str | None) -> int:
    """Switch p4warden's triggers on again after `p4warden off`.

    Exit code: 1 if p4d cannot start the programs of the trigger lines.
    """
    refuse_other_folder(home)
    without_lines = off_mark.is_uninstalled(home) or _has_no_lines(home)
    was_off = trusted_files.has(home, off_mark.FILE_NAME)
    trusted_files.remove(home, off_mark.FILE_NAME)
    if without_lines:
        plan = own_program.named_in(f"p4warden deploy plan --home {home}")
        click.echo(
            "On, but the triggers table has no lines of this installation; to install them, run\n"
            f"  {plan}"
        )
    else:
        was_on = "" if was_off else "; p4warden was not off"
        click.echo(f"On: the triggers of {home} apply its policy{was_on}.")
    if was_off or not usable.is_read_only(home):
        record_switch(home, "on", message=reason)
    return tell_failure(home, trigger_programs.start_last_written(home))


def _has_no_lines(home: str) -> bool:
    try:
        with owner_of(home).acting():
            last = states.latest(trail.changes(home))
    except trusted_files.HomeError:
        return False
    return last is not None and last.lines is not None and not last.line_count
