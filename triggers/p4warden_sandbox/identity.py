"""The names that a client claims: its user, its workspace and its program.

Which characters a real server accepts in them is not known (variant `odd-names`).
"""

from __future__ import annotations

import re

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import ID_NON_PRINTABLE
from p4warden_sandbox.wire import Message

# A program's name may always contain blanks, as `Helix P4V` in public server logs.
_ODD = {
    "user": re.compile(r'["\s\x00]'),
    "client": re.compile(r'["\s\x00]'),
    "prog": re.compile(r'["\t\r\n\x00]'),
}


def admitted(request: Message, way: str) -> Message:
    """Return the request with the names that the server uses from then on.

    Args:
        request: the client's message.
        way: a value of the variant `odd-names`.

    Raises:
        CommandError: a name has odd characters, and such names are refused.
    """
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
