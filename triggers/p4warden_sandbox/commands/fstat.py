from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_FSTAT = Usage(
    "fstat [ -F filter ] [ -m max ] [ -T fields ] [ -Olhp ] path ...",
    "F:m:T:O:PC",
    refused_options="L:A:e:R:rp:c:S:U",
    min_arguments=1,
    max_arguments=None,
)


def fstat(call: Call) -> None:
    """Handle `p4 fstat`; of the filters of `-F` only `field=value` is supported.

    -P, and of -O the letters l, h and p, change only fields of files that the sandbox has not.
    """
    options = _FSTAT.read(call.request.arguments)
    if not {*options.values.get("O", "")} <= {"l", "h", "p"}:
        raise CommandError(NOT_IN_SANDBOX, what=f"fstat -O{options.values['O']}")
    fields = re.findall(r"[^, ]+", options.values.get("T", ""))
    field, _, value = options.values.get("F", "").partition("=")
    for argument, revision in _rows(call, options):
        rows = [row for row in revision if not field or row.get(field) == value]
        for full in rows:
            row = {name: full[name] for name in fields if name in full} if fields else full
            call.reply.row(row.items())
        report_none(call, argument, rows)


def _rows(call: Call, options: Options) -> list[tuple[FileArgument, list[dict[str, str]]]]:
    workspace = Workspace(call)
    result = []
    for text in options.arguments:
        argument = workspace.argument(text)
        found = workspace.files(argument)
        revisions = [r for r in found if "C" not in options or workspace.client_path(r.file)]
        rows = [_row(call, workspace, revision) for revision in revisions[: options.limit()]]
        result.append((argument, rows))
    return result


def _row(call: Call, workspace: Workspace, revision: Revision) -> dict[str, str]:
    return {**_on_client(call, workspace, revision.file), **_head(revision)}


def _on_client(call: Call, workspace: Workspace, file: str) -> dict[str, str]:
    client_path = workspace.client_path(file)
    have = call.server.have.revision(call.client, file)
    return {
        "depotFile": file,
        **({"clientFile": workspace.on_disk(client_path), "isMapped": ""} if client_path else {}),
        **({"haveRev": str(have)} if have else {}),
    }


def _head(revision: Revision) -> dict[str, str]:
    time = str(revision.time_s)
    return {
        "headAction": revision.action,
        "headType": revision.type,
        "headTime": time,
        "headRev": str(revision.number),
        "headChange": str(revision.change),
        "headModTime": time,
    }
