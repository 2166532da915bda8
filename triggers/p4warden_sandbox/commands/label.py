from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
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
        "label [ -d -f -i -o ] name",
        "dfio",
        refused_options="gt:",
        max_arguments=1,
    )

    def propose(self, request: FormRequest) -> Spec:
        """A view of all depots (`p4 help label`)."""
        check_name(request.name)
        depots = [depot.name for depot in request.call.store.all("depot")]
        spec = Spec(LABEL).having(
            Label=request.name,
            Owner=request.owner,
            Description=f"Created by {request.owner}.\n",
            View=[f"//{depot}/..." for depot in depots],
        )
        return spec.having(Options=full_options(spec))

    def check(self, request: FormRequest, new: Spec) -> Spec:
        check_name(new.name)
        check_view(new, request.call.store, None)
        return new.having(Options=full_options(new)).or_else(Owner=request.owner)
