"""`p4 configure` for the one configurable that changes what the sandbox does: triggers.io."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import BAD_CONFIGURE_VALUE, CONFIGURE_SET, NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_CONFIGURE = Usage("configure set triggers.io=value | show [ triggers.io ]", least=1, most=2)
_NAME = "triggers.io"
_VALUES = {"0": False, "1": True}


def configure(call: Call) -> None:
    """Set or show triggers.io; no restart is needed (release notes 2014.1)."""
    arguments = _CONFIGURE.read(call.request.arguments).arguments
    call.require_super()
    action, about = arguments[0], arguments[1] if len(arguments) > 1 else _NAME
    name, equals, value = about.partition("=")
    if name != _NAME:
        raise CommandError(NOT_IN_SANDBOX, what=f"configure {action} {name}")
    if action == "set" and equals:
        _set(call, value)
    elif action == "show":
        _show(call)
    else:
        raise CommandError(NOT_IN_SANDBOX, what=f"configure {action}")


def _set(call: Call, value: str) -> None:
    if value not in _VALUES:
        raise CommandError(BAD_CONFIGURE_VALUE, name=_NAME, value=value)
    call.store.triggers_io = _VALUES[value]
    call.reply.say(CONFIGURE_SET, serverName="any", variableName=_NAME, variableValue=value)


def _show(call: Call) -> None:
    value = str(int(call.store.triggers_io))
    if call.reply.tagged:
        pairs = {"ServerName": "any", "Type": "configure", "Name": _NAME, "Value": value}
        call.reply.row(pairs.items())
    else:
        call.reply.line(f"{_NAME}={value} (configure)")
