"""The sandbox server's `p4 configure`: shows and sets configurables, effective at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.configurables import CONFIGURABLES
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    BAD_CONFIGURE_VALUE,
    CONFIGURE_SET,
    CONFIGURE_UNSET,
    NOT_IN_SANDBOX,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_CONFIGURE = Usage(
    "configure set name=value | unset name | show [ name ]", min_arguments=1, max_arguments=2
)
_ANY_SERVER = "any"


def configure(call: Call) -> None:
    """Handle a sandbox client's `p4 configure`: set, unset or show configurables.

    Only the few configurables that the sandbox knows are accepted.
    """
    action, *about = _CONFIGURE.read(call.request.arguments).arguments
    call.require_super()
    if action == "show" and not about:
        for set_name, number in sorted(call.store.configurables.set_values.items()):
            _show(call, set_name, number, "configure")
        return
    name, equals, value = about[0].removeprefix(f"{_ANY_SERVER}#").partition("=")
    if name not in CONFIGURABLES or action not in _ACTIONS or bool(equals) != (action == "set"):
        raise CommandError(NOT_IN_SANDBOX, what=f"configure {action} {name}")
    _ACTIONS[action](call, name, value)


def _set(call: Call, name: str, value: str) -> None:
    if not call.store.configurables.set(name, value):
        raise CommandError(BAD_CONFIGURE_VALUE, name=name, value=value)
    call.reply.say(CONFIGURE_SET, serverName=_ANY_SERVER, variableName=name, variableValue=value)


def _unset(call: Call, name: str, _value: str) -> None:
    call.store.configurables.unset(name)
    call.reply.say(CONFIGURE_UNSET, serverName=_ANY_SERVER, variableName=name)


def _show_one(call: Call, name: str, _value: str) -> None:
    configurables = call.store.configurables
    origin = "configure" if name in configurables.set_values else "default"
    _show(call, name, configurables[name], origin)


def _show(call: Call, name: str, value: int, origin: str) -> None:
    if call.reply.tagged:
        pairs = {"ServerName": _ANY_SERVER, "Type": origin, "Name": name, "Value": str(value)}
        call.reply.row(pairs.items())
    else:
        call.reply.line(f"{name}={value} ({origin})")


_ACTIONS = {"set": _set, "unset": _unset, "show": _show_one}
