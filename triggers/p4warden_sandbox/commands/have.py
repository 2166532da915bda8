from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.file_messages import NOT_IN_VIEW, NOT_ON_CLIENT
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_HAVE = Usage("have [ file ... ]", max_arguments=None)
_WHERE = Usage("where file ...", min_arguments=1, max_arguments=None)


def have(call: Call) -> None:
    """Handle a sandbox client's `p4 have`: list the file revisions that the client has synced."""
    options = _HAVE.read(call.request.arguments)
    workspace = Workspace(call)
    workspace.require()
    for text in options.arguments or [f"//{call.client}/..."]:
        matches = workspace.matcher(workspace.argument(text))
        have_list = call.server.have.of_client(call.client)
        matching = [(file, number) for file, number in have_list if matches(file)]
        for file, number in matching:
            call.reply.send(
                _have_row(workspace, file, number), _have_line(workspace, file, number)
            )
        if not matching:
            call.reply.say(NOT_ON_CLIENT, argc=text)


def _have_row(workspace: Workspace, file: str, number: int) -> dict[str, str]:
    client_path = workspace.client_path(file) or ""
    path = workspace.local_path(file) or ""
    return {"depotFile": file, "clientFile": client_path, "path": path, "haveRev": str(number)}


def _have_line(workspace: Workspace, file: str, number: int) -> str:
    return f"{file}#{number} - {workspace.local_path(file)}"


def where(call: Call) -> None:
    """Handle `p4 where`; unlike on a real server, only one mapping of a path is shown."""
    workspace = Workspace(call)
    workspace.require()
    for text in _WHERE.read(call.request.arguments).arguments:
        argument = workspace.argument(text)
        file = workspace.depot_path(argument.path) if argument.is_in_client else argument.path
        client_path = workspace.client_path(file) if file else None
        if file is None or client_path is None:
            call.reply.say(NOT_IN_VIEW, argc=text)
            continue
        path = workspace.on_disk(client_path)
        row = {"depotFile": file, "clientFile": client_path, "path": path}
        call.reply.send(row, f"{file} {client_path} {path}")
