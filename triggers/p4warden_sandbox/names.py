from __future__ import annotations

import re

from p4warden_sandbox.depot_paths import WILDCARD
from p4warden_sandbox.message_stack import CommandError, MessageId
from p4warden_sandbox.messages import (
    ID_EMPTY,
    ID_HAS_DASH,
    ID_HAS_REVISION,
    ID_HAS_SLASH,
    ID_NON_PRINTABLE,
    ID_NUMBER,
    ID_TOO_LONG,
    ID_WILD,
)
from p4warden_sandbox.wire import Message, to_bytes

# Which characters a real server accepts in these names is not known (variant `odd-names`).
# A space in a program's name is allowed: public server logs have the program `Helix P4V`.
_ODD = {
    "user": re.compile(r'["\s\x00]'),
    "client": re.compile(r'["\s\x00]'),
    "prog": re.compile(r'["\t\r\n\x00]'),
}
_MAX_BYTES = 1024


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


def check_client(name: str) -> None:
    """Raise CommandError for a current client that a real server refuses; it need not exist.

    Odd characters are the variant `odd-names`.
    """
    if name:
        check_name("".join(character for character in name if character >= " "))


def check_name(name: str) -> None:
    """Raise CommandError for a bad name (Perforce API source msgs/msgdm.cc, from IdHasDash on)."""
    if not name:
        raise CommandError(ID_EMPTY)
    if len(to_bytes(name)) > _MAX_BYTES:
        raise CommandError(ID_TOO_LONG)
    refused: dict[MessageId, bool] = {
        ID_HAS_DASH: name.startswith("-"),
        ID_NON_PRINTABLE: any(character < " " for character in name),
        ID_HAS_REVISION: "@" in name or "#" in name,
        ID_HAS_SLASH: "/" in name,
        ID_WILD: WILDCARD.search(name) is not None,
        ID_NUMBER: name.isascii() and name.isdigit(),
    }
    for kind, applies in refused.items():
        if applies:
            raise CommandError(kind, id=name)
