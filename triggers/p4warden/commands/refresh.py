from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from p4warden.commands.options import installation_options
from p4warden.core import facts, server_names
from p4warden.core.plural import amount
from p4warden.history.record import record
from p4warden.history.undone import undone_on_failure
from p4warden.home import (
    active_policy,
    locks,
    server_account,
    summed_file,
    trusted_files,
    usable,
)
from p4warden.home import server_names as kept_names
from p4warden.server.connection import Address, connected
from p4warden.server.gather_facts import gather, gather_names

if TYPE_CHECKING:
    import P4

    from p4warden.core.records import Facts
    from p4warden.core.server_names import ServerNames


LOCK = "refresh.lock"
FILES = (facts.FILE_NAME, server_account.FILE_NAME, server_names.FILE_NAME)
"""The files that a refresh replaces, all or none."""


@click.command()
@installation_options
def refresh(port: str | None, user: str | None, home: str) -> None:
    """Write facts.json: the server's depots, their top directories, and its case handling.

    The names of its users and groups go to names.json, for checks of a policy; no trigger reads
    them. The server's address and account are recorded as well, for triggers that must ask the
    server. If anything fails, the old facts stay unchanged, and the file's time shows their age.
    While another refresh of the same home is running, this one does nothing and exits with 0. A
    missing home folder is created once there are facts to write.
    """
    usable.refuse_unusable(home)
    with contextlib.ExitStack() as exit_stack:
        try:
            if Path(home).exists():
                trusted_files.make(home)
                exit_stack.enter_context(locks.file_lock(home, LOCK))
        except locks.LockHeldError:
            click.echo(f"{home}: another refresh is running; this one does nothing.")
            return
        p4 = exit_stack.enter_context(connected(Address(port, user)))
        exit_stack.enter_context(undone_on_failure(home, FILES))
        before = server_account.name(home)
        new_facts, names = facts_into(home, p4)
    kind = "case-sensitive" if new_facts.case_sensitive else "case-insensitive"
    depots = amount(len(new_facts.depots), "depot")
    click.echo(f"{home}/{facts.FILE_NAME}: {depots}, {kind}")
    people = f"{amount(len(names.users), 'user')}, {amount(len(names.groups), 'group')}"
    click.echo(f"{home}/{server_names.FILE_NAME}: {people}")
    now = server_account.name(home)
    if before not in ("", now):
        file = f"{home}/{server_account.FILE_NAME}"
        click.echo(f"{file}: triggers ask the server as {now} from now on, no longer as {before}")


def facts_into(home: str, p4: P4.P4) -> tuple[Facts, ServerNames]:
    """Ask the server for facts such as its depots, and for its users and groups; store both.

    Also writes the server's address and account, records changed facts in the history, and creates
    a missing home folder.

    Raises:
        P4WardenError: the folder cannot be written, or others have write access to it.
    """
    new, old = gather(p4), active_policy.facts_if_any(home)
    trusted_files.make(home)
    trusted_files.replace(home, facts.FILE_NAME, summed_file.summed(facts.to_text(new)))
    server_account.write(home, _account_of(p4))
    names = gather_names(p4)
    kept_names.keep(home, names)
    if old is None or facts.to_document(old) != facts.to_document(new):
        record(home, "refresh", p4user=p4.user, server=p4.port, note=_changed(old, new))
    return new, names


def _account_of(p4: P4.P4) -> dict[str, Any]:
    """Return address and account for another process: a ticket file, but no ticket or password."""
    trust = p4.env("P4TRUST") or str(Path("~/.p4trust").expanduser())
    return {
        "port": p4.port,
        "user": p4.user,
        "ticket_file": str(Path(p4.ticket_file).absolute()),
        "environment": {"P4TRUST": trust, "P4CHARSET": p4.charset},
    }


def _changed(old_facts: Facts | None, new_facts: Facts) -> str:
    if old_facts is None:
        return f"{amount(len(new_facts.depots), 'depot')}; no facts before"
    old, new = old_facts.depots, new_facts.depots
    changes = sum(old[name] != new[name] for name in old.keys() & new.keys())
    additions, removals = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    return f"depots: {additions} added, {removals} removed, {changes} changed"
