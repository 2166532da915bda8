"""`p4 branch`: branch mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
from p4warden_sandbox.commands.identifiers import check_name
from p4warden_sandbox.specdefs import BRANCH
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.views import check_view

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import Wanted


class BranchCommand(FormCommand):
    """The form of a branch mapping."""

    form = BRANCH
    usage = Usage("branch [ -d -f -i -o ] name", "dfio", refused="S:P:", most=1)

    def propose(self, wanted: Wanted) -> Spec:
        """Return a new branch: every depot onto itself, to be edited (`p4 help branch`)."""
        check_name(wanted.name)
        depots = [depot.name for depot in wanted.call.store.all("depot")]
        return Spec(BRANCH).having(
            Branch=wanted.name,
            Owner=wanted.owner,
            Description=f"Created by {wanted.owner}.\n",
            Options="unlocked",
            View=[f"//{depot}/... //{depot}/..." for depot in depots],
        )

    def check(self, wanted: Wanted, new: Spec) -> Spec:
        """Return the branch with its gaps filled."""
        check_name(new.name)
        check_view(new, wanted.call.store, None)
        return new.having(Options=full_options(new)).or_else(Owner=wanted.owner)
