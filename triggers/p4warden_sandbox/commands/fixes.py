from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import changelists
from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_FIXES = Usage(
    "fixes [ -i -m max -c changelist# -j jobName ] [ file ... ]", "im:c:j:", max_arguments=None
)


def fixes(call: Call) -> None:
    """Handle a sandbox client's `p4 fixes`: check its arguments, and list no jobs."""
    options = _FIXES.read(call.request.arguments)
    options.limit()
    if "c" in options:
        changelists.find(call.store, options.values["c"])
    workspace = Workspace(call)
    for text in options.arguments:
        argument = workspace.argument(text)
        report_none(call, argument, list(workspace.files(argument)))
