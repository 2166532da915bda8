from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from p4warden_sandbox.commands.changes import shortened
from p4warden_sandbox.commands.files import change_name, report_none
from p4warden_sandbox.specdefs import CHANGE
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_FILELOG = Usage(
    "filelog [ -c changelist# -h -i -l -L -t -m max -p -s ] file ...",
    "c:hilLtm:ps",
    min_arguments=1,
    max_arguments=None,
)


def filelog(call: Call) -> None:
    """List revisions without integrations, newest first, from that of the file argument on."""
    options = _FILELOG.read(call.request.arguments)
    workspace = Workspace(call)
    for text in options.arguments:
        argument = workspace.argument(text)
        histories = _histories(call, workspace, options, argument)
        for revisions in histories:
            _send(call, options, revisions)
        report_none(call, argument, histories)


def _histories(
    call: Call, workspace: Workspace, options: Options, argument: FileArgument
) -> list[list[Revision]]:
    """Return one list for each file, newest revision first."""
    change = options.values.get("c")
    histories = [
        [r for r in _up_to(call, last) if change in {None, str(r.change)}][: options.limit()]
        for last in workspace.files(argument)
    ]
    return [revisions for revisions in histories if revisions]


def _up_to(call: Call, last: Revision) -> list[Revision]:
    return list(reversed(call.server.files.history(last.file)[: last.number]))


def _send(call: Call, options: Options, revisions: list[Revision]) -> None:
    file = revisions[0].file
    rows = [_fields(call, options, revision) for revision in revisions]
    row = {f"{name}{n}": value for n, one in enumerate(rows) for name, value in one.items()}
    call.reply.row({"depotFile": file, **row}.items())


def _fields(call: Call, options: Options, revision: Revision) -> dict[str, str]:
    change = call.store.find(CHANGE.name, str(revision.change))
    content = revision.content or b""
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest().upper()
    return {
        "rev": str(revision.number),
        "change": change_name(revision.change),
        "action": revision.action,
        "type": revision.type,
        "time": str(revision.time_s),
        "user": change.get("User") if change else "",
        "client": change.get("Client") if change else "",
        **({} if revision.is_deleted else {"fileSize": str(len(content)), "digest": digest}),
        "desc": shortened(change.get("Description") if change else "", options),
    }
