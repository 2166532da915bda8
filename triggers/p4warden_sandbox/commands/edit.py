from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import openings
from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile
    from p4warden_sandbox.openings import Opening

_EDIT = Usage("edit [ -c changelist# ] [ -k -n ] [ -t type ] file ...", "c:knt:", "S:", 1, None)
_DELETE = Usage("delete [ -c changelist# ] [ -k -n -v ] file ...", "c:knv", "", 1, None)


def edit(call: Call) -> None:
    """Handle `p4 edit`: open files that the client has synced; make them writable on its disk."""
    opening = openings.begin(call, _EDIT, "edit")
    for text in opening.options.arguments:
        for open_file, path in _existing(opening, text):
            if opening.touches_client:
                ClientFiles(call.reply).make_writable(path, open_file.type)
            opening.open(open_file, path)


def delete(call: Call) -> None:
    """Handle `p4 delete`; with -v files that the client has not synced are opened, too."""
    opening = openings.begin(call, _DELETE, "delete")
    for text in opening.options.arguments:
        for open_file, path in _existing(opening, text):
            if opening.touches_client:
                ClientFiles(call.reply).delete(path)
            opening.open(open_file, path)
            if not opening.is_preview:
                call.server.have.put(call.client, {open_file.file: None})


def _existing(opening: Opening, text: str) -> Iterator[tuple[OpenFile, str]]:
    """Yield records of files to open, each with the local path on the client's disk."""
    call, workspace = opening.call, opening.workspace
    argument = workspace.argument(text)
    heads = [head for head in workspace.files(argument) if not head.is_deleted]
    report_none(call, argument, heads)
    for head in heads:
        path = workspace.local_path(head.file)
        revision = call.server.have.revision(call.client, head.file)
        if revision is None and "v" in opening.options:
            revision = head.number
        if path and revision:
            yield opening.opened(head.file, revision, head.type), path
