from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import NO_SUCH_DOMAIN
from p4warden_sandbox.names import check_name
from p4warden_sandbox.specdefs import LABEL
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import check_view

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest


class LabelCommand(FormCommand):
    form = LABEL
    usage = Usage(
        "label [ -d -f -i -o ] [ -t template ] name",
        "dfiot:",
        refused_options="g",
        max_arguments=1,
    )

    def propose(self, request: FormRequest) -> Spec:
        """A view of all depots, or that of the -t template (`p4 help label`)."""
        check_name(request.name)
        depots = [depot.name for depot in request.call.store.all("depot")]
        spec = Spec(LABEL).having(
            Label=request.name,
            Owner=request.owner,
            Description=f"Created by {request.owner}.\n",
            View=[f"//{depot}/..." for depot in depots],
        )
        template = request.options.values.get("t")
        if template is None:
            return spec.having(Options=full_options(spec))
        model = request.call.store.find("label", template)
        if model is None:
            raise CommandError(NO_SUCH_DOMAIN, type="Label", name=template)
        return spec.having(Options=model.get("Options"), View=model.lines("View"))

    def check(self, request: FormRequest, new: Spec) -> Spec:
        check_name(new.name)
        check_view(new, request.call.store, None)
        return new.having(Options=full_options(new)).or_else(Owner=request.owner)
