from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.file_messages import DIRS_DATA, NO_SUCH_FILES, REFER_CLIENT
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from p4warden_sandbox.call import Call
    from p4warden_sandbox.revisions import Revision
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_DIRS = Usage(
    "dirs [ -C -D -H ] path ...", "CDH", refused_options="S:", min_arguments=1, max_arguments=None
)
_FILES = Usage(
    "files [ -e ] [ -m max ] path ...",
    "em:",
    refused_options="aiAU",
    min_arguments=1,
    max_arguments=None,
)


def dirs(call: Call) -> None:
    """Handle `p4 dirs`: list depot directories; -D also those with deleted files only."""
    options = _DIRS.read(call.request.arguments)
    for text in options.arguments:
        argument = Workspace(call).argument(text)
        if argument.is_in_client:
            raise CommandError(REFER_CLIENT, path=text, client=call.client)
        directories = call.server.files.directories(argument.path, with_deleted="D" in options)
        for directory in directories:
            _send_directory(call, directory)
        report_none(call, argument, directories)


def _send_directory(call: Call, directory: str) -> None:
    if call.reply.tagged:
        call.reply.row([("dir", directory)])
    else:
        call.reply.say(DIRS_DATA, dirName=directory)


def files(call: Call) -> None:
    """Handle `p4 files`: list files, deleted ones too unless -e is given (`p4 help files`)."""
    options = _FILES.read(call.request.arguments)
    for argument, revisions in selected_revisions(call, options, with_deleted="e" not in options):
        for revision in revisions:
            call.reply.send(file_row(revision), file_line(revision))
        report_none(call, argument, revisions)


def selected_revisions(
    call: Call, options: Options, *, with_deleted: bool
) -> list[tuple[FileArgument, list[Revision]]]:
    """Return each file argument of a command with the revisions it selects, at most -m each."""
    workspace = Workspace(call)
    limit = options.limit()
    result = []
    for text in options.arguments:
        argument = workspace.argument(text)
        revisions = (r for r in workspace.files(argument) if with_deleted or not r.is_deleted)
        # On a real server -m limits only the output, not the rows read (p4 help fstat).
        result.append((argument, [*revisions][:limit]))
    return result


def report_none(call: Call, argument: FileArgument, results: Sequence[object]) -> None:
    """Send the message "no such file(s)" or similar if a file argument selected nothing."""
    if not results:
        kind = (
            argument.revision_suffix.no_file_message
            if argument.revision_suffix.kind
            else NO_SUCH_FILES
        )
        call.reply.say(kind, argc=argument.text)


def change_name(number: int) -> str:
    """Return a number, or `default` for 0, as of revisions in a spec depot (inferred)."""
    return str(number) if number else "default"


def file_row(revision: Revision) -> dict[str, str]:
    """Return a file revision's fields in tagged `p4 files`, as values by tag."""
    return {
        "depotFile": revision.file,
        "rev": str(revision.number),
        "change": change_name(revision.change),
        "action": revision.action,
        "type": revision.type,
        "time": str(revision.time_s),
    }


def file_line(revision: Revision) -> str:
    """Return a file revision's line of plain `p4 files`."""
    change = f"change {revision.change}" if revision.change else "default change"
    about = f"{revision.action} {change} ({revision.type})"
    return f"{revision.file}#{revision.number} - {about}"
