# Which characters a real server accepts in these names is not known (variant `odd-names`).

from __future__ import annotations

import re

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import ID_NON_PRINTABLE
from p4warden_sandbox.wire import Message

# A space in a program's name is allowed: public server logs have the program `Helix P4V`.
_ODD = {
    "user": re.compile(r'["\s\x00]'),
    "client": re.compile(r'["\s\x00]'),
    "prog": re.compile(r'["\t\r\n\x00]'),
}


def admitted(request: Message, way: str) -> Message:
    """Return a request with admitted names; CommandError if `way` (`odd-names`) refuses one."""
    if way == "accepted":
        return request
    for name, odd in _ODD.items():
        if way == "refused" and odd.search(request.text(name)):
            raise CommandError(ID_NON_PRINTABLE, id=request.text(name))
    return Message(
        tuple(
            (key, _ODD[key].sub("_", value) if key in _ODD else value)
            for key, value in request.pairs
        )
    )
