"""An uninstallation whose home folder takes no record of it: the table alone is changed."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.commands.deploy import files
from p4warden.history import trail
from p4warden.home import locks, off_mark, usable
from p4warden.home.trusted_files import HomeError
from p4warden.server import table_form

if TYPE_CHECKING:
    import P4

    from p4warden.table.merge import Plan

WHAT_IS_LOST = (
    "the history does not record this, and the old table is not kept: its lines of p4warden are "
    "those marked - above; run this again when the folder can be written"
)


def why(home: str) -> str | None:
    """Return why a home folder takes no record; None if it does, or if there is none."""
    if Path(home).is_dir():
        try:
            usable.refuse_unusable(home)
        except usable.UnwritableError as error:
            return str(error)
        try:
            trail.changes(home)
        except HomeError as error:
            return str(error)
    return None


def write(p4: P4.P4, home: str, plan: Plan, _: str | None, *, is_own: bool) -> None:
    """Write the planned table, without backup and record, and switch the removed lines off.

    The mark for that is an empty file, which fits on a full disk; on others it may be missing.

    Raises:
        P4WardenError: the table changed in the meantime, or cannot be written.
    """
    with locks.held_if_free(f"{home}/{locks.DEPLOY}") as is_free:
        if not is_free:
            raise locks.LockHeldError(f"{home}: another p4warden is at work; wait for it to end")
        table_form.refuse_changed(p4, plan)
        if plan.changes:
            table_form.write_form(p4, plan.after)
    with contextlib.suppress(HomeError):
        if is_own and files.is_home(home):
            off_mark.mark_off(home)
