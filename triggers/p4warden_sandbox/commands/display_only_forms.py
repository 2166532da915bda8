"""Form commands of the sandbox that support only -o, because the sandbox lacks their features."""

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
    """Implementation of a form command such as `p4 typemap`, which can only show its form (-o)."""

    def __init__(self, form: FormDefinition) -> None:
        self.form = form
        self.usage = Usage(f"{form.name} -o [ name ]", "o", refused_options="di", max_arguments=1)

    def propose(self, request: FormRequest) -> Spec:
        """Return an empty form to show, with the object's name if the form has a field for it."""
        if self.form.fields[0].is_list:
            return Spec(self.form)
        return Spec(self.form).having(**{self.form.key: request.name})

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """Refuse to save a form, which the sandbox can only show.

        Raises:
            CommandError: always.
        """
        del request, new
        raise CommandError(NOT_IN_SANDBOX, what=f"{self.form.name} without -o")
