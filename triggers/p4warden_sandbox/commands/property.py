from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    PROPERTY_ADDED,
    PROPERTY_DELETED,
    USE_PROPERTY,
)
from p4warden_sandbox.properties import Property
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.usage import Options

_PROPERTY = Usage(
    "property [ -a -n name -v value | -d -n name | -l [ -n name ] ] [ -s sequence ]"
    " [ -u user | -g group ] [ -A ] [ -m max ]",
    "adln:v:s:u:g:Am:",
    refused_options="F:T:",
)
_REQUIRED_LETTERS = {"a": {"n", "v"}, "d": {"n"}, "l": set[str]()}
_DEFAULT_SEQUENCE = 1


def property_command(call: Call) -> None:
    """Handle a client's `p4 property`: add (-a), delete (-d) or list (-l) stored properties."""
    options = _PROPERTY.read(call.request.arguments)
    letters = options.values.keys()
    actions = letters & _REQUIRED_LETTERS.keys()
    if (
        len(actions) != 1
        or {"u", "g"} <= letters
        or not _REQUIRED_LETTERS[min(actions)] <= letters
    ):
        raise CommandError(USE_PROPERTY)
    if "l" not in actions or "A" in options:
        call.require_super()
    {"a": _add, "d": _delete, "l": _list}[min(actions)](call, options)


def _property(options: Options) -> Property:
    arguments = options.values
    sequence = options.number("s")
    return Property(
        arguments.get("n", ""),
        _DEFAULT_SEQUENCE if sequence is None else sequence,
        arguments.get("u", ""),
        arguments.get("g", ""),
        arguments.get("v", ""),
    )


def _add(call: Call, options: Options) -> None:
    one = _property(options)
    call.store.properties.put(one)
    call.reply.say(PROPERTY_ADDED, settingName=one.name, action="set")


def _delete(call: Call, options: Options) -> None:
    one = _property(options)
    call.store.properties.remove(one)
    call.reply.say(PROPERTY_DELETED, settingName=one.name)


def _list(call: Call, options: Options) -> None:
    """The properties are those that apply to the user, or all of them with -A."""
    arguments, groups = options.values, {"", *call.store.groups_of(call.user)}
    everyone = "A" in options
    properties = [
        one
        for one in call.store.properties.all()
        if arguments.get("n", one.name) == one.name
        and options.number("s") in {None, one.sequence}
        and arguments.get("u", one.user) == one.user
        and arguments.get("g", one.group) == one.group
        and (everyone or (one.user in {"", call.user} and one.group in groups))
    ]
    for one in properties[: options.limit()]:
        _send(call, one)


def _send(call: Call, one: Property) -> None:
    kind = "user" if one.user else "group" if one.group else "everyone"
    applies = {"appliesTo": one.user or one.group} if one.user or one.group else {}
    row = {"name": one.name, "sequence": str(one.sequence), "value": one.value}
    call.reply.row({**row, "appliesToType": kind, **applies}.items())
