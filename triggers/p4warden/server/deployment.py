"""A planned table, carried out: kept, written, read back, tried, put back if anything fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import trusted_files
from p4warden.server import table_form
from p4warden.server.connection import connect_anew
from p4warden.table import backups
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    import P4

    from p4warden.table.merge import Plan

LOCK = "deploy.lock"
JOURNAL = "deploy.journal.json"
"""It is there from before the table is written until after all is tried: whoever finds it later
knows that a deploy was cut off, and which table it found and which it wrote."""


class Journal(NamedTuple):
    """The server and the tables of a deploy.

    Attributes:
        server: which server, as P4PORT names it.
        backup: the file in which the table that it found is kept.
        before: that table.
        after: the table that it writes.
    """

    server: str
    backup: str
    before: str
    after: str


def carry_out(p4: P4.P4, home: str, plan: Plan, time_ns: int, attempt: Callable[[], None]) -> str:
    """Write a planned table; return the name of the backup of the one before.

    Args:
        p4: a connection to the server, as a super user.
        home: the home folder.
        plan: what to write.
        time_ns: now, in nanoseconds since the epoch.
        attempt: tries the new table out, and raises if it does not work.

    Raises:
        P4WardenError: it could not be written or does not work; the old table is back then, or
            the text says that it is not.
    """
    backup = backups.keep(home, plan.before, time_ns)
    journal = Journal(p4.port, backup, plan.before, plan.after)
    trusted_files.replace(home, JOURNAL, json.dumps(journal._asdict(), indent=1).encode())
    try:
        table_form.write_form(p4, plan.after)
        attempt()
    except BaseException as failure:
        fate = _put_back(p4, plan, failure, backup)
        settle(home)
        if isinstance(failure, P4WardenError):
            raise P4WardenError(f"{failure}\n{fate}") from failure
        raise
    settle(home)
    return backup


def settle(home: str) -> None:
    """Note that no deploy is cut off any more: the table that is there was tried, or is wanted.

    Raises:
        HomeError: the journal cannot be removed.
    """
    trusted_files.remove(home, JOURNAL)


def cut_off(home: str) -> Journal | None:
    """Return what a deploy was about that was cut off, or None.

    Raises:
        P4WardenError: the journal is not to be trusted, or damaged.
    """
    text = trusted_files.read_if_there(home, JOURNAL)
    if text is None:
        return None
    try:
        return Journal(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise P4WardenError(f"{home}/{JOURNAL}: it cannot be read: {error}") from error


def _put_back(p4: P4.P4, plan: Plan, failure: BaseException, backup: str) -> str:
    """Write the old table, if the new one is there; return the outcome in words.

    A table that someone else wrote at the same moment is left alone.

    Raises:
        P4WardenError: it could not be written back.
    """
    try:
        return _put(p4, plan)
    except Exception as error:  # noqa: BLE001 - whatever failed, the first failure must be told
        raise P4WardenError(
            f"{failure}\nThe old table could not be put back: {error}. It is in {backup}; look at "
            "p4 triggers -o, then run p4warden deploy rollback"
        ) from failure


def _put(p4: P4.P4, plan: Plan) -> str:
    if not p4.connected():
        connect_anew(p4)
    now = table_form.read_form(p4)
    if now not in (plan.before, plan.after) and entries(now) != entries(plan.after):
        return "Someone else has written the table since; it was left as they wrote it."
    if now != plan.before:
        table_form.write_form(p4, plan.before)
    if table_form.read_form(p4) != plan.before:
        raise P4WardenError("the server has another one now")
    return "The old table is back, byte for byte."
