"""`p4 switch`: change a client's stream. Unlike on a real server, its files are not synced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.client import ClientCommand
from p4warden_sandbox.usage import Options, Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_SWITCH = Usage("switch stream", refused="crRv", least=1, most=1)


def switch(call: Call) -> None:
    """Switch the client in use to another stream."""
    options = _SWITCH.read(call.request.arguments)
    ClientCommand().switch(call, Options({"S": options.arguments[0]}, [call.client]))
