"""`p4 switch` and `p4 client -s`: another stream, or another client's view, for a client.

Whether the triggers of the client's form run then is not known (variant `stream-switch`). The
client's files are not synced here, which `p4 switch` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import DOMAIN_SWITCHED, NO_SUCH_DOMAIN
from p4warden_sandbox.specs import format_form
from p4warden_sandbox.usage import Options, Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.client import ClientCommand

_SWITCH = Usage("switch stream", refused="crRv", least=1, most=1)


class SwitchCommand:
    """`p4 switch stream`: the client in use gets another stream."""

    def __init__(self, clients: ClientCommand) -> None:
        self._clients = clients

    def __call__(self, call: Call) -> None:
        """Run the command."""
        options = _SWITCH.read(call.request.arguments)
        switch(self._clients, call, Options({"S": options.arguments[0]}, [call.client]))


def switch(clients: ClientCommand, call: Call, options: Options) -> None:
    """Give a client the stream of -S, or the view of the client that -t names.

    Raises:
        CommandError: there is no such client, stream or template.
    """
    name = options.arguments[0] if options.arguments else call.client
    old = call.store.find("client", name)
    if old is None:
        raise CommandError(NO_SUCH_DOMAIN, type="Client", name=name)
    new = clients.switched(call, options, old)
    if call.behaves("stream-switch", "fires"):
        clients.take(call, options, format_form(new), quiet=True)
    else:
        call.store.save(new)
    call.reply.say(DOMAIN_SWITCHED, domainType="Client", domainName=name)
