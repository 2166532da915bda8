"""`p4 depot`: depots. Only the super user writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.sandbox.commands.forms import FormCommand
from p4warden.sandbox.commands.identifiers import check_name
from p4warden.sandbox.message_stack import CommandError
from p4warden.sandbox.messages import (
    DEPOT_DELETED,
    DEPOT_SAVED,
    DEPOT_UNCHANGED,
    INVALID_TYPE,
    NO_SUCH_DEPOT,
)
from p4warden.sandbox.specdefs import DEPOT
from p4warden.sandbox.specs import Spec
from p4warden.sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden.sandbox.commands.forms import Wanted

# `p4 help depot`, server release 2024.2.
TYPES = frozenset(
    {
        "archive",
        "extension",
        "graph",
        "local",
        "remote",
        "spec",
        "stream",
        "tangent",
        "trait",
        "unload",
    }
)


class DepotCommand(FormCommand):
    """The form of a depot."""

    form = DEPOT
    usage = Usage("depot [ -d -f -i -o ] [ -t type ] name", "dfiot:", most=1)
    saved = DEPOT_SAVED
    unchanged = DEPOT_UNCHANGED
    deleted = DEPOT_DELETED
    missing = NO_SUCH_DEPOT
    named = "depotName"
    only_super_writes = True

    def propose(self, wanted: Wanted) -> Spec:
        """Return a new depot, local unless -t says otherwise."""
        check_name(wanted.name)
        kind = wanted.options.given.get("t", "local")
        return Spec(DEPOT).having(
            Depot=wanted.name,
            Owner=wanted.owner,
            Description=f"Created by {wanted.owner}.\n",
            Type=kind,
            StreamDepth=f"//{wanted.name}/1" if kind == "stream" else "",
            Map=f"{wanted.name}/...",
        )

    def check(self, wanted: Wanted, new: Spec) -> Spec:
        """Return the depot with its gaps filled."""
        check_name(new.name)
        kind = new.get("Type").lower()
        if kind not in TYPES:
            raise CommandError(INVALID_TYPE, type="depot type", arg=kind)
        depth = new.get("StreamDepth") or f"//{new.name}/1"
        fixed = new.having(Type=kind, StreamDepth=depth if kind == "stream" else "")
        return fixed.or_else(Owner=wanted.owner)
