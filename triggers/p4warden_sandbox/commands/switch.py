from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.client import ClientCommand, client_form
from p4warden_sandbox.usage import Options, Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_SWITCH = Usage("switch stream", refused_options="crRv", min_arguments=1, max_arguments=1)


def switch(call: Call) -> None:
    """Handle `p4 switch STREAM`: save the client workspace in use with another stream."""
    options = _SWITCH.read(call.request.arguments)
    command = ClientCommand(client_form(call))
    command.switch(call, Options({"S": options.arguments[0]}, [call.client]))
