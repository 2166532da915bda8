from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.configurables import ANY_SERVER, Setting
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
    "configure set [ --comment=text ] [ server# ]name=value | unset [ --comment=text ]"
    " [ server# ]name | show [ allservers | name ]",
    min_arguments=1,
    max_arguments=3,
)
_COMMENT = "--comment="
_COMMENTS_MANDATORY = "dm.configure.comment.mandatory"


def configure(call: Call) -> None:
    """Handle `p4 configure` for the configurables that the sandbox knows; effective at once."""
    action, *words = _CONFIGURE.read(call.request.arguments).arguments
    about = [word for word in words if not word.startswith(_COMMENT)]
    call.require_super()
    if action == "show" and about in ([], ["allservers"]):
        for (set_for, set_name), number in sorted(call.store.configurables.set_values.items()):
            _show(call, set_name, Setting(set_for, "configure", number))
        return
    variable, equals, value = (about or [""])[0].partition("=")
    server, _, name = variable.rpartition("#")
    is_known = name in call.store.configurables and action in _ACTIONS
    lacks_comment = call.store.configurables[_COMMENTS_MANDATORY] and about == words
    if not is_known or bool(equals) != (action == "set") or (action != "show" and lacks_comment):
        raise CommandError(NOT_IN_SANDBOX, what=f"configure {action} {name}")
    _ACTIONS[action](call, server or ANY_SERVER, name, value)


def _set(call: Call, server: str, name: str, value: str) -> None:
    if not call.store.configurables.set(name, value, server):
        raise CommandError(BAD_CONFIGURE_VALUE, name=name, value=value)
    call.reply.say(CONFIGURE_SET, serverName=server, variableName=name, variableValue=value)


def _unset(call: Call, server: str, name: str, _value: str) -> None:
    call.store.configurables.unset(name, server)
    call.reply.say(CONFIGURE_UNSET, serverName=server, variableName=name)


def _show_one(call: Call, _server: str, name: str, _value: str) -> None:
    for setting in call.store.configurables.settings_of(name):
        _show(call, name, setting)


def _show(call: Call, name: str, setting: Setting) -> None:
    row = {
        "ServerName": setting.server,
        "Type": setting.origin,
        "Name": name,
        "Value": str(setting.value),
    }
    call.reply.send(row, f"{name}={setting.value} ({setting.origin})")


_ACTIONS = {"set": _set, "unset": _unset, "show": _show_one}
