from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError
from p4warden.server.error_advice import (
    NO_TICKET,
    NOT_LOGGED_IN,
    NOT_TRUSTED,
    TOO_MANY_COMMANDS,
    UNICODE_SERVER,
    FailedConnection,
    advice,
)
from p4warden.server.setting_places import place_of

if TYPE_CHECKING:
    import P4


def require_login(p4: P4.P4) -> None:
    """Raise P4WardenError with the remedy if the last p4 command failed for lack of a login."""
    numbers = {message.msgid for message in p4.messages}
    if numbers & NOT_LOGGED_IN:
        raise P4WardenError(*advice(_reached(p4), numbers, ""))


def is_of_unicode(error: P4.P4Exception) -> bool:
    """Tell whether a server in unicode mode refuses a connection without a character set."""
    return _numbers(error) == {UNICODE_SERVER}


def is_of_load(error: BaseException | None) -> bool:
    """Tell whether the server runs as many commands as `server.maxcommands` lets it."""
    return TOO_MANY_COMMANDS in _numbers(error)


def _numbers(error: BaseException | None) -> set[int]:
    return {message.msgid for message in getattr(error, "messages", []) if message.msgid}


def problem_and_remedy(p4: P4.P4, error: P4.P4Exception, port: str | None) -> tuple[str, str]:
    """Return why a connection failed, and its remedy or ""; `port` is None for P4PORT's."""
    numbers = _numbers(error)
    if numbers & NO_TICKET and p4.env("P4PASSWD"):
        return f"{p4.user}@{p4.port}: P4PASSWD is not this account's password", "remove it"
    trust = p4.env("P4TRUST") if numbers & NOT_TRUSTED else None
    folder = {"P4TICKETS": p4.ticket_file if numbers & NO_TICKET else None, "P4TRUST": trust}
    for name, path in folder.items():
        if path and os.path.isdir(path):  # noqa: PTH112 - False for a path that is not permitted
            remedy = f"set it to a file, such as {path}/{name.lower()}"
            return f"{name}: {path} is a folder", remedy
    port_place = "the port" if port else place_of("P4PORT")
    reached = _reached(p4)._replace(port_place=port_place)
    return advice(reached, numbers, message_of(error))


def _reached(p4: P4.P4) -> FailedConnection:
    usual = p4.ticket_file == str(Path("~/.p4tickets").expanduser())
    return FailedConnection(p4.port, p4.user, None if usual else p4.ticket_file)


def message_of(error: P4.P4Exception) -> str:
    """Return the server's errors in an exception, one per line; without any, all of its text."""
    messages = getattr(error, "errors", None) or [str(error)]
    return "\n".join(s.decode("utf-8", "replace") if isinstance(s, bytes) else s for s in messages)
