from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox import changelists
from p4warden_sandbox.client_files import check_type
from p4warden_sandbox.file_messages import (
    NO_SUBMIT_OF_STREAM,
)
from p4warden_sandbox.open_files import DEFAULT, OpenFile
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.usage import Options, Usage


class Opening(NamedTuple):
    call: Call
    workspace: Workspace
    options: Options
    action: str

    @property
    def is_preview(self) -> bool:
        return "n" in self.options

    @property
    def touches_client(self) -> bool:
        return not self.is_preview and "k" not in self.options

    def opened(self, file: str, revision: int, kind: str) -> OpenFile:
        change = self.options.values.get("c", DEFAULT)
        file_type = self.options.values.get("t", kind)
        call = self.call
        return OpenFile(file, call.client, call.user, self.action, revision, change, file_type)

    def open(self, open_file: OpenFile, path: str) -> None:
        """`path` is the file's local path on the client's disk."""
        if not self.is_preview:
            self.call.server.open_files.put([open_file])
        row = {
            "depotFile": open_file.file,
            "clientFile": path,
            "workRev": str(open_file.revision),
            "action": open_file.action,
            "type": open_file.type,
        }
        text = f"{open_file.file}#{open_file.revision} - opened for {open_file.action}"
        self.call.reply.send(row, text)
        if not self.workspace.submits(open_file.file):
            self.call.reply.say(NO_SUBMIT_OF_STREAM, depotFile=open_file.file)


def begin(call: Call, usage: Usage, action: str) -> Opening:
    """Check options, client and changelist of a command that opens files; raise CommandError."""
    options = usage.read(call.request.arguments)
    workspace = Workspace(call)
    workspace.require()
    if options.values.get("c", DEFAULT) != DEFAULT:
        changelists.find(call.store, options.values["c"])
    if "t" in options:
        check_type(options.values["t"])
    return Opening(call, workspace, options, action)
