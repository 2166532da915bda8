# A server spec has an effect only if its id is the sandbox's own: it changes `%serverservices%` in
# trigger lines and the output of `p4 info`.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    INVALID_TYPE,
    NO_SERVER_ID,
    NO_SUCH_SERVER,
    SERVER_DELETED,
    SERVER_SAVED,
    SERVER_UNCHANGED,
)
from p4warden_sandbox.names import check_name
from p4warden_sandbox.specdefs import SERVER
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.store import Store

# P4 Command Reference, "p4 server". All other services belong to the type `server`.
TYPES = frozenset({"server", "proxy", "broker", "identifier", "connector"})
_SERVERS = Usage("servers", refused_options="J")
_SERVERID = Usage("serverid [ serverID ]", max_arguments=1)


class ServerCommand(FormCommand):
    form = SERVER
    usage = Usage("server [ -d -i -o ] serverID", "dio", refused_options="glc:", max_arguments=1)
    saved_message = SERVER_SAVED
    unchanged_message = SERVER_UNCHANGED
    deleted_message = SERVER_DELETED
    missing_message = NO_SUCH_SERVER
    only_super_writes = True

    def propose(self, request: FormRequest) -> Spec:
        """The default values of a real server are not documented; these are inferred."""
        check_name(request.name)
        spec = Spec(SERVER).having(
            ServerID=request.name,
            Type="server",
            Name=request.name,
            Services="standard",
            Description=f"Created by {request.call.user}.\n",
        )
        return spec.having(Options=full_options(spec))

    def check(self, request: FormRequest, new: Spec) -> Spec:
        del request
        check_name(new.name)
        kind = new.get("Type").lower()
        if kind not in TYPES:
            raise CommandError(INVALID_TYPE, type="server type", arg=kind)
        return new.having(Type=kind, Options=full_options(new))

    def names(self, name: str) -> dict[str, str]:
        return {"serverName": name, "server": name}


def servers(call: Call) -> None:
    """Handle `p4 servers`: list server specs (Perforce API source msgs/msgdm.cc, ServersData)."""
    _SERVERS.read(call.request.arguments)
    fields = ("ServerID", "Name", "Address", "ExternalAddress", "Type", "Services", "Description")
    for spec in call.store.all(SERVER.name):
        row = {field: spec.get(field) for field in fields if spec.get(field)}
        about = " ".join(spec.get(f) for f in ("Type", "Name", "Address", "Services"))
        description = spec.get("Description").replace("\n", " ")
        call.reply.send(row, f"{spec.name} {about} '{description}'")


def serverid(call: Call) -> None:
    """Handle `p4 serverid`: show the server's id, or set it if there is none yet."""
    arguments = _SERVERID.read(call.request.arguments).arguments
    configurables = call.store.configurables
    if arguments:
        call.require_super()
        configurables.server_id = arguments[0]
    if not configurables.server_id:
        raise CommandError(NO_SERVER_ID)
    call.reply.row([("serverID", configurables.server_id)])


def services(store: Store, server_id: str) -> str:
    """Return the Services field of the server spec with this id; `standard` without a spec."""
    own = store.find(SERVER.name, server_id)
    return own.get("Services") if own else "standard"
