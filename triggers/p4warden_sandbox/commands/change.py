# Restricted changelists, jobs and the options -u, -t, -U are not supported. Whether a changelist
# has a shelf is not checked when it is deleted.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import changelists
from p4warden_sandbox.changelists import NEW, PENDING
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.file_messages import (
    CHANGE_CREATED,
    CHANGE_DELETED,
    CHANGE_UPDATED,
    NO_SUCH_CHANGE,
    NOT_OPENED_YET,
)
from p4warden_sandbox.message_stack import CommandError, StackEntry
from p4warden_sandbox.open_files import DEFAULT
from p4warden_sandbox.specdefs import CHANGE
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.open_files import OpenFile

# A placeholder that the user must replace (`p4 help streamspec`, $blank).
NO_DESCRIPTION = "<enter description here>\n"


class ChangeCommand(FormCommand):
    """The Files field lists the files opened in the changelist and is not stored with it."""

    form = CHANGE
    usage = Usage(
        "change [ -d -f -i -o ] [ changelist# ]",
        "dfio",
        refused_options="stuUOIS:",
        max_arguments=1,
    )
    deleted_message = CHANGE_DELETED
    missing_message = NO_SUCH_CHANGE

    def propose(self, request: FormRequest) -> Spec:
        if request.name != NEW:
            changelists.find(request.call.store, request.name)
        call = request.call
        return Spec(CHANGE).having(
            Change=NEW,
            Client=call.client,
            User=call.user,
            Status=NEW,
            Description=NO_DESCRIPTION,
            Files=_lines(call.server.open_files.of_client(call.client, DEFAULT)),
        )

    def shown_spec(self, request: FormRequest) -> Spec:
        if request.old_spec is None:
            return self.propose(request)
        return request.old_spec.having(
            Files=_lines(request.call.server.open_files.of_change(request.name))
        )

    def require_write(self, request: FormRequest) -> None:
        if "f" in request.options:
            request.call.require_super()

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """The form's client, user and status are replaced by the stored ones or the caller's."""
        call, old = request.call, request.old_spec
        if old is None and new.name != NEW:
            changelists.find(call.store, new.name)
        _opened_of(request, new)
        source = old or Spec(CHANGE).having(Client=call.client, User=call.user, Status=PENDING)
        fields = {name: source.get(name) for name in ("Client", "User", "Status")}
        return new.having(**fields).or_else(Type="public")

    def complete(self, request: FormRequest, new: Spec) -> Spec:
        dated = super().complete(request, new)
        if request.old_spec is not None:
            return dated
        return dated.having(Change=request.call.store.next_number(changelists.COUNTER))

    def is_same(self, request: FormRequest, new: Spec) -> bool:
        """Whether a real server reports unchanged changelists is not known."""
        del request, new
        return False

    def store(self, request: FormRequest, new: Spec) -> StackEntry:
        open_files = request.call.server.open_files
        request.call.store.save(new.without("Files"))
        listed_files = _opened_of(request, new)
        before = open_files.of_change(new.name)
        new_files = [one for one in listed_files if one.change != new.name]
        removed_files = (
            [one for one in before if one not in listed_files] if "Files" in new.values else []
        )
        open_files.put(one._replace(change=new.name) for one in new_files)
        open_files.put(one._replace(change=DEFAULT) for one in removed_files)
        counts = {"workCount": len(new_files), "workCount2": len(removed_files)}
        texts = {name: str(count) for name, count in counts.items() if count}
        kind = CHANGE_UPDATED if request.old_spec else CHANGE_CREATED
        return StackEntry(kind, {**self.names(new.name), **texts})

    def names(self, name: str) -> dict[str, str]:
        return {"change": f"Change {name}"}


def _lines(open_files: list[OpenFile]) -> list[str]:
    """The action is added as a comment."""
    return [f"{one.file}\t# {one.action}" for one in open_files]


def _opened_of(request: FormRequest, new: Spec) -> list[OpenFile]:
    """Raise CommandError for a file that is not opened or in another numbered changelist."""
    call, store = request.call, request.call.store
    change_numbers = {DEFAULT, request.name}
    open_files = call.server.open_files.of_client(call.client)
    by_name = {store.fold(one.file): one for one in open_files if one.change in change_numbers}
    names = [store.fold(name) for name in new.lines("Files")]
    if not by_name.keys() >= set(names):
        raise CommandError(NOT_OPENED_YET)
    return [by_name[name] for name in names]
