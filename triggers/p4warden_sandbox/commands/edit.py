from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import openings
from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.file_messages import (
    NO_REVISION_HERE,
    NO_SUCH_FILES,
    NOT_IN_VIEW,
    NOT_ON_CLIENT,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.open_files import OpenFile
    from p4warden_sandbox.openings import Opening
    from p4warden_sandbox.workspaces import FileArgument

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
    if argument.revision_suffix.kind:
        raise CommandError(NO_REVISION_HERE)
    heads = [head for head in workspace.files(argument) if not head.is_deleted]
    _report_missing(opening, argument, [head.file for head in heads])
    for head in heads:
        path = workspace.local_path(head.file)
        revision = call.server.have.revision(call.client, head.file)
        if revision is None and "v" in opening.options:
            revision = head.number
        if path and opening.may_open(head.file) and revision:
            yield opening.opened(head.file, revision, head.type), path


def _report_missing(opening: Opening, argument: FileArgument, files: list[str]) -> None:
    call = opening.call
    if not files:
        call.reply.say(NO_SUCH_FILES, argc=argument.text)
    elif not any(opening.workspace.client_path(file) for file in files):
        call.reply.say(NOT_IN_VIEW, argc=argument.text)
    elif "v" not in opening.options and not any(_is_at_hand(call, file) for file in files):
        call.reply.say(NOT_ON_CLIENT, argc=argument.text)


def _is_at_hand(call: Call, file: str) -> bool:
    has = call.server.have.revision(call.client, file) is not None
    return has or call.server.open_files.find(call.client, file) is not None
