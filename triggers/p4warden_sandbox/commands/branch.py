from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import DEFAULT_BRANCH_VIEW
from p4warden_sandbox.names import check_name
from p4warden_sandbox.specdefs import BRANCH
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import check_view

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest


class BranchCommand(FormCommand):
    form = BRANCH
    usage = Usage("branch [ -d -f -i -o ] name", "dfio", refused_options="S:P:", max_arguments=1)

    def propose(self, request: FormRequest) -> Spec:
        """Each depot mapped onto itself (`p4 help branch`)."""
        check_name(request.name)
        return Spec(BRANCH).having(
            Branch=request.name,
            Owner=request.owner,
            Description=f"Created by {request.owner}.\n",
            Options="unlocked",
            View=_default_view(request.call),
        )

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """The default view of a new form is refused (`p4 help branch`)."""
        check_name(new.name)
        if new.lines("View") == _default_view(request.call):
            raise CommandError(DEFAULT_BRANCH_VIEW)
        check_view(new, request.call.store, None)
        return new.having(Options=full_options(new)).or_else(Owner=request.owner)


def _default_view(call: Call) -> list[str]:
    names = [depot.name for depot in call.store.all("depot")]
    return [f"//{name}/... //{name}/..." for name in names]
