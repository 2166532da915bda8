from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.file_messages import OBLITERATED, PURGED, WOULD_OBLITERATE
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_OBLITERATE = Usage(
    "obliterate [ -y -a -h -q ] file ...", "yahq", "AblTr:p", min_arguments=1, max_arguments=None
)


def obliterate(call: Call) -> None:
    """Handle `p4 obliterate`: with -y remove whole files and their history, else count them."""
    call.require_super()
    options = _OBLITERATE.read(call.request.arguments)
    workspace, files = Workspace(call), call.server.files
    for text in options.arguments:
        argument = workspace.argument(text)
        if argument.revision_suffix.kind:
            raise CommandError(NOT_IN_SANDBOX, what="obliterate of single revisions")
        histories = [files.history(head.file) for head in workspace.files(argument)]
        if not histories:
            report_none(call, argument, [])
            continue
        revisions = [revision for history in histories for revision in history]
        for one in () if "q" in options else revisions:
            call.reply.say(PURGED, depotFile=one.file, depotRev=f"#{one.number}")
        if "y" in options:
            files.remove({revision.file for revision in revisions})
        done = OBLITERATED if "y" in options else WOULD_OBLITERATE
        call.reply.say(done, onRev=str(len(revisions)))
