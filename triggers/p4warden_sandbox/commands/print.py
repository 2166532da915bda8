"""`p4 print`: the contents of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.client_files import is_text
from p4warden_sandbox.commands.files import chosen, file_line, file_row, report_none
from p4warden_sandbox.file_messages import CHECKOUT_FAILED
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.wire import to_text

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision

_PRINT = Usage("print [ -q ] [ -m max ] file ...", "qm:", refused="aAko:U", least=1, most=None)


def print_files(call: Call) -> None:
    """Send files with a line that tells which they are, left out with -q."""
    options = _PRINT.read(call.request.arguments)
    for argument, found in chosen(call, options, with_deleted=False):
        for revision in found:
            if call.reply.tagged or "q" not in options:
                size = {"fileSize": str(len(revision.content or b""))}
                call.reply.send({**file_row(revision), **size}, file_line(revision))
            _send_content(call, revision)
        report_none(call, argument, found)


def _send_content(call: Call, revision: Revision) -> None:
    """Send the content as the type says.

    What a real server answers about a file of a submit that has not sent it yet is not known.
    """
    if revision.content is None:
        raise CommandError(CHECKOUT_FAILED, lbrFile=revision.file)
    if revision.content:
        func = "client-OutputText" if is_text(revision.type) else "client-OutputBinary"
        call.reply.tell(func, {"data": to_text(revision.content)})
