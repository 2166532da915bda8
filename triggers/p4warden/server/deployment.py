from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core import facts, server_names
from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files
from p4warden.history.record import Table, digest_of_lines, record
from p4warden.history.undone import POLICY_FILES, UnrestoredTableError, undone_on_failure
from p4warden.home import (
    json_file,
    off_mark,
    old_lines,
    program_start,
    server_account,
    trusted_files,
)
from p4warden.home.account import owner_of
from p4warden.server import table_form
from p4warden.server.connection import connect_anew
from p4warden.table.called_programs import called_programs
from p4warden.table.judged_events import in_words
from p4warden.table.trigger_lines import digest_in
from p4warden.table.triggers_table import entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import P4

    from p4warden.table.merge import Owner, Plan

JOURNAL = "deploy.journal.json"
"""Exists while a deployment writes and tests the table; a leftover shows an interrupted one."""
_FILES = (
    *POLICY_FILES,
    facts.FILE_NAME,
    server_account.FILE_NAME,
    server_names.FILE_NAME,
    old_lines.DIGEST_FILE_NAME,
    off_mark.FILE_NAME,
)
"""Of the home folder, which a failed deployment puts back."""


class Deployment(NamedTuple):
    """`action` is `deploy`, `rollback` or `uninstall`; `to` the change that a rollback restores.

    `switch` does nothing if the wanted policy is already running; `attempt` raises if the new
    table does not work.
    """

    home: str
    owner: Owner
    plan: Plan
    action: str
    switch: Callable[[], None]
    attempt: Callable[[], None]
    message: str | None = None
    to: int | None = None


class Journal(NamedTuple):
    """`table_digest` is that of `before`, as in the history; `server` is as in P4PORT."""

    server: str
    table_digest: str
    before: str
    after: str


def carry_out(p4: P4.P4, deployment: Deployment) -> str:
    """Return the old table's backup file name; a P4WardenError says whether all is restored."""
    _refuse_unstartable(deployment)
    digest_before = kept_files.digest_of(deployment.plan.before)
    try:
        with undone_on_failure(deployment.home, _FILES, keeps_files=True):
            kept_files.keep_table(deployment.home, deployment.plan.before)
            kept_files.keep_table(deployment.home, deployment.plan.after)
            deployment.switch()
            with _restored_table(p4, deployment, digest_before):
                if deployment.plan.changes:
                    table_form.write_form(p4, deployment.plan.after)
                deployment.attempt()
                form_digest = digest_of_table(deployment.plan.after, deployment.owner)
                old_lines.keep_digest(deployment.home, form_digest)
                form = table_form.read_form(p4)
                table = table_of(deployment.home, form, deployment.owner)
                _record(p4, deployment, digest_before, table=table)
    except BaseException as failure:
        # An error in doing so is ignored, so that the error of the deployment stays visible.
        with contextlib.suppress(P4WardenError):
            cause = str(failure).partition("\n")[0] or type(failure).__name__
            _record(p4, deployment, digest_before, outcome=f"failed: {cause}")
        raise
    return f"{kept_files.folder(deployment.home)}/{kept_files.table_name(digest_before)}"


def _refuse_unstartable(deployment: Deployment) -> None:
    """Raise P4WardenError unless p4d can start the planned programs, as it refuses otherwise."""
    plan, p4d = deployment.plan, owner_of(deployment.home)
    rows = deployment.owner.rows_in(plan.after)
    for program in called_programs(rows) if plan.changes and p4d.can_be_taken else ():
        failed = program_start.try_start(program.words, program.event, p4d)
        if failed:
            remedy = f"run {failed.remedy}" if failed.remedy else "put it there"
            effect = failed.effect(in_words(program.rows))
            raise P4WardenError(
                f"nothing was changed: {failed.problem}: with the planned table {effect}; "
                f"{remedy}, then try again, or take present lines out with p4warden deploy "
                "uninstall"
            )


def settle(home: str, form: str, owner: Owner) -> None:
    """Store the digest of the present lines and delete the journal, or raise HomeError."""
    old_lines.keep_digest(home, digest_of_table(form, owner))
    trusted_files.remove(home, JOURNAL)


def digest_of_table(form: str, owner: Owner) -> str | None:
    """Return the digest in an installation's lines of a triggers table; None if they have none."""
    return digest_in(owner.rows_in(form))


def cut_off(home: str) -> Journal | None:
    """Return an interrupted deployment's journal or None; raise P4WardenError if it is damaged."""
    return json_file.load(home, JOURNAL, lambda fields: Journal(**fields), " is damaged")


def table_of(home: str, form: str, owner: Owner) -> Table:
    """Store a table's text in the history; raise HomeError if its file cannot be written."""
    lines = owner.rows_in(form)
    return Table(kept_files.keep_table(home, form), digest_of_lines(lines), len(lines))


def _record(p4: P4.P4, deployment: Deployment, digest_before: str, **result: Any) -> None:
    record(
        deployment.home,
        deployment.action,
        p4user=p4.user,
        found_table=digest_before,
        server=p4.port,
        message=deployment.message,
        to=deployment.to,
        **result,
    )


@contextlib.contextmanager
def _restored_table(p4: P4.P4, deployment: Deployment, digest_before: str) -> Iterator[None]:
    home, plan = deployment.home, deployment.plan
    journal = Journal(p4.port, digest_before, plan.before, plan.after)
    json_file.keep(home, JOURNAL, journal._asdict())
    try:
        old_lines.keep_digest(home, None)
        yield
    except BaseException as failure:
        fate = _put_back(p4, plan, failure, kept_files.table_name(digest_before))
        _remove_journal(home)
        if isinstance(failure, P4WardenError):
            raise P4WardenError(f"{failure}; {fate}") from failure
        raise
    _remove_journal(home)


def _remove_journal(home: str) -> None:
    """Ignore an error: the table is settled, and doctor tells what to do about the journal."""
    with contextlib.suppress(trusted_files.HomeError):
        trusted_files.remove(home, JOURNAL)


def _put_back(p4: P4.P4, plan: Plan, failure: BaseException, backup: str) -> str:
    try:
        return _put(p4, plan)
    except Exception as error:  # noqa: BLE001 - whatever failed, the first failure must be reported
        raise UnrestoredTableError(
            f"{failure}; the old table could not be restored: {error}. It is stored in "
            f"{kept_files.FOLDER}/{backup}; check p4 triggers -o, then run p4warden deploy "
            "rollback"
        ) from failure


def _put(p4: P4.P4, plan: Plan) -> str:
    """Return what became of the table, as a sentence; another user's newer table stays."""
    if not p4.connected():
        connect_anew(p4)
    form = table_form.read_form(p4)
    if form not in (plan.before, plan.after) and entries(form) != entries(plan.after):
        return "someone else changed the table in the meantime; their version was left in place"
    if form != plan.before:
        table_form.write_form(p4, plan.before)
    if table_form.read_form(p4) != plan.before:
        raise P4WardenError("the server now has a different table")
    return "the old table was restored, byte for byte"
