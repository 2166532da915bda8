"""Carry out a deployment: switch the policy, write the triggers table, test and record it.

If a step fails, the old policy and triggers table are restored; a table that another user changed
in the meantime stays.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core import facts, server_names
from p4warden.core.errors import P4WardenError
from p4warden.history import kept_files
from p4warden.history.record import Table, digest_of_lines, record
from p4warden.history.undone import POLICY_FILES, UnrestoredTableError, undone_on_failure
from p4warden.home import lines_digest, off_mark, program_start, trusted_files
from p4warden.home.account import owner_of
from p4warden.server import table_form
from p4warden.server.connection import connect_anew
from p4warden.table.called_programs import called_programs
from p4warden.table.trigger_lines import digest_in
from p4warden.table.triggers_table import entries
from p4warden.worker import ask_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import P4

    from p4warden.table.merge import Owner, Plan

JOURNAL = "deploy.journal.json"
"""Name of the file that exists while a deployment writes and tests the triggers table. A leftover
file shows that a deployment was interrupted or could not restore the table; it has the tables
before and after the deployment."""


class Deployment(NamedTuple):
    """A planned change of the running policy and the triggers table.

    Attributes:
        home: the p4warden home folder.
        owner: the marks that identify this installation's trigger lines.
        plan: the triggers table to write.
        action: `deploy`, `rollback` or `uninstall`.
        switch: activates the wanted policy; does nothing if that policy is already running.
        attempt: tests the new triggers table, and raises if it does not work.
        message: the reason given by the administrator.
        to: for a rollback, the number of the change whose state is restored.
    """

    home: str
    owner: Owner
    plan: Plan
    action: str
    switch: Callable[[], None]
    attempt: Callable[[], None]
    message: str | None = None
    to: int | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files of the home folder that a failed deployment puts back."""
        replaced = (*POLICY_FILES, facts.FILE_NAME, ask_server.FILE_NAME, server_names.FILE_NAME)
        return (*replaced, lines_digest.FILE_NAME, off_mark.FILE_NAME)


class Journal(NamedTuple):
    """Journal of a deployment: the file by which an interrupted deployment can be undone.

    Attributes:
        server: the server's address, as in P4PORT.
        table_digest: the digest of the triggers table before the deployment, as in the history.
        before: the text of the triggers table before the deployment.
        after: the text of the triggers table that the deployment writes.
    """

    server: str
    table_digest: str
    before: str
    after: str


def carry_out(p4: P4.P4, deployment: Deployment) -> str:
    """Carry out a deployment; return the file name of the old triggers table's backup.

    Args:
        p4: a connection to the server, as a super user.
        deployment: the planned change.

    Raises:
        P4WardenError: a step failed; policy and triggers table are restored, or the text says that
            they are not.
    """
    _refuse_unstartable(deployment)
    digest_before = kept_files.digest_of(deployment.plan.before)
    try:
        with undone_on_failure(deployment.home, deployment.files):
            kept_files.keep_table(deployment.home, deployment.plan.before)
            kept_files.keep_table(deployment.home, deployment.plan.after)
            deployment.switch()
            with _restored_table(p4, deployment, digest_before):
                _write(p4, deployment.plan)
                deployment.attempt()
                form_digest = digest_of_table(deployment.plan.after, deployment.owner)
                lines_digest.keep(deployment.home, form_digest)
                _record(p4, deployment, digest_before)
    except BaseException as failure:
        _record_failure(p4, deployment, digest_before, failure)
        raise
    return f"{kept_files.folder(deployment.home)}/{kept_files.table_name(digest_before)}"


def _refuse_unstartable(deployment: Deployment) -> None:
    """Check that p4d can start the programs of the planned lines, because it refuses otherwise.

    Raises:
        P4WardenError: a program cannot be started here.
    """
    plan, p4d = deployment.plan, owner_of(deployment.home)
    rows = [row for row in entries(plan.after) if deployment.owner.has(row)]
    for program in called_programs(rows) if plan.changes and p4d.can_be_taken else ():
        failed = program_start.try_start(program.words, program.event, p4d)
        if failed:
            remedy = f"run {failed.remedy}" if failed.remedy else "put it there"
            lines = ", ".join(program.lines)
            raise P4WardenError(
                f"nothing was changed: {failed.problem}, so p4d would refuse every event of "
                f"{lines}; {remedy}, then try again"
            )


def settle(home: str, form: str, owner: Owner) -> None:
    """Store the digest of the present trigger lines, and delete the journal of a deployment.

    `form` is the text of the triggers table that contains p4warden's lines.

    Raises:
        HomeError: the journal cannot be removed, or the digest cannot be written.
    """
    lines_digest.keep(home, digest_of_table(form, owner))
    trusted_files.remove(home, JOURNAL)


def digest_of_table(form: str, owner: Owner) -> str | None:
    """Return the digest in an installation's lines of a triggers table; None if they have none."""
    return digest_in(row for row in entries(form) if owner.has(row))


def cut_off(home: str) -> Journal | None:
    """Return the journal that an interrupted deployment left in a home folder, or None.

    Raises:
        P4WardenError: the journal is not trusted, or damaged.
    """
    text = trusted_files.read_if_there(home, JOURNAL)
    if text is None:
        return None
    try:
        return Journal(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise P4WardenError(f"{home}/{JOURNAL}: it cannot be read: {error}") from error


def table_of(home: str, form: str, owner: Owner) -> Table:
    """Store the text of a triggers table in the history of deployments; return its record.

    Raises:
        HomeError: the table's file cannot be written.
    """
    lines = [row for row in entries(form) if owner.has(row)]
    return Table(kept_files.keep_table(home, form), digest_of_lines(lines), len(lines))


def _write(p4: P4.P4, plan: Plan) -> None:
    if plan.changes:
        table_form.write_form(p4, plan.after)


def _record(p4: P4.P4, deployment: Deployment, digest_before: str) -> None:
    record(
        deployment.home,
        deployment.action,
        table=table_of(deployment.home, table_form.read_form(p4), deployment.owner),
        p4user=p4.user,
        found_table=digest_before,
        server=p4.port,
        message=deployment.message,
        to=deployment.to,
    )


def _record_failure(
    p4: P4.P4, deployment: Deployment, digest_before: str, failure: BaseException
) -> None:
    """Add a failed deployment to the history; an error in doing so is ignored.

    So the error that made the deployment fail stays visible.
    """
    cause = str(failure).partition("\n")[0] or type(failure).__name__
    with contextlib.suppress(P4WardenError):
        record(
            deployment.home,
            deployment.action,
            p4user=p4.user,
            found_table=digest_before,
            server=p4.port,
            message=deployment.message,
            to=deployment.to,
            outcome=f"failed: {cause}",
        )


@contextlib.contextmanager
def _restored_table(p4: P4.P4, deployment: Deployment, digest_before: str) -> Iterator[None]:
    """Context manager: `JOURNAL` exists while the body writes and tests the triggers table.

    If the body raises an exception, the old triggers table is restored.
    """
    home, plan = deployment.home, deployment.plan
    journal = Journal(p4.port, digest_before, plan.before, plan.after)
    trusted_files.replace(home, JOURNAL, json.dumps(journal._asdict(), indent=1).encode())
    try:
        lines_digest.keep(home, None)
        yield
    except BaseException as failure:
        fate = _put_back(p4, plan, failure, kept_files.table_name(digest_before))
        trusted_files.remove(home, JOURNAL)
        if isinstance(failure, P4WardenError):
            raise P4WardenError(f"{failure}\n{fate}") from failure
        raise
    # The deployment is complete; a journal that stays only asks for p4warden deploy verify.
    with contextlib.suppress(trusted_files.HomeError):
        trusted_files.remove(home, JOURNAL)


def _put_back(p4: P4.P4, plan: Plan, failure: BaseException, backup: str) -> str:
    """Restore the triggers table that a failed deployment replaced; return the outcome in words.

    A table that another user wrote in the meantime is left unchanged.

    Raises:
        P4WardenError: the old table could not be restored.
    """
    try:
        return _put(p4, plan)
    except Exception as error:  # noqa: BLE001 - whatever failed, the first failure must be reported
        raise UnrestoredTableError(
            f"{failure}\nThe old table could not be restored: {error}. It is stored in "
            f"{kept_files.FOLDER}/{backup}; check p4 triggers -o, then run p4warden deploy "
            "rollback"
        ) from failure


def _put(p4: P4.P4, plan: Plan) -> str:
    if not p4.connected():
        connect_anew(p4)
    form = table_form.read_form(p4)
    if form not in (plan.before, plan.after) and entries(form) != entries(plan.after):
        return "Someone else changed the table in the meantime; their version was left in place."
    if form != plan.before:
        table_form.write_form(p4, plan.before)
    if table_form.read_form(p4) != plan.before:
        raise P4WardenError("the server now has a different table")
    return "The old table was restored, byte for byte."
