from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.client_files import is_text
from p4warden_sandbox.commands.files import file_line, file_row, report_none, selected_revisions
from p4warden_sandbox.file_messages import CHECKOUT_FAILED
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.wire import to_text

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options

_PRINT = Usage(
    "print [ -q ] [ -m max ] [ --offset offset ] [ --size size ] file ...",
    "qm:",
    refused_options="aAkKo:UQ:B:L:T:",
    min_arguments=1,
    max_arguments=None,
    long_options=("offset=", "size="),
)


def print_files(call: Call) -> None:
    """Handle `p4 print`; --offset and --size are in bytes, and P4Java sends 0 for no limit."""
    options = _PRINT.read(call.request.arguments)
    part = _part(options)
    for argument, revisions in selected_revisions(call, options, with_deleted=False):
        for revision in revisions:
            if call.reply.tagged or "q" not in options:
                size = {"fileSize": str(len(revision.content or b""))}
                call.reply.send({**file_row(revision), **size}, file_line(revision))
            _send_content(call, revision, part)
        report_none(call, argument, revisions)


def _part(options: Options) -> slice:
    start, size = options.number("offset") or 0, options.number("size")
    return slice(start, start + size if size else None)


def _send_content(call: Call, revision: Revision, part: slice) -> None:
    """The reply of a real server for a file that a running submit has not sent is not known."""
    if revision.content is None:
        raise CommandError(CHECKOUT_FAILED, lbrFile=revision.file)
    if content := revision.content[part]:
        func = "client-OutputText" if is_text(revision.type) else "client-OutputBinary"
        call.reply.call_client(func, {"data": to_text(content)})
