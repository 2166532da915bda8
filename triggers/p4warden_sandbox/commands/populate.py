# It fires change-submit, change-content and change-commit triggers and opens no file; its files
# can be queried as `@=CHANGE` from change-content on (release notes 2014.1 #703887; P4 Server
# Administration Guide, "Triggering on submit and populate"). That a refusal leaves no changelist
# behind is inferred.

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden_sandbox import changelists, dates
from p4warden_sandbox.change_triggers import ChangeTriggers
from p4warden_sandbox.changelists import COUNTER, PENDING
from p4warden_sandbox.commands.files import report_none
from p4warden_sandbox.file_messages import (
    POPULATE_DESCRIPTION,
    POPULATE_EXISTS,
    POPULATED,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.revisions import Revision
from p4warden_sandbox.specdefs import CHANGE
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import View
from p4warden_sandbox.words import join_words
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.usage import Options
    from p4warden_sandbox.workspaces import FileArgument

_POPULATE = Usage(
    "populate [ -d description -f -m max ] fromFile toFile",
    "d:fm:",
    refused_options="b:S:P:rsno",
    min_arguments=2,
    max_arguments=2,
)


def populate(call: Call) -> None:
    """Handle `p4 populate`: branch files."""
    options = _POPULATE.read(call.request.arguments)
    source = Workspace(call).argument(options.arguments[0])
    branched = _branched(call, options, source)
    if not branched:
        report_none(call, source, [])
        return
    number = _submit(call, options, branched)
    call.reply.say(POPULATED, changeFiles=str(len(branched)), change=number)


def _branched(call: Call, options: Options, source: FileArgument) -> list[Revision]:
    target = options.arguments[1]
    view = View([join_words([source.path, target])], case_sensitive=call.store.case_sensitive)
    now_s = int(time.time())
    revisions = [
        Revision(to, 1, 0, "branch", revision.type, now_s, revision.content)
        for revision in Workspace(call).files(source)
        if not revision.is_deleted and (to := view.translate(revision.file))
    ][: options.limit()]
    if any(call.server.files.history(revision.file) for revision in revisions):
        raise CommandError(POPULATE_EXISTS)
    return revisions


def _submit(call: Call, options: Options, branched: list[Revision]) -> str:
    files = call.server.files
    number = _pending(call, options)
    added = [revision._replace(change=int(number)) for revision in branched]
    triggers = ChangeTriggers(call, number, tuple(revision.file for revision in added))
    files.begin(int(number))
    try:
        triggers.fire("change-submit")
        files.show(int(number), added)
        triggers.fire("change-content")
    except CommandError:
        call.store.delete(CHANGE.name, number)
        raise
    finally:
        files.end(int(number))
    submitted = changelists.submit(call.store, changelists.find(call.store, number)).name
    files.add(revision._replace(change=int(submitted)) for revision in added)
    triggers.fire_commit("change-commit", submitted)
    return submitted


def _pending(call: Call, options: Options) -> str:
    source, target = options.arguments
    text = POPULATE_DESCRIPTION.format.replace("%target%", target)
    description = text.replace("[ from %source%]", f" from {source}")
    number = call.store.next_number(COUNTER)
    spec = Spec(CHANGE).having(
        Change=number,
        Date=dates.now(),
        Client=call.client,
        User=call.user,
        Status=PENDING,
        Type="public",
        Description=options.values.get("d", description).rstrip("\n") + "\n",
    )
    call.store.save(spec)
    return number
