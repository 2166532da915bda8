# All commands that p4warden sends to a server. Some errors are answers as well: a server without a
# protections table has no other way to say so. Numbers and texts are those of Perforce's C++ API
# (msgs/msgdm.cc), in `error_advice`'s notation. `p4 serverid` is not asked, because it is an error
# (msgs/msgserver.cc 569) on most small servers.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import P4

from p4warden.core.form_start import without_text_before
from p4warden.server.reply import Reply, messages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.server.reply import Messages, Row

_DM = 6 << 10
_NO_SUCH_CHANGE = _DM | 26  # N unknown.
_NO_SUCH_SPEC = _DM | 34  # client 'NAME' doesn't exist.
_SPEC_NOT_DEFINED = _DM | 417  # Spec TYPE not defined.
_PROTECTS_EMPTY = _DM | 456  # Protections table is empty. (Everyone is a super user then.)
_NO_SUCH_CONFIGURABLE = _DM | 546  # No such configuration variable 'NAME'.


_FIELDS = {
    "info": (
        "caseHandling unicode serverDate serverRoot serverServices serverVersion ServerID serverID"
    ),
    "protects -m": "permMax",
    "configure show": "ServerName Type Name Value",
    "configure help": "",
    "servers": "ServerID Services Address ExternalAddress",
    "depots": "name type depth",
    "dirs": "dir",
    "users": "User Type Email",
    "groups": (
        "group user isUser isOwner isSubGroup maxResults maxScanRows maxLockTime maxOpenFiles "
        "maxMemory"
    ),
    "monitor": "id status user time command args client host prog",
    "property -l": "name sequence value appliesToType appliesTo",
    "protect -o": "",
    "clients": "client Access Owner",
    "streams": "Stream Access Type",
    "branches": "branch Access",
    "labels": "label Access",
    "user -o": "FullName Email",
    "client -o": "",
    "client -i": "",
    "client -d": "",
    "spec -o": "Fields",
    "stream -o": "",
    "branch -o": "",
    "label -o": "",
    "depot -o": "",
    "triggers -o": "",
    "triggers -i": "",
    "have": "depotFile clientFile",
    "opened": "depotFile clientFile action",
    "files": "depotFile action rev time",
    "changes": "change time",
    # These are only timed or tried.
    "filelog": "",
    "fstat": "",
    "print": "",
    "sizes": "",
    "sync": "",
}
"""The fields of each command's rows; none where it has a form, or its rows are not read."""

LISTED_TYPES = ("local", "stream")
"""Of depots: listing others would ask another server or unpack archives."""

_FIRST_FIELDS = {"protect": "Protections"}
"""Of forms whose first field is not named as their type."""

_EMPTY_ANSWERS = {
    "protects -m": _PROTECTS_EMPTY,
    "configure show": _NO_SUCH_CONFIGURABLE,
    "client -d": _NO_SUCH_SPEC,
    "spec -o": _SPEC_NOT_DEFINED,
    "opened": _NO_SUCH_CHANGE,
    "files": _NO_SUCH_CHANGE,
}
"""Numbers of the errors that stand for no rows."""


def ask(p4: P4.P4, command: str, *arguments: str | bytes, **settings: Any) -> list[Row]:
    """Return a listed command's rows, or raise P4Exception; KeyError for an unlisted one."""
    rows: list[Row] = []
    visit_rows(p4, rows.append, command, *arguments, **settings)
    return rows


def visit_rows(
    p4: P4.P4,
    visit: Callable[[Row], object],
    command: str,
    *arguments: str | bytes,
    **settings: Any,
) -> int:
    """Pass a listed command's rows on one by one, as there may be a million; return their number.

    Raises:
        Exception: that of `visit`, after which no further row is passed on.
    """
    fields = _FIELDS[_listed_name(command, arguments[:1])].split()
    count = 0

    def counted(row: Row) -> None:
        nonlocal count
        count += 1
        visit({name: row[name] for name in fields if name in row} if fields else row)

    _reply(p4, counted, command, *arguments, **settings)
    return count


def local_depot(p4: P4.P4) -> str:
    """Return a depot with files of this server, `depot` if there is none.

    A question about another one goes to another server, or unpacks archives.
    """
    rows = ask(p4, "depots")
    return next((row["name"] for row in rows if row["type"] in LISTED_TYPES), "depot")


def form(p4: P4.P4, spec_type: str, *name: str | bytes) -> str:
    """Return the form of a listed `p4 TYPE -o`, without what triggers printed before it."""
    reply = _reply(p4, bool, spec_type, "-o", *name, tagged=False, encoding="raw")
    text = text_of(b"".join(reply.text))
    return without_text_before(text, _FIRST_FIELDS.get(spec_type, spec_type))


def said(p4: P4.P4, command: str, *arguments: str, **settings: Any) -> Messages:
    """Return the messages of a listed command, or raise P4Exception."""
    _listed_name(command, arguments[:1])
    return messages(p4, command, *arguments, **settings)


def _reply(
    p4: P4.P4,
    visit: Callable[[Row], object],
    command: str,
    *arguments: str | bytes,
    **settings: Any,
) -> Reply:
    name = _listed_name(command, arguments[:1])
    reply = Reply(visit)
    try:
        reply.receive(p4, command, *arguments, **settings)
    except P4.P4Exception:
        errors = {message.msgid for message in p4.messages if message.severity >= P4.P4.E_FAILED}
        if errors != {_EMPTY_ANSWERS.get(name)}:
            raise
    return reply


def setting(p4: P4.P4, configurable: str) -> str | None:
    """Return the value in effect of a configurable: of several, the first (p4 help configure)."""
    rows = ask(p4, "configure", "show", configurable, encoding="raw")
    values = [text_of(row.get("Value", b"")) for row in rows]
    return values[0] if values else None


def server_id(info: Mapping[str, Any]) -> Any:
    """Return the id in the answer to `p4 info`, as text or bytes; None without one.

    The API's message has the tag `ServerID` (msgs/msgserver.cc 598); that of `p4 serverid`, whose
    tag is `serverID`, is accepted too.
    """
    return info.get("ServerID") or info.get("serverID") or None


def _listed_name(command: str, first_argument: tuple[str | bytes, ...]) -> str:
    words = " ".join([command, *(word for word in first_argument if isinstance(word, str))])
    name = words if words in _FIELDS else command
    if name not in _FIELDS:
        raise KeyError(name)
    return name


def text_of(value: bytes) -> str:
    """Return bytes of a server as text; those that are not UTF-8 become surrogate escapes."""
    return value.decode("utf-8", "surrogateescape")
