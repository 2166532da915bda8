from __future__ import annotations

import json
from typing import Any, NamedTuple, get_type_hints

from p4warden.core.time_spans import LATEST_S

DONE = "done"
MAX_TEXT_CHARACTERS = 500


class Person(NamedTuple):
    account: str  # the real user, from the kernel
    login: str | None = None  # from the kernel; None if no login is known
    sudo_user: str | None = None  # `SUDO_USER`, which anyone can set
    p4user: str | None = None  # of the connection, else `P4USER`
    host: str = ""
    terminal: str | None = None  # of standard input
    ssh_from: str | None = None  # of `SSH_CONNECTION`, which anyone can set

    def names(self) -> str:
        """For example `perforce (login anna, P4USER root)`."""
        names = {"login": self.login, "sudo": self.sudo_user, "P4USER": self.p4user}
        other_names = ", ".join(f"{source} {name}" for source, name in names.items() if name)
        return f"{self.account} ({other_names})" if other_names else self.account


class Change(NamedTuple):
    """A change to an installation, successful or failed."""

    number: int  # from 1 in each home folder
    time_s: float  # since the epoch
    # `activate`, `follow`, `deploy`, `rollback`, `uninstall`, `off`, `on`, `baseline`, `refresh`,
    # `allow`, `end allowance`, `servers` for other servers that were named, or `found` for a
    # policy of before the history.
    action: str
    person: Person
    version: str  # of p4warden
    policy: str | None = None  # digest of the one running afterwards
    table: str | None = None  # digest as last read, None if it never was
    found_table: str | None = None  # digest before a deploy, rollback or uninstall
    lines: str | None = None  # digest of p4warden's lines in `table`
    line_count: int = 0
    server: str | None = None  # P4PORT; None if none was involved
    message: str | None = None  # the author's reason
    outcome: str = DONE  # or `failed: ...`
    to: int | None = None  # number of the change whose state a rollback restored
    until_s: int | None = None  # end of an `off` or `allow`, since the epoch
    note: str | None = None

    @property
    def is_done(self) -> bool:
        return self.outcome == DONE

    def remarks(self) -> list[str]:
        """Return the message and the note, if any, and the outcome of a change that failed."""
        texts = (self.message, self.note, None if self.is_done else self.outcome)
        return [text for text in texts if text]


_TYPES = {**get_type_hints(Change), **get_type_hints(Person), "time_s": int | float}


def to_document(change: Change) -> dict[str, Any]:
    """Convert a change to a flat JSON object without empty fields; long texts are cut."""
    fields = change._asdict()
    fields["time"] = fields.pop("time_s")
    person = fields.pop("person")._asdict()
    first = {name: fields.pop(name) for name in ("number", "time", "action")}
    document = {**first, **person, **fields}
    return {name: _short(value) for name, value in document.items() if value not in (None, "")}


def to_line(change: Change) -> bytes:
    """Return the line of the history file."""
    return json.dumps(to_document(change)).encode() + b"\n"


def from_line(line: bytes) -> Change | None:
    """Parse a line of the history; None for a line that is damaged or cut off."""
    try:
        document = json.loads(line)
        fields = {name: document[name] for name in Change._fields if name in document}
        person = {name: document[name] for name in Person._fields if name in document}
        change = Change(time_s=document["time"], person=Person(**person), **fields)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return change if _is_sound(change) else None


def _is_sound(change: Change) -> bool:
    values = {**change._asdict(), **change.person._asdict()}
    have_types = all(
        isinstance(value, _TYPES[name]) and not isinstance(value, bool)
        for name, value in values.items()
    )
    return have_types and 0 <= change.time_s <= LATEST_S


def _short(value: object) -> object:
    return value[:MAX_TEXT_CHARACTERS] if isinstance(value, str) else value
