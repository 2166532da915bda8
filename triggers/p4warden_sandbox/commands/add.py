from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import openings
from p4warden_sandbox.client_files import ClientFiles, check_type
from p4warden_sandbox.file_messages import (
    NOT_IN_VIEW,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.openings import Opening

_ADD = Usage("add [ -c changelist# ] [ -n ] [ -t type ] file ...", "c:nt:", "dfI", 1, None)


def add(call: Call) -> None:
    """Handle `p4 add`: open new files, with the file type that the client detects or -t sets."""
    opening = openings.begin(call, _ADD, "add")
    for text in opening.options.arguments:
        file = _file(opening, text)
        if file is None:
            call.reply.say(NOT_IN_VIEW, argc=text)
        else:
            _add(opening, file)


def _add(opening: Opening, file: str) -> None:
    call = opening.call
    path = opening.workspace.local_path(file) or ""
    kind = opening.options.values.get("t") or ClientFiles(call.reply).type(path)
    if kind is not None:
        check_type(kind)
        opening.open(opening.opened(file, 1, kind), path)


def _file(opening: Opening, text: str) -> str | None:
    """None if the client view lacks the file."""
    workspace = opening.workspace
    argument = workspace.argument(text)
    if argument.is_in_client:
        return workspace.depot_path(argument.path)
    return argument.path if workspace.client_path(argument.path) else None
