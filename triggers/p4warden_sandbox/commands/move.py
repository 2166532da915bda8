# Only of files opened for add, and by depot paths: others become two openings, move/add and
# move/delete. p4d sends the client a client-MoveFile; here the file is copied and deleted.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import openings
from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.file_messages import MOVED_FROM, NOT_IN_VIEW
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import View
from p4warden_sandbox.words import join_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile
    from p4warden_sandbox.openings import Opening

_MOVE = Usage("move [ -c changelist# ] [ -k -n ] fromFile toFile", "c:kn", "frt:", 2, 2)


def move(call: Call) -> None:
    """Handle `p4 move`: open files under another name, and rename them on the client's disk."""
    opening = openings.begin(call, _MOVE, "add")
    source, target = opening.options.arguments
    argument = opening.workspace.argument(source)
    matches = opening.workspace.matcher(argument)
    open_files = [
        one for one in call.server.open_files.of_client(call.client) if matches(one.file)
    ]
    if argument.is_in_client or any(one.action != "add" for one in open_files):
        raise CommandError(NOT_IN_SANDBOX, what="p4 move of files that exist, or by client paths")
    names = View([join_words([source, target])], case_sensitive=call.store.case_sensitive)
    for one in open_files:
        _move(opening, one, names.translate(one.file) or "")


def _move(opening: Opening, old: OpenFile, name: str) -> None:
    call, workspace = opening.call, opening.workspace
    path, new_path = workspace.local_path(old.file) or "", workspace.local_path(name)
    if new_path is None:
        call.reply.say(NOT_IN_VIEW, argc=name)
        return
    if opening.touches_client:
        disk = ClientFiles(call.reply)
        disk.write(new_path, old.type, disk.read(path, old.type) or b"", writable=True)
        disk.delete(path)
    if not opening.is_preview:
        change = opening.options.values.get("c", old.change)
        call.server.open_files.close([old])
        call.server.open_files.put([old._replace(file=name, change=change)])
    call.reply.say(MOVED_FROM, depotFile=name, workRev="#1", fromFile=old.file)
