from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import access
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    NO_CLEAR_TEXT,
    NO_SUCH_USER,
    USER_DELETED,
    USER_SAVED,
    USER_UNCHANGED,
)
from p4warden_sandbox.names import check_name
from p4warden_sandbox.seed import add_user, new_user
from p4warden_sandbox.specdefs import USER
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.message_stack import StackEntry
    from p4warden_sandbox.specs import Spec

# Stands for a password in a displayed form; saving it keeps the password.
_HIDDEN = "******"
_NO_CLEAR_TEXT = 2
_BY_SUPER_USER = 2


class UserCommand(FormCommand):
    """A new password in the form is stored in the sandbox's accounts, not in the user spec."""

    form = USER
    usage = Usage("user [ -d -f -i -o ] [ name ]", "dfio", max_arguments=1)
    saved_message = USER_SAVED
    unchanged_message = USER_UNCHANGED
    deleted_message = USER_DELETED
    missing_message = NO_SUCH_USER
    name_argument = "user"

    def propose(self, request: FormRequest) -> Spec:
        check_name(request.name)
        fresh = new_user(request.name, request.call.request.text("host"))
        return fresh.without("Update", "Access")

    def shown_spec(self, request: FormRequest) -> Spec:
        call = request.call
        has_password = call.server.accounts.has_password(call.store.fold(request.name))
        return super().shown_spec(request).having(Password=_HIDDEN if has_password else "")

    def require_write(self, request: FormRequest) -> None:
        # `p4 help user`.
        store = request.call.store
        if "f" in request.options or store.fold(request.name) != store.fold(request.call.user):
            request.call.require_super()

    def check(self, request: FormRequest, new: Spec) -> Spec:
        check_name(request.name)
        _check_change(request, new)
        is_new = new.get("Password") != _HIDDEN
        return new.having(Type="standard", Password=new.get("Password") if is_new else "")

    def accepted(self, request: FormRequest, new: Spec) -> None:
        # P4Python p4test.py, testMultiUserExecution.
        if request.old_spec is not None and "f" in request.options:
            request.call.server.accounts.waive_reset(request.call.store.fold(new.name))

    def store(self, request: FormRequest, new: Spec) -> StackEntry:
        store = request.call.store
        accounts = request.call.server.accounts
        if request.old_spec is None and store.configurables["dm.user.resetpassword"]:
            accounts.demand_reset(store.fold(new.name))
        if new.get("Password"):
            accounts.set_password(store.fold(new.name), new.get("Password"))
        add_user(store, new.without("Password"))
        return self.entry(self.saved_message, new.name)


def _check_change(request: FormRequest, new: Spec) -> None:
    call, old = request.call, request.old_spec
    configurables = call.store.configurables
    if new.get("Password") not in {"", _HIDDEN} and configurables["security"] >= _NO_CLEAR_TEXT:
        raise CommandError(NO_CLEAR_TEXT)
    if old is None:
        if configurables["dm.user.noautocreate"] == _BY_SUPER_USER:
            call.require_super()
        access.check_user_quota(call)
