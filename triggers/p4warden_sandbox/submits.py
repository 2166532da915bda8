# The order is that of `p4 help submit` and `p4 help triggers`; after a failed submit the files
# stay opened in the numbered changelist; no file is locked. No lock on the state
# is held while triggers run, so that they may run p4 commands. In change-content triggers
# `@=CHANGE` already selects the changelist's files, as documented; the variant `change-files`
# determines whether it does in change-submit triggers, before the contents are sent. Triggers of
# type change-failed are not run.

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox import changelists
from p4warden_sandbox.change_triggers import ChangeTriggers
from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.file_messages import (
    MUST_RESOLVE,
    NOT_LOCKED,
    NOT_TRANSFERRED,
    OPENED_MEANWHILE,
    OUT_OF_DATE,
    STREAM_CLIENT_NEEDED,
    SUBMIT_ABORTED,
    SUBMIT_FAILED,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.revisions import Revision
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.message_stack import MessageId
    from p4warden_sandbox.open_files import OpenFile


def content_of(call: Call, one: OpenFile, *, for_submit: bool = True) -> bytes | None:
    """Return an opened file's content, empty for a deletion; None if the client cannot send it."""
    if one.action in {"delete", "branch"}:
        return one.source.content if one.source else b""
    path = Workspace(call).local_path(one.file)
    return ClientFiles(call.reply).read(path or "", one.type, for_submit=for_submit)


class Submit(NamedTuple):
    call: Call
    number: str
    open_files: list[OpenFile]

    def run(self) -> None:
        """A CommandError has changed nothing on the server except the locks on the files."""
        files, number = self.call.server.files, int(self.number)
        self._announce()
        self._check()
        if not files.begin(number):
            raise self._failed(NOT_LOCKED, SUBMIT_FAILED)
        try:
            change = self._go(number)
        finally:
            files.end(number)
        self._announce_end(change)
        self._triggers.fire_commit("change-commit", change)

    def _go(self, number: int) -> str:
        files = self.call.server.files
        if self.call.behaves("change-files", "submit"):
            files.show(number, self._revisions({}))
        self._triggers.fire("change-submit")
        revisions = self._revisions(self._contents())
        files.show(number, revisions)
        self._triggers.fire("change-content")
        return self._commit(revisions)

    def _failed(self, cause: MessageId, failure: MessageId) -> CommandError:
        return CommandError(cause).under(failure, change=self.number)

    def _announce(self) -> None:
        self.call.reply.row([("change", self.number), ("locked", str(len(self.open_files)))])

    def _check(self) -> None:
        """The messages about single files are inferred."""
        reply, workspace = self.call.reply, Workspace(self.call)
        for one in self.open_files:
            if not workspace.submits(one.file):
                cause = CommandError(STREAM_CLIENT_NEEDED, depotFile=one.file, client=one.client)
                raise cause.under(SUBMIT_FAILED, change=self.number)
        outdated = [one for one in self.open_files if self._next(one) is None]
        for one in outdated:
            reply.say(MUST_RESOLVE, depotFile=one.file, workRev=f"#{self._last_revision(one)}")
        if outdated:
            raise self._failed(OUT_OF_DATE, SUBMIT_FAILED)

    def _last_revision(self, one: OpenFile) -> int:
        return len(self.call.server.files.history(one.file))

    def _next(self, one: OpenFile) -> int | None:
        """None if the file is out of date."""
        is_there = self.call.server.files.head(one.file) is not None
        last = self._last_revision(one)
        is_new = one.action in {"add", "branch"}
        is_sound = not is_there if is_new else is_there and last == one.revision
        return last + 1 if is_sound else None

    def _revisions(self, contents: dict[str, bytes]) -> list[Revision]:
        """`content` is None for a file that is still unsent."""
        now_s = int(time.time())
        return [
            Revision(
                one.file,
                self._next(one) or 0,
                int(self.number),
                one.action,
                one.type,
                now_s,
                contents.get(one.file),
            )
            for one in self.open_files
        ]

    def _contents(self) -> dict[str, bytes]:
        """Return contents by depot path, empty for deletions."""
        contents = {}
        for one in self.open_files:
            self._announce_file(one)
            content = content_of(self.call, one)
            if content is None:
                raise self._failed(NOT_TRANSFERRED, SUBMIT_ABORTED)
            contents[one.file] = content
        return contents

    def _announce_file(self, one: OpenFile) -> None:
        row = {"depotFile": one.file, "rev": str(self._next(one)), "action": one.action}
        self.call.reply.send(row, f"{one.action} {one.file}#{self._next(one)}")

    @property
    def _triggers(self) -> ChangeTriggers:
        return ChangeTriggers(self.call, self.number, tuple(one.file for one in self.open_files))

    def _commit(self, revisions: list[Revision]) -> str:
        """Return the number, which may be new, unless a trigger or user opened or closed files."""
        call, server = self.call, self.call.server
        still_opened = server.open_files.of_change(self.number)
        if [one.file for one in still_opened] != [one.file for one in self.open_files]:
            raise self._failed(OPENED_MEANWHILE, SUBMIT_ABORTED)
        pending = changelists.find(call.store, self.number)
        number = changelists.submit(call.store, pending).name
        server.files.add(revision._replace(change=int(number)) for revision in revisions)
        server.open_files.close(self.open_files)
        has = {r.file: None if r.is_deleted else r.number for r in revisions}
        server.have.put(call.client, has)
        return number

    def _announce_end(self, number: str) -> None:
        self.call.reply.row([("submittedChange", number)])
