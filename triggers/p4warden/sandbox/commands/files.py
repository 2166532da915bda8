"""`p4 dirs`, `p4 files` and `p4 fstat` over the depots' files.

Paths are depot paths with wildcards, or paths in the client in use (`files`, `fstat`). Every file
has one revision, so a revision behind a path makes no difference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden.sandbox.depot_paths import depot_of, pattern
from p4warden.sandbox.depot_tree import CHANGE, REVISION
from p4warden.sandbox.message_stack import CommandError
from p4warden.sandbox.messages import NO_SUCH_FILES, NOT_IN_SANDBOX, REFER_CLIENT
from p4warden.sandbox.usage import Usage
from p4warden.sandbox.views import View

if TYPE_CHECKING:
    from p4warden.sandbox.call import Call

_REVISION = re.compile(r"[#@].*", re.DOTALL)
_DIRS = Usage("dirs [ -C -D -H ] path ...", "CDH", refused="S:", least=1, most=None)
_FILES = Usage("files [ -a -e ] [ -m max ] path ...", "aem:", refused="iAU", least=1, most=None)
_FSTAT = Usage(
    "fstat [ -m max ] [ -T fields ] path ...",
    "m:T:",
    refused="F:L:R:O:A:rp:c:e:S:U",
    least=1,
    most=None,
)


def dirs(call: Call) -> None:
    """List directories."""
    for argument in _DIRS.read(call.request.arguments).arguments:
        path = _REVISION.sub("", argument)
        if not _is_depot_path(call, path):
            raise CommandError(REFER_CLIENT, path=argument, client=call.client)
        found = call.server.tree.directories(path)
        for directory in found:
            _send(call, {"dir": directory}, directory)
        _report_none(call, argument, found)


def files(call: Call) -> None:
    """List files."""
    options = _FILES.read(call.request.arguments)
    for argument in options.arguments:
        found = _files(call, argument)[: options.limit()]
        for file in found:
            row = _file_row(file)
            about = f"{row['action']} change {row['change']} ({row['type']})"
            _send(call, row, f"{file}#{row['rev']} - {about}")
        _report_none(call, argument, found)


def fstat(call: Call) -> None:
    """List files with what is known of each, or with the fields asked for."""
    options = _FSTAT.read(call.request.arguments)
    view = _client_view(call)
    wanted = re.findall(r"[^, ]+", options.given.get("T", ""))
    for argument in options.arguments:
        found = _files(call, argument)[: options.limit()]
        for file in found:
            row = _stat_row(file, view)
            row = {name: row[name] for name in wanted if name in row} if wanted else row
            _send(call, row, "".join(f"... {name} {value}\n" for name, value in row.items()))
        _report_none(call, argument, found)


def _send(call: Call, row: dict[str, str], text: str) -> None:
    if call.reply.tagged:
        call.reply.row(row.items())
    else:
        call.reply.line(text)


def _report_none(call: Call, path: str, found: list[str]) -> None:
    if not found:
        call.reply.say(NO_SUCH_FILES, argc=path)


def _file_row(file: str) -> dict[str, str]:
    return {
        "depotFile": file,
        "rev": REVISION,
        "change": CHANGE,
        "action": "add",
        "type": "text",
        "time": "0",
    }


def _stat_row(file: str, view: View) -> dict[str, str]:
    mapped = view.translate(file)
    return {
        "depotFile": file,
        **({"clientFile": mapped, "isMapped": ""} if mapped else {}),
        "headAction": "add",
        "headType": "text",
        "headTime": "0",
        "headRev": REVISION,
        "headChange": CHANGE,
        "headModTime": "0",
    }


def _files(call: Call, argument: str) -> list[str]:
    """Return the depot files an argument means.

    Raises:
        CommandError: it is in no depot and not in the client in use.
    """
    path = _REVISION.sub("", argument)
    tree = call.server.tree
    if _is_depot_path(call, path):
        return list(tree.files(path))
    if not path.startswith("//"):
        raise CommandError(NOT_IN_SANDBOX, what=f"files by local path: {argument}")
    if call.store.fold(depot_of(path) or "") != call.store.fold(call.client):
        raise CommandError(REFER_CLIENT, path=argument, client=call.client)
    view = _client_view(call)
    matches = pattern(path, case_sensitive=call.store.case_sensitive).fullmatch
    return [f for f in tree.files("//...") if (mapped := view.translate(f)) and matches(mapped)]


def _is_depot_path(call: Call, path: str) -> bool:
    depot = depot_of(path)
    return depot is None or call.store.find("depot", depot) is not None


def _client_view(call: Call) -> View:
    client = call.store.find("client", call.client)
    lines = client.lines("View") if client else []
    return View(lines, case_sensitive=call.store.case_sensitive)
