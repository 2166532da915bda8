# Not supported: -e, submit options other than submitunchanged, -r, jobs.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import changelists
from p4warden_sandbox.changelists import NEW
from p4warden_sandbox.commands.change import ChangeCommand
from p4warden_sandbox.file_messages import (
    NO_DEFAULT_FILES,
    NO_FILES_TO_SUBMIT,
)
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.open_files import DEFAULT
from p4warden_sandbox.specdefs import CHANGE
from p4warden_sandbox.specs import Spec, format_form
from p4warden_sandbox.submits import Submit
from p4warden_sandbox.usage import Options, Usage
from p4warden_sandbox.workspaces import Workspace

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_SUBMIT = Usage(
    "submit [ -c changelist# | -d description | -i ]",
    "c:d:i",
    refused_options="e:f:rsKbS:",
)
_NO_OPTIONS = Options({}, [])


def submit(call: Call) -> None:
    """Handle `p4 submit`: submit a numbered pending changelist or files of the default one."""
    options = _SUBMIT.read(call.request.arguments)
    client = Workspace(call).require()
    if client.get("SubmitOptions") not in {"", "submitunchanged"}:
        raise CommandError(NOT_IN_SANDBOX, what=f"submit with {client.get('SubmitOptions')}")
    number = _number(call, options)
    open_files = call.server.open_files.of_change(number)
    if not open_files:
        raise CommandError(NO_FILES_TO_SUBMIT)
    Submit(call, number, open_files).run()


def _number(call: Call, options: Options) -> str:
    if "c" in options:
        return changelists.find(call.store, options.values["c"]).name
    if "i" in options:
        form = ChangeCommand().ask(call)
    elif "d" in options:
        form = _form(call, options)
    else:
        form = ChangeCommand().edited(call, _NO_OPTIONS)
    return ChangeCommand().save_text(call, _NO_OPTIONS, form, quiet="d" in options).name


def _form(call: Call, options: Options) -> str:
    """The form is then saved with form-in and form-save triggers (release notes 2011.1)."""
    open_files = call.server.open_files.of_client(call.client, DEFAULT)
    if not open_files:
        raise CommandError(NO_DEFAULT_FILES)
    spec = Spec(CHANGE).having(
        Change=NEW,
        Client=call.client,
        User=call.user,
        Status=NEW,
        Description=options.values["d"].rstrip("\n") + "\n",
        Files=[one.file for one in open_files],
    )
    return format_form(spec)
