from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_KEY = Usage(
    "key [ -d ] name [ value ]", "d", refused_options="im", min_arguments=1, max_arguments=2
)


def key(call: Call) -> None:
    """Handle `p4 key`: show, set or delete a key; one that is not set has the value 0."""
    options = _KEY.read(call.request.arguments)
    name, *value = options.arguments
    keys = call.store.keys
    if value or "d" in options:
        call.require_super()
        keys.pop(name, None)
        if value:
            keys[name] = value[0]
        call.reply.line(f"Key {name} {'deleted' if 'd' in options else 'set'}.")
    else:
        call.reply.row([("key", name), ("value", keys.get(name, "0"))])
