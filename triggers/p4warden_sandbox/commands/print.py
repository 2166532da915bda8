"""The sandbox server's `p4 print`: sends the contents of depot files."""

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
    """Handle `p4 print`: send file contents, each after a line with the name unless -q is given.

    --offset skips a number of bytes at the start of each file, --size limits the number of bytes;
    0 means no limit (P4Java sends 0 to get the whole file).
    """
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
    """Return the range of a file's bytes that --offset and --size of `p4 print` select."""
    start, size = options.number("offset") or 0, options.number("size")
    return slice(start, start + size if size else None)


def _send_content(call: Call, revision: Revision, part: slice) -> None:
    """Send a part of a file to the client, as text or binary data according to its file type.

    A file that a running submit has not sent yet gives an error; the reply of a real server in
    that case is not known.
    """
    if revision.content is None:
        raise CommandError(CHECKOUT_FAILED, lbrFile=revision.file)
    if content := revision.content[part]:
        func = "client-OutputText" if is_text(revision.type) else "client-OutputBinary"
        call.reply.call_client(func, {"data": to_text(content)})
