from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.revisions import RevisionSuffix
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_FSTAT = Usage(
    "fstat [ -F filter ] [ -m max ] [ -T fields ] [ -e changelist# ] [ -Olhp ] [ -Ro ] path ...",
    "F:m:T:e:R:O:PC",
    refused_options="L:A:rp:c:S:U",
    min_arguments=1,
    max_arguments=None,
)


def fstat(call: Call) -> None:
    """Handle `p4 fstat`; of the filters of `-F` only `field=value` is supported.

    -P, and of -O the letters l, h and p, change only fields of files that the sandbox has not.
    With `-e N -Ro` list the files of a pending changelist (`p4 help fstat`; inferred is that any
    client's are listed, and that `-e N` has the fields of the revision in changelist N).
    """
    options = _FSTAT.read(call.request.arguments)
    if options.values.get("R", "o") != "o":
        raise CommandError(NOT_IN_SANDBOX, what=f"fstat -R{options.values['R']}")
    if not {*options.values.get("O", "")} <= {"l", "h", "p"}:
        raise CommandError(NOT_IN_SANDBOX, what=f"fstat -O{options.values['O']}")
    fields = re.findall(r"[^, ]+", options.values.get("T", ""))
    field, _, value = options.values.get("F", "").partition("=")
    for argument, revision in _rows(call, options):
        rows = [row for row in revision if not field or row.get(field) == value]
        for full in rows:
            row = {name: full[name] for name in fields if name in full} if fields else full
            call.reply.send(row, "".join(f"... {name} {value}\n" for name, value in row.items()))
        report_none(call, argument, rows)


def _rows(call: Call, options: Options) -> list[tuple[FileArgument, list[dict[str, str]]]]:
    if "R" in options:
        return _opened_rows(call, options)
    workspace = Workspace(call)
    result = []
    for text in options.arguments:
        argument = workspace.argument(text)
        found = _revisions(workspace, argument, options.values.get("e"))
        revisions = [r for r in found if "C" not in options or workspace.client_path(r.file)]
        rows = [_row(call, workspace, revision) for revision in revisions[: options.limit()]]
        result.append((argument, rows))
    return result


def _revisions(
    workspace: Workspace, argument: FileArgument, change: str | None
) -> Iterator[Revision]:
    if change and change.isdecimal() and not argument.revision_suffix.kind:
        argument = argument._replace(revision_suffix=RevisionSuffix("@=", int(change)))
    return (r for r in workspace.files(argument) if change in {None, str(r.change)})


def _opened_rows(call: Call, options: Options) -> list[tuple[FileArgument, list[dict[str, str]]]]:
    workspace = Workspace(call)
    change = options.values.get("e")
    open_files = call.server.open_files
    candidates = open_files.of_change(change) if change else open_files.of_client(call.client)
    result = []
    for text in options.arguments:
        argument = workspace.argument(text)
        matches = workspace.matcher(argument)
        matching = [one for one in candidates if matches(one.file)][: options.limit()]
        result.append((argument, [_opened_row(call, workspace, one) for one in matching]))
    return result


def _row(call: Call, workspace: Workspace, revision: Revision) -> dict[str, str]:
    open_file = call.server.open_files.find(call.client, revision.file)
    return {
        **_on_client(call, workspace, revision.file),
        **_head(revision),
        **(_open_fields(open_file) if open_file else {}),
    }


def _opened_row(call: Call, workspace: Workspace, open_file: OpenFile) -> dict[str, str]:
    history = call.server.files.history(open_file.file)
    return {
        **_on_client(call, workspace, open_file.file),
        **(_head(history[-1]) if history else {}),
        **_open_fields(open_file),
    }


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


def _open_fields(open_file: OpenFile) -> dict[str, str]:
    return {
        "action": open_file.action,
        "change": open_file.change,
        "type": open_file.type,
        "actionOwner": open_file.user,
        "workRev": str(open_file.revision),
        **({"ourLock": ""} if open_file.is_locked else {}),
    }
