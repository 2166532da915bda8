from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden_sandbox import changelists, dates
from p4warden_sandbox.changelists import PENDING, SUBMITTED
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.usage import Options

_CHANGES = Usage(
    "changes [ -l -L -t ] [ -c client ] [ -m max ] [ -s status ] [ -u user ] [ file ... ]",
    "lLtc:m:s:u:",
    refused_options="e:ifrE:F",
    max_arguments=None,
)
_DESCRIBE = Usage(
    "describe [ -s -S ] changelist# ...",
    "sS",
    refused_options="amfOId:",
    min_arguments=1,
    max_arguments=None,
)
_SHORT, _TRUNCATED = 31, 250


def changes(call: Call) -> None:
    """Handle a sandbox client's `p4 changes`: list changelists, newest first."""
    options = _CHANGES.read(call.request.arguments)
    specs = [
        spec for spec in changelists.newest_first(call.store) if _is_selected(call, options, spec)
    ]
    since = _since(options)
    if since:
        specs = [spec for spec in specs if dates.day(spec.get("Date")) >= since]
    elif options.arguments:
        numbers = _touching(call, options)
        specs = [spec for spec in specs if spec.name in numbers]
    for spec in specs[: options.limit()]:
        text = shortened(spec.get("Description"), options)
        call.reply.row({**_pairs(call, spec), "desc": text}.items())


def _since(options: Options) -> str | None:
    """The first day in `@YYYY/MM/DD,@now`, which without a path selects all files, or None."""
    match = re.fullmatch(r"@(\d{4}/\d\d/\d\d),@now", "\n".join(options.arguments))
    return match[1] if match else None


def _is_selected(call: Call, options: Options, spec: Spec) -> bool:
    fields = {"c": "Client", "s": "Status", "u": "User"}
    fold = call.store.fold
    return all(
        fold(spec.get(field)) == fold(options.values[letter])
        for letter, field in fields.items()
        if letter in options
    )


def _touching(call: Call, options: Options) -> set[str]:
    """With -m alone it stops early (dm.changes.thresh1 and thresh2, p4 help undoc)."""
    most = options.limit() if set(options.values) <= {"m"} else None
    workspace = Workspace(call)
    numbers: set[str] = set()
    for text in options.arguments:
        argument = workspace.argument(text)
        matches = workspace.matcher(argument)
        if argument.revision_suffix.kind:
            raise CommandError(NOT_IN_SANDBOX, what=f"changes {text}")
        numbers |= {str(change) for change in call.server.files.changes_of(matches, most)}
        numbers |= {one.change for one in call.server.open_files.all() if matches(one.file)}
    return numbers


def shortened(description: str, options: Options) -> str:
    """Return a description: whole with -l, 250 characters with -L, else 31."""
    if "l" in options:
        return description
    return description[: _TRUNCATED if "L" in options else _SHORT]


def _pairs(call: Call, spec: Spec) -> dict[str, str]:
    status = spec.get("Status")
    files = [file for file, _, _, _ in _files(call, spec)]
    return {
        "change": spec.name,
        "time": dates.seconds(spec.get("Date")),
        "user": spec.get("User"),
        "client": spec.get("Client"),
        "status": status,
        "changeType": spec.get("Type"),
        **({"path": changelists.common_path(files)} if status == SUBMITTED and files else {}),
    }


def describe(call: Call) -> None:
    """Handle `p4 describe`; for lack of diffs, submitted and shelved files require -s."""
    options = _DESCRIBE.read(call.request.arguments)
    for number in options.arguments:
        spec = changelists.find(call.store, number)
        if (spec.get("Status") == SUBMITTED or "S" in options) and "s" not in options:
            raise CommandError(NOT_IN_SANDBOX, what="describe without -s")
        shelf = call.server.files.shelf(int(number))
        files = _listed(shelf) if "S" in options else _files(call, spec)
        _send_row(call, spec, files)


def _files(call: Call, spec: Spec) -> list[tuple[str, str, str, int]]:
    """Return depot path, action, type and revision number of each file."""
    if spec.get("Status") == PENDING:
        open_files = call.server.open_files.of_change(spec.name)
        return [(one.file, one.action, one.type, one.revision) for one in open_files]
    return _listed(call.server.files.of_change(int(spec.name)))


def _listed(revisions: Iterable[Revision]) -> list[tuple[str, str, str, int]]:
    return [(r.file, r.action, r.type, r.number) for r in revisions]


def _send_row(call: Call, spec: Spec, files: list[tuple[str, str, str, int]]) -> None:
    row = {**_pairs(call, spec), "desc": spec.get("Description")}
    for index, (file, action, kind, revision) in enumerate(files):
        row |= {
            f"depotFile{index}": file,
            f"action{index}": action,
            f"type{index}": kind,
            f"rev{index}": str(revision),
        }
    call.reply.row(row.items())
