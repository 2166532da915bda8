from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.file_messages import (
    NOT_OPENED_HERE,
)
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile
    from p4warden_sandbox.usage import Options

_OPENED = Usage(
    "opened [ -a ] [ -c changelist# ] [ -C client ] [ -u user ] [ -m max ]",
    "ac:C:u:m:",
    refused_options="sgx",
)
_REVERT = Usage(
    "revert [ -k -n ] [ -c changelist# ] file ...",
    "knc:",
    refused_options="awC:S:",
    min_arguments=1,
    max_arguments=None,
)


def opened(call: Call) -> None:
    """Handle `p4 opened`: list opened files of the client in use, or with -a of all clients."""
    options = _OPENED.read(call.request.arguments)
    opened_files = [
        one for one in call.server.open_files.all() if _is_selected(call, options, one)
    ]
    for one in opened_files[: options.limit()]:
        call.reply.send(_row(call, one), _line(call, options, one))


def _is_selected(call: Call, options: Options, one: OpenFile) -> bool:
    arguments, fold = options.values, call.store.fold
    client = arguments.get("C", None if "a" in options else call.client)
    return (
        (client is None or fold(client) == fold(one.client))
        and arguments.get("c", one.change) == one.change
        and fold(arguments.get("u", one.user)) == fold(one.user)
    )


def _row(call: Call, one: OpenFile) -> dict[str, str]:
    have = call.server.have.revision(one.client, one.file)
    return {
        "depotFile": one.file,
        "clientFile": Workspace(call, one.client).client_path(one.file) or "",
        "rev": str(one.revision),
        "haveRev": str(have) if have else "none",
        "action": one.action,
        "change": one.change,
        "type": one.type,
        "user": one.user,
        "client": one.client,
    }


def _line(call: Call, options: Options, one: OpenFile) -> str:
    # Perforce API source msgs/msgdm.cc, OpenedData.
    about = f"{one.file}#{one.revision} - {one.action} {one.change_text} ({one.type})"
    is_own = "a" not in options and call.store.fold(one.client) == call.store.fold(call.client)
    opener = "" if is_own else f" by {one.user}@{one.client}"
    return f"{about}{opener}"


def revert(call: Call) -> None:
    """Handle `p4 revert`; -k leaves all files on the client's disk unchanged."""
    options = _REVERT.read(call.request.arguments)
    workspace = Workspace(call)
    workspace.require()
    candidates = call.server.open_files.of_client(call.client, options.values.get("c"))
    for text in options.arguments:
        matches = workspace.matcher(workspace.argument(text))
        matching = [one for one in candidates if matches(one.file)]
        for one in matching:
            _revert(call, workspace, options, one)
        if not matching:
            call.reply.say(NOT_OPENED_HERE, argc=text)


def _revert(call: Call, workspace: Workspace, options: Options, one: OpenFile) -> None:
    path = workspace.local_path(one.file)
    is_new = one.action in {"add", "branch"}
    outcome = "abandoned" if is_new else "cleared" if "k" in options else "reverted"
    if "n" not in options:
        if path and one.action == "branch" and "k" not in options:
            ClientFiles(call.reply).delete(path)
        if path and outcome == "reverted":
            content = call.server.files.history(one.file)[one.revision - 1].content or b""
            ClientFiles(call.reply).write(path, one.type, content)
        if outcome != "abandoned":
            call.server.have.put(call.client, {one.file: one.revision})
        call.server.open_files.close([one])
    have = "none" if is_new else str(one.revision)
    row = {
        "depotFile": one.file,
        "clientFile": path or "",
        "haveRev": have,
        "action": outcome,
        "oldAction": one.action,
    }
    call.reply.send(row, f"{one.file}#{have} - was {one.action}, {outcome}")
