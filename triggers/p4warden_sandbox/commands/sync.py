from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden_sandbox.client_files import ClientFiles
from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.file_messages import (
    CHECKOUT_FAILED,
    NOT_IN_VIEW,
    SYNC_OPENED,
    UP_TO_DATE,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.progress import Progress
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_SYNC = Usage(
    "sync [ -f -k -n -q ] [ -m max ] [ file ... ]",
    "fknqm:",
    refused_options="ELNKrsp",
    max_arguments=None,
)
_VERBS = {
    "added": "added as",
    "deleted": "deleted as",
    "refreshed": "refreshing",
    "updated": "updating",
}


class _Step(NamedTuple):
    """`revision` is the one to be sent, or for the action `deleted` that of the client."""

    action: str
    revision: Revision
    path: str


def sync(call: Call) -> None:
    """Handle `p4 sync`; unlike with a real server, files that left the view stay on disk."""
    options = _SYNC.read(call.request.arguments)
    workspace = Workspace(call)
    workspace.require()
    for text in options.arguments or [f"//{call.client}/..."]:
        argument = workspace.argument(text)
        revisions = list(workspace.files(argument))
        have_list = _have_list(call, workspace, argument)
        steps = [
            *_deletions(call, workspace, argument, revisions, have_list),
            *_arrivals(workspace, options, revisions, have_list),
        ]
        if not steps:
            _report_nothing(call, workspace, argument, revisions)
        _take_all(call, options, [step for step in steps if _is_free(call, step)])


def _have_list(call: Call, workspace: Workspace, argument: FileArgument) -> dict[str, int]:
    matches = workspace.matcher(argument)
    have_list = call.server.have.of_client(call.client)
    return {file: number for file, number in have_list if matches(file)}


def _deletions(
    call: Call,
    workspace: Workspace,
    argument: FileArgument,
    revisions: list[Revision],
    have_list: dict[str, int],
) -> list[_Step]:
    """Files deleted in the depot or not yet there at the requested changelist, or `#none`."""
    deleted = {revision.file for revision in revisions if revision.is_deleted}
    file_names = {revision.file for revision in revisions}
    before = argument.revision_suffix.kind in {"none", "@"}
    return [
        _Step("deleted", call.server.files.history(file)[number - 1], path)
        for file, number in have_list.items()
        if file in deleted or (before and file not in file_names)
        if (path := workspace.local_path(file))
    ]


def _arrivals(
    workspace: Workspace, options: Options, revisions: list[Revision], have_list: dict[str, int]
) -> list[_Step]:
    steps = []
    for revision in revisions:
        path = workspace.local_path(revision.file)
        action = _action(have_list.get(revision.file), revision, options)
        if path and action and not revision.is_deleted:
            steps.append(_Step(action, revision, path))
    return steps


def _action(have_revision: int | None, revision: Revision, options: Options) -> str:
    """Empty for a revision that the client has, without -f."""
    if have_revision is None:
        return "added"
    if have_revision != revision.number:
        return "updated"
    return "refreshed" if "f" in options else ""


def _is_free(call: Call, step: _Step) -> bool:
    """An opened file may not be changed, about which the client gets a message."""
    open_file = call.server.open_files.find(call.client, step.revision.file)
    if open_file:
        revision = f"#{open_file.revision}"
        call.reply.say(SYNC_OPENED, depotFile=step.revision.file, workRev=revision)
    return open_file is None


def _take_all(call: Call, options: Options, steps: list[_Step]) -> None:
    """The first row also contains the totals of all steps."""
    limited_steps = steps[: options.limit()]
    if "q" in options:
        _take_quietly(call, options, limited_steps)
        return
    for index, step in enumerate(limited_steps):
        _take(call, options, step)
        totals = _totals(steps) if index == 0 else {}
        call.reply.send({**_row(step), **totals}, _line(step))


def _take_quietly(call: Call, options: Options, steps: list[_Step]) -> None:
    # P4 Command Reference, global option -I; that a row with the totals is sent first is inferred
    # from P4Python's tests.
    progress = Progress(call, len(steps))
    if steps and progress.is_requested and call.reply.tagged:
        call.reply.row(_totals(steps).items())
    for number, step in enumerate(steps, 1):
        _take(call, options, step)
        progress.update(number)


def _take(call: Call, options: Options, step: _Step) -> None:
    if "n" in options:
        return
    if "k" not in options and not _on_client(call, step):
        return
    number = None if step.action == "deleted" else step.revision.number
    call.server.have.put(call.client, {step.revision.file: number})


def _on_client(call: Call, step: _Step) -> bool:
    disk = ClientFiles(call.reply)
    if step.action == "deleted":
        return disk.delete(step.path)
    if step.revision.content is None:
        raise CommandError(CHECKOUT_FAILED, lbrFile=step.revision.file)
    return disk.write(step.path, step.revision.type, step.revision.content)


def _row(step: _Step) -> dict[str, str]:
    revision = step.revision
    return {
        "depotFile": revision.file,
        "clientFile": step.path,
        "rev": str(revision.number),
        "action": step.action,
        "fileSize": str(len(revision.content or b"")),
    }


def _totals(steps: list[_Step]) -> dict[str, str]:
    """The size is in bytes."""
    return {
        "totalFileSize": str(sum(len(step.revision.content or b"") for step in steps)),
        "totalFileCount": str(len(steps)),
        "change": str(max(step.revision.change for step in steps)),
    }


def _line(step: _Step) -> str:
    revision = step.revision
    return f"{revision.file}#{revision.number} - {_VERBS[step.action]} {step.path}"


def _report_nothing(
    call: Call, workspace: Workspace, argument: FileArgument, revisions: list[Revision]
) -> None:
    if not revisions and argument.revision_suffix.kind != "none":
        report_none(call, argument, [])
    elif revisions and not any(workspace.client_path(revision.file) for revision in revisions):
        call.reply.say(NOT_IN_VIEW, argc=argument.text)
    else:
        call.reply.say(UP_TO_DATE, argc=argument.text)
