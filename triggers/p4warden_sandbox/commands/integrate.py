# Branches only: the sandbox merges nothing, so files that exist at the target are left out. The
# names of the tagged fields are those of P4Python's tests.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import openings
from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.file_messages import INTEGRATED, NOT_IN_VIEW
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import View
from p4warden_sandbox.words import join_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.openings import Opening
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.workspaces import FileArgument

_INTEGRATE = Usage(
    "integrate [ -c changelist# ] [ -f -h -n -q -v ] [ -m max ] fromFile toFile",
    "c:fhnqvm:",
    refused_options="b:dDiIoOP:rRs:S:tT",
    min_arguments=2,
    max_arguments=2,
)


def integrate(call: Call) -> None:
    """Handle `p4 integrate`: open new files for branch; with -v the client does not get them."""
    opening = openings.begin(call, _INTEGRATE, "branch")
    source = opening.workspace.argument(opening.options.arguments[0])
    heads = [head for head in opening.workspace.files(source) if not head.is_deleted]
    if not heads:
        report_none(call, source, [])
        return
    pairs = _new_files(opening, source, heads)[: opening.options.limit()]
    if not pairs:
        call.reply.say(INTEGRATED, argc=source.text)
    for target, head in pairs:
        _branch(opening, target, head)


def _new_files(
    opening: Opening, source: FileArgument, heads: list[Revision]
) -> list[tuple[str, Revision]]:
    call, target = opening.call, opening.options.arguments[1]
    view = View([join_words([source.path, target])], case_sensitive=call.store.case_sensitive)
    pairs = [(view.translate(head.file), head) for head in heads]
    return [(to, head) for to, head in pairs if to and not call.server.files.head(to)]


def _branch(opening: Opening, target: str, head: Revision) -> None:
    call, path = opening.call, opening.workspace.local_path(target)
    if path is None:
        call.reply.say(NOT_IN_VIEW, argc=target)
        return
    if opening.touches_client and "v" not in opening.options:
        ClientFiles(call.reply).write(path, head.type, head.content or b"")
    one = opening.opened(target, 1, head.type)._replace(source=head)
    if not opening.is_preview:
        call.server.open_files.put([one])
    if "q" not in opening.options:
        _announce(opening, one.file, head, path)


def _announce(opening: Opening, target: str, head: Revision, path: str) -> None:
    row = {
        "toFile": target,
        "fromFile": head.file,
        "startFromRev": "none",
        "endFromRev": str(head.number),
        "clientFile": path,
        "workRev": "1",
        "action": "branch",
    }
    action = "branch" if "v" in opening.options else "branch/sync"
    line = f"{target}#1 - {action} from {head.file}#{head.number}"
    opening.call.reply.send(row, line)
