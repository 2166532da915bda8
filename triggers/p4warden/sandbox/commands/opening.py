"""`p4 add`, `p4 edit` and `p4 delete`: files are opened in the client, and sent with a submit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.sandbox import changelists
from p4warden.sandbox.client_files import ClientFiles, check_type
from p4warden.sandbox.commands.change import require_own
from p4warden.sandbox.depot_paths import depot_of
from p4warden.sandbox.file_messages import (
    EXISTS,
    NO_REVISION_HERE,
    NO_SUCH_FILES,
    NOT_IN_VIEW,
    NOT_ON_CLIENT,
    OPENED_ALREADY,
    OPENED_OTHERWISE,
    READ_ONLY,
    WILD_ADD,
)
from p4warden.sandbox.message_stack import CommandError
from p4warden.sandbox.opened_files import DEFAULT, Opened
from p4warden.sandbox.usage import Usage
from p4warden.sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden.sandbox.call import Call
    from p4warden.sandbox.usage import Options
    from p4warden.sandbox.workspaces import FileArgument

_ADD = Usage("add [ -c changelist# ] [ -f -n ] [ -t type ] file ...", "c:fnt:", "dI", 1, None)
_EDIT = Usage("edit [ -c changelist# ] [ -k -n ] [ -t type ] file ...", "c:knt:", "S:", 1, None)
_DELETE = Usage("delete [ -c changelist# ] [ -k -n -v ] file ...", "c:knv", "", 1, None)
_WRITABLE_DEPOTS = frozenset({"local", "stream"})
_WILD = frozenset("@#%*")


class _Opening(NamedTuple):
    """A command that opens files."""

    call: Call
    workspace: Workspace
    options: Options
    action: str

    @property
    def change(self) -> str:
        """The changelist to open them in."""
        return self.options.given.get("c", DEFAULT)

    @property
    def is_preview(self) -> bool:
        """Whether nothing is to happen."""
        return "n" in self.options

    @property
    def touches_client(self) -> bool:
        """Whether the client's files are to follow."""
        return not self.is_preview and "k" not in self.options


def add(call: Call) -> None:
    """Open new files, with the type the client finds or -t says."""
    opening = _opening(call, _ADD, "add")
    for text in opening.options.arguments:
        _add(opening, text)


def edit(call: Call) -> None:
    """Open files the client has, and make them writable there."""
    opening = _opening(call, _EDIT, "edit")
    for text in opening.options.arguments:
        for opened, path in _existing(opening, text):
            kind = opening.options.given.get("t", opened.type)
            if opening.touches_client:
                ClientFiles(call.reply).make_writable(path, kind)
            _open(opening, opened._replace(type=kind), path)


def delete(call: Call) -> None:
    """Open files for deletion, and delete them in the client."""
    opening = _opening(call, _DELETE, "delete")
    for text in opening.options.arguments:
        for opened, path in _existing(opening, text):
            if opening.touches_client:
                ClientFiles(call.reply).delete(path)
            _open(opening, opened, path)
            if not opening.is_preview:
                call.server.have.put(call.client, {opened.file: None})


def _opening(call: Call, usage: Usage, action: str) -> _Opening:
    options = usage.read(call.request.arguments)
    workspace = Workspace(call)
    workspace.require()
    if "c" in options and options.given["c"] != DEFAULT:
        require_own(call, changelists.find(call.store, options.given["c"]))
    if "t" in options:
        check_type(options.given["t"])
    return _Opening(call, workspace, options, action)


def _add(opening: _Opening, text: str) -> None:
    call, workspace = opening.call, opening.workspace
    file = _new_file(opening, text)
    if file is None:
        call.reply.say(NOT_IN_VIEW, argc=text)
        return
    if not _may_open(opening, file):
        return
    if call.server.files.head(file):
        call.reply.say(EXISTS, depotFile=file, action=opening.action)
        return
    path = workspace.local_path(file) or ""
    kind = opening.options.given.get("t") or ClientFiles(call.reply).type(path)
    if kind is not None:
        check_type(kind)
        _open(opening, _opened(opening, file, 1, kind), path)


def _new_file(opening: _Opening, text: str) -> str | None:
    """Return the depot path of a file to add; None when the client does not map it.

    Raises:
        CommandError: its name has characters that need -f.
    """
    workspace = opening.workspace
    if "f" in opening.options:
        argument = workspace.literal_argument(text)
    elif _WILD.intersection(text) or "..." in text:
        raise CommandError(WILD_ADD)
    else:
        argument = workspace.argument(text)
    if argument.in_client:
        return workspace.depot_path(argument.path)
    return argument.path if workspace.client_path(argument.path) else None


def _existing(opening: _Opening, text: str) -> list[tuple[Opened, str]]:
    """Return the files an argument means that can be opened, and where the client has them."""
    call, workspace = opening.call, opening.workspace
    argument = workspace.argument(text)
    if argument.at.kind:
        raise CommandError(NO_REVISION_HERE)
    heads = [head for head in workspace.files(argument) if not head.is_deleted]
    found = []
    for head in heads:
        path = workspace.local_path(head.file)
        revision = call.server.have.revision(call.client, head.file)
        if revision is None and "v" in opening.options:
            revision = head.number
        if path and _may_open(opening, head.file) and revision:
            found.append((_opened(opening, head.file, revision, head.type), path))
    _report_missing(opening, argument, [head.file for head in heads])
    return found


def _report_missing(opening: _Opening, argument: FileArgument, files: list[str]) -> None:
    """Tell when an argument means no file at all, or none the client has."""
    call = opening.call
    if not files:
        call.reply.say(NO_SUCH_FILES, argc=argument.text)
    elif not any(opening.workspace.client_path(file) for file in files):
        call.reply.say(NOT_IN_VIEW, argc=argument.text)
    elif "v" not in opening.options and not any(_is_at_hand(call, file) for file in files):
        call.reply.say(NOT_ON_CLIENT, argc=argument.text)


def _is_at_hand(call: Call, file: str) -> bool:
    """Tell whether the client has the file, or has it opened."""
    has = call.server.have.revision(call.client, file) is not None
    return has or call.server.opened.find(call.client, file) is not None


def _may_open(opening: _Opening, file: str) -> bool:
    """Tell whether a file can be opened; if not, say why."""
    call, action = opening.call, opening.action
    depot = call.store.find("depot", depot_of(file) or "")
    if depot is None or depot.get("Type") not in _WRITABLE_DEPOTS:
        call.reply.say(READ_ONLY, depotFile=file, action=action)
        return False
    opened = call.server.opened.find(call.client, file)
    if opened is None:
        return True
    if opened.action == action:
        revision = f"#{opened.revision}"
        call.reply.say(OPENED_ALREADY, depotFile=file, workRev=revision, action=action)
    else:
        call.reply.say(OPENED_OTHERWISE, depotFile=file, action=action, badAction=opened.action)
    return False


def _opened(opening: _Opening, file: str, revision: int, kind: str) -> Opened:
    call = opening.call
    return Opened(file, call.client, call.user, opening.action, revision, opening.change, kind)


def _open(opening: _Opening, opened: Opened, path: str) -> None:
    """Open a file and tell so."""
    call = opening.call
    if not opening.is_preview:
        call.server.opened.put([opened])
    row = {
        "depotFile": opened.file,
        "clientFile": path,
        "workRev": str(opened.revision),
        "action": opened.action,
        "type": opened.type,
    }
    call.reply.send(row, f"{opened.file}#{opened.revision} - opened for {opened.action}")
