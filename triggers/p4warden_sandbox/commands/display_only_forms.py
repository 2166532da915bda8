from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NOT_IN_SANDBOX
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.form_fields import FormDefinition


class DisplayOnlyForm(FormCommand):
    """The sandbox lacks the features of these forms."""

    def __init__(self, form: FormDefinition) -> None:
        self.form = form
        self.usage = Usage(f"{form.name} -o [ name ]", "o", refused_options="di", max_arguments=1)

    def propose(self, request: FormRequest) -> Spec:
        if self.form.fields[0].is_list:
            return Spec(self.form)
        return Spec(self.form).having(**{self.form.key: request.name})

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request, new
        raise CommandError(NOT_IN_SANDBOX, what=f"{self.form.name} without -o")
