from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import spec_depot
from p4warden_sandbox.commands.forms import FormCommand
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    DEPOT_DELETED,
    DEPOT_SAVED,
    DEPOT_UNCHANGED,
    INVALID_TYPE,
    NO_SUCH_DEPOT,
    SECOND_DEPOT_OF_TYPE,
    SPEC_MAP_ELSEWHERE,
)
from p4warden_sandbox.names import check_name
from p4warden_sandbox.seed import new_depot
from p4warden_sandbox.specdefs import DEPOT
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.specs import Spec

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


def _types(request: FormRequest) -> frozenset[str]:
    is_faulty = "no-stream-depots" in request.call.server.settings.defects
    return TYPES - {"stream"} if is_faulty else TYPES


class DepotCommand(FormCommand):
    form = DEPOT
    usage = Usage("depot [ -d -f -i -o ] [ -t type ] name", "dfiot:", max_arguments=1)
    saved_message = DEPOT_SAVED
    unchanged_message = DEPOT_UNCHANGED
    deleted_message = DEPOT_DELETED
    missing_message = NO_SUCH_DEPOT
    name_argument = "depotName"
    only_super_writes = True

    def propose(self, request: FormRequest) -> Spec:
        check_name(request.name)
        kind = request.options.values.get("t", "local")
        return new_depot(request.name, kind, request.owner)

    def check(self, request: FormRequest, new: Spec) -> Spec:
        check_name(new.name)
        kind = new.get("Type").lower()
        if kind not in _types(request):
            raise CommandError(INVALID_TYPE, type="depot type", arg=kind)
        self._check_spec_depot(request, new.having(Type=kind))
        depth = new.get("StreamDepth") or f"//{new.name}/1"
        complete_spec = new.having(Type=kind, StreamDepth=depth if kind == "stream" else "")
        return complete_spec.or_else(Owner=request.owner)

    def _check_spec_depot(self, request: FormRequest, new: Spec) -> None:
        if new.get("Type") != spec_depot.TYPE:
            if new.lines("SpecMap"):
                raise CommandError(SPEC_MAP_ELSEWHERE)
            return
        other = spec_depot.find(request.call.store)
        if other is not None and other.name != new.name:
            raise CommandError(SECOND_DEPOT_OF_TYPE, depotType=spec_depot.TYPE, depot=other.name)
