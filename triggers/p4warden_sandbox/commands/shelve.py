# Not supported: files of the default changelist by name, -r, -p, -a, promotion. The output for
# programs is as P4Python's tests expect it.

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox import changelists
from p4warden_sandbox.change_triggers import ChangeTriggers
from p4warden_sandbox.commands.change import ChangeCommand
from p4warden_sandbox.file_messages import (
    NO_FILES_TO_SHELVE,
    NOT_TRANSFERRED,
    SHELF_DELETED,
    SHELVE_ABORTED,
    SHELVED,
    SHELVING,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.revisions import Revision
from p4warden_sandbox.submits import content_of
from p4warden_sandbox.usage import Options, Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile

_SHELVE = Usage(
    "shelve [ -i | [ -d ] [ -c changelist# ] [ -f ] [ file ... ] ]",
    "c:dfi",
    refused_options="ra:pA:",
    max_arguments=None,
)


def shelve(call: Call) -> None:
    """Handle `p4 shelve` of opened files, in place of those shelved before, as by -f."""
    options = _SHELVE.read(call.request.arguments)
    is_meant, shelf = _selection(call, options), _Shelf(call, _number(call, options))
    if "d" in options:
        shelf.delete(is_meant)
        return
    open_files = call.server.open_files.of_change(shelf.number)
    shelf.put([one for one in open_files if is_meant(one.file)])


def _number(call: Call, options: Options) -> str:
    """Return the number of the changelist, without -c that of a new one."""
    if "c" in options:
        changelists.find(call.store, options.values["c"])
        return options.values["c"]
    if options.arguments or "d" in options:
        raise CommandError(NOT_IN_SANDBOX, what="shelve of files without -c")
    change, no_options = ChangeCommand(), Options({}, [])
    form = change.ask(call) if "i" in options else change.edited(call, no_options)
    return change.save_text(call, no_options, form, quiet=call.reply.tagged).name


def _selection(call: Call, options: Options) -> Callable[[str], bool]:
    workspace = Workspace(call)
    matchers = [workspace.matcher(workspace.argument(text)) for text in options.arguments]
    return lambda file: not matchers or any(matches(file) for matches in matchers)


class _Shelf(NamedTuple):
    call: Call
    number: str

    @property
    def _files(self) -> tuple[Revision, ...]:
        return self.call.server.files.shelf(int(self.number))

    def put(self, open_files: list[OpenFile]) -> None:
        """Run triggers of type shelve-submit before the client sends files, as change-submit."""
        if not open_files:
            raise CommandError(NO_FILES_TO_SHELVE)
        reply, files, number = self.call.reply, self.call.server.files, int(self.number)
        triggers = ChangeTriggers(self.call, self.number, tuple(one.file for one in open_files))
        if not reply.tagged:
            reply.say(SHELVING, change=self.number)
        try:
            if self.call.behaves("change-files", "submit"):
                files.show(
                    number, self._with([_revision(one, number, None) for one in open_files])
                )
            triggers.fire("shelve-submit")
            files.put_shelf(number, self._with([self._sent(one) for one in open_files]))
        finally:
            files.end(number)
        reply.say(SHELVED, change=f"Change {self.number}")
        triggers.fire_commit("shelve-commit", self.number)

    def delete(self, is_meant: Callable[[str], bool]) -> None:
        deleted = [one for one in self._files if is_meant(one.file)]
        names = tuple(one.file for one in deleted)
        ChangeTriggers(self.call, self.number, names).fire("shelve-delete")
        kept = [one for one in self._files if one not in deleted]
        self.call.server.files.put_shelf(int(self.number), kept)
        count = {"count": str(len(kept))} if kept else {}
        self.call.reply.say(SHELF_DELETED, change=self.number, **count)

    def _with(self, revisions: list[Revision]) -> list[Revision]:
        new = {one.file for one in revisions}
        return [*(one for one in self._files if one.file not in new), *revisions]

    def _sent(self, one: OpenFile) -> Revision:
        row = {"depotFile": one.file, "rev": str(one.revision), "action": one.action}
        row["change"] = self.number
        self.call.reply.send(row, f"{one.action} {one.file}#{one.revision}")
        content = content_of(self.call, one, for_submit=False)
        if content is None:
            raise CommandError(NOT_TRANSFERRED).under(SHELVE_ABORTED, change=self.number)
        return _revision(one, int(self.number), content)


def _revision(one: OpenFile, change: int, content: bytes | None) -> Revision:
    """The number is that of the revision on which the work is based (p4 help revisions)."""
    now_s = int(time.time())
    return Revision(one.file, one.revision, change, one.action, one.type, now_s, content)
