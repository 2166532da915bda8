from __future__ import annotations

import contextlib
import hashlib
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.commands.deploy import consent, files, termination_signals, unwritable
from p4warden.commands.deploy.plan_output import full_option, note, show
from p4warden.commands.options import installation_options, message_option
from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.health import home_folder, trigger_programs
from p4warden.history import kept_files, states, trail
from p4warden.history.record import record
from p4warden.home import active_policy, locks, off_mark, own_program
from p4warden.home.trusted_files import HomeError
from p4warden.server import table_form
from p4warden.server.connection import Address, connected
from p4warden.server.deployment import Deployment, carry_out
from p4warden.server.firing import forget_the_last
from p4warden.server.questions import ask, server_id
from p4warden.table import instances
from p4warden.table.instances import Neighbour, neighbours
from p4warden.table.merge import Plan, merge
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    import P4

    from p4warden.health.trigger_programs import Unstartable
    from p4warden.table.merge import Owner


_OLDER_CONNECTIONS = "Connections that were opened earlier may still run the removed trigger lines"
_MARKED = (
    "; while {mark} exists, they allow everything. Keep this file and the programs until those "
    "connections are closed"
)


@click.command()
@installation_options
@message_option
@click.option(
    "--remove-files", is_flag=True, help="Remove p4warden's files from the home folder as well."
)
@consent.yes_option
@full_option
def uninstall(  # noqa: PLR0913 - one for each option
    port: str | None,
    user: str | None,
    home: str,
    message: str | None,
    *,
    remove_files: bool,
    yes: bool,
    full: bool,
) -> None:
    """Remove this installation's trigger lines, and prove that the rest of the table is unchanged.

    Everything to be removed is shown first, and confirmed. Lines of other tools stay unchanged,
    byte for byte. The home folder stays, with the log and the history in it, unless its files are
    to be removed as well. Connections that were opened earlier may still call the removed lines: a
    mark in the home folder makes them allow everything. Leave the folder and the programs in place
    until those connections are closed.
    """
    why_unwritable = unwritable.why(home)
    if why_unwritable and remove_files:
        raise P4WardenError(f"{why_unwritable}; leave out --remove-files")
    line_owner = instances.installed(home).owner
    with termination_signals.interrupt_on_termination(), connected(Address(port, user)) as p4:
        plan = merge(table_form.read_form(p4), (), line_owner)
        others = neighbours(plan.before, home)
        _refuse_another(home, plan, others)
        show(plan, full=full or bool(why_unwritable))
        is_own = _is_of_home(p4, home)
        file_names = _files_to_remove(p4, home, is_own=is_own) if remove_files else []
        click.echo(_removal_text(home, file_names))
        needs_consent = bool(plan.changes or file_names) and not yes
        if needs_consent and not consent.is_given(f"Apply these changes to {p4.port} and {home}?"):
            return
        failure = trigger_programs.start_those_in(home, plan.before).failure
        write = _write_all if why_unwritable is None else unwritable.write
        backup = write(p4, home, plan, message, is_own=is_own)
        if backup and not remove_files:
            click.echo(f"Backup of the old table: {backup}")
        proof = _proof(table_form.read_form(p4), plan, line_owner)
        if why_unwritable is None:
            forget_the_last(p4, home, note)
    click.echo(f"{p4.port}: {proof}")
    _tell_rest(home, others, None if is_own else p4.port)
    if remove_files:
        click.echo(_removed(home))
    unkept = f"{why_unwritable}: {unwritable.WHAT_IS_LOST}" if why_unwritable else None
    _tell_end(home, failure, unkept, is_last=remove_files, is_own=is_own)


def _files_to_remove(p4: P4.P4, home: str, *, is_own: bool) -> list[str]:
    if not is_own:
        raise P4WardenError(f"{_still_on(home, p4.port)}; leave out --remove-files")
    return files.own_file_names(home)


def _write_all(
    p4: P4.P4, home: str, plan: Plan, message: str | None, *, is_own: bool
) -> str | None:
    """Write the table if it changes, and mark the home; return the old table's backup."""
    if plan.changes:
        return (_write if is_own else _write_elsewhere)(p4, home, plan, message)
    if is_own and files.is_home(home):
        off_mark.mark_uninstalled(home)
    return None


def _tell_rest(home: str, others: Sequence[Neighbour], other_server: str | None) -> None:
    if other_server:
        click.echo(f"{_still_on(home, other_server)}.")
    if others:
        click.echo(
            f"Lines of other p4warden installations, unchanged: {', '.join(map(str, others))}"
        )


def _tell_end(
    home: str, failure: Unstartable | None, unkept: str | None, *, is_last: bool, is_own: bool
) -> None:
    """Say what was not kept, what the removed lines do on older connections, and what remains."""
    if unkept:
        note(unkept)
    if failure:
        until = "; it is so until they reconnect, or until the program starts again"
        click.echo(f"{_OLDER_CONNECTIONS}: {failure.problem}; {failure.effect}{until}.")
    elif off_mark.is_off(home, time.time_ns()):
        mark = f"{home}/{off_mark.FILE_NAME}"
        hint = "." if is_last else "; p4warden doctor lists their accounts."
        click.echo(own_program.named_in(_OLDER_CONNECTIONS + _MARKED.format(mark=mark) + hint))
    elif unkept:
        click.echo(f"{_OLDER_CONNECTIONS}, which judge as before, until they reconnect.")
    if is_own and Path(home).is_dir():
        click.echo(home_folder.removal(home, "After that"))


def _removed(home: str) -> str:
    if not Path(home).is_dir():
        return f"{home} does not exist; there were no files to remove"
    other_names = files.remove(home)
    remark = f"; other files, left in place: {', '.join(other_names)}" if other_names else ""
    return f"{home}: p4warden's files were removed{remark}"


def _removal_text(home: str, file_names: list[str]) -> str:
    if not file_names and not Path(home).is_dir():
        return f"No files are removed: {home} does not exist."
    if not file_names:
        return f"No files are removed from {home}; the policy, the log and the history stay."
    return f"Files to be removed from {home}: {', '.join(file_names)}"


def _refuse_another(home: str, plan: Plan, others: Sequence[Neighbour]) -> None:
    """Refuse an uninstallation that finds only trigger lines of other home folders.

    Raises:
        P4WardenError: the table has lines of other installations but none of this one, and the
            folder is no p4warden home or such a line has a name like this installation's lines.
    """
    is_unknown = plan.strangers or not files.is_home(home)
    if others and is_unknown and not plan.removed:
        raise P4WardenError(
            f"the triggers table has no lines of {home}; its p4warden lines belong to "
            f"{', '.join(map(str, others))}. {_removal_advice(others)}"
        )


def _removal_advice(others: Sequence[Neighbour]) -> str:
    home = others[0].home
    command = f"p4warden deploy uninstall --home {shlex.quote(home)}"
    likewise = "; likewise for the others" if len(others) > 1 else ""
    return f"To remove the lines of {home}: {command}{likewise}"


def _write(p4: P4.P4, home: str, plan: Plan, message: str | None) -> str | None:
    """Write the triggers table without this installation's lines; return the old table's backup.

    The backup is given by its path; None if there is no home folder to store it in.

    Raises:
        P4WardenError: the table changed in the meantime, or cannot be written.
    """
    table_form.refuse_changed(p4, plan)
    if not Path(home).is_dir():
        table_form.write_form(p4, plan.after)
        return None

    def mark() -> None:
        if files.is_home(home):
            off_mark.mark_uninstalled(home)

    line_owner = instances.installed(home).owner
    with locks.file_lock(home, locks.DEPLOY):
        deployment = Deployment(home, line_owner, plan, "uninstall", lambda: None, mark, message)
        return carry_out(p4, deployment)


def _write_elsewhere(p4: P4.P4, home: str, plan: Plan, message: str | None) -> str:
    table_form.refuse_changed(p4, plan)
    name = kept_files.keep_table(home, plan.before)
    table_form.write_form(p4, plan.after)
    note_text = "trigger lines removed from the table of another server"
    record(home, "servers", p4user=p4.user, server=p4.port, message=message, note=note_text)
    return f"{kept_files.folder(home)}/{kept_files.table_name(name)}"


def _is_of_home(p4: P4.P4, home: str) -> bool:
    """Tell whether the triggers of this server use the home folder, as far as the history knows.

    The server is known by its address, or by its id if the address is written in another way.
    """
    changes = []
    with contextlib.suppress(HomeError):
        changes = trail.changes(home)
    written = [one.server for one in states.settled_changes(changes) if one.server]
    if not written or p4.port in written[-1:]:
        return True
    facts = active_policy.facts_if_any(home)
    known_id = facts.server_id if facts else None
    return known_id is not None and known_id == server_id(ask(p4, "info")[0])


def _still_on(home: str, server: str) -> str:
    return f"{home} belongs to another server than {server}, whose triggers stay on"


def _proof(form: str, plan: Plan, line_owner: Owner) -> str:
    others = [row for row in entries(plan.before) if not line_owner.has(row)]
    if list(entries(form)) != others:
        raise P4WardenError(
            "the triggers table is not the old one without p4warden's lines; check it with "
            "p4 triggers -o"
        )
    digest = hashlib.sha256("".join(others).encode()).hexdigest()[:16]
    return (
        "the table was read back: no lines of this p4warden installation; "
        f"{amount(len(others), 'other line')}, byte for byte unchanged (SHA-256 {digest})."
    )
