# Of clients only; they are kept in memory, and no file is written to the unload depot.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import dates
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    CLIENT_RELOADED,
    CLIENT_UNLOADED,
    NO_SUCH_DOMAIN,
    UNLOAD_DEPOT_MISSING,
    USAGE,
    WRONG_ARGUMENTS,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.usage import Options

_UNLOAD = Usage(
    "unload [ -f -L -p -z ] [ -c client | -l label | -s stream ] | [ -a | -al | -ac ]"
    " [ -d date | -u user ]",
    "fLza:c:d:",
    refused_options="pl:s:u:o:",
)
_RELOAD = Usage(
    "reload [ -f ] [ -c client | -l label | -s stream ]", "fc:", refused_options="l:s:p:"
)


def unload(call: Call) -> None:
    """Handle `p4 unload` of one client (-c), or of those last used before a day (-ac -d)."""
    options = _UNLOAD.read(call.request.arguments)
    if not any(depot.get("Type") == "unload" for depot in call.store.all("depot")):
        raise CommandError(UNLOAD_DEPOT_MISSING)
    if "f" in options:
        call.require_super()
    for client in _chosen(call, options):
        call.store.unloaded_clients[call.store.fold(client.name)] = client
        call.store.delete("client", client.name)
        call.reply.say(CLIENT_UNLOADED, object="Client", name=client.name)


def reload(call: Call) -> None:
    """Handle `p4 reload -c client`."""
    options = _RELOAD.read(call.request.arguments)
    name = options.values.get("c", "")
    client = call.store.unloaded_clients.pop(call.store.fold(name), None)
    if client is None:
        raise CommandError(NO_SUCH_DOMAIN, type="Client", name=name)
    call.store.save(client)
    call.reply.say(CLIENT_RELOADED, object="Client", name=client.name)


def _chosen(call: Call, options: Options) -> list[Spec]:
    """`-ac` reads as option -a with the value c."""
    name, date = options.values.get("c"), options.values.get("d")
    if name is not None:
        client = call.store.find("client", name)
        if client is None:
            raise CommandError(NO_SUCH_DOMAIN, type="Client", name=name)
        return [client]
    if options.values.get("a") != "c" or date is None:
        raise CommandError(WRONG_ARGUMENTS).under(USAGE, text=_UNLOAD.text)
    before_s = int(dates.seconds(f"{date} 00:00:00"))
    return [
        client
        for client in call.store.all("client")
        if int(dates.seconds(client.get("Access")) or 0) < before_s
    ]
