"""Record of one change to an installation, and its JSON line in the history."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

DONE = "done"
MAX_TEXT_CHARACTERS = 500
_NUMBERS = ("number", "line_count", "to", "until_s")
_END_S = 2**33


class Person(NamedTuple):
    """The person who ran a p4warden command, and the place the command came from.

    Attributes:
        account: the real user, from the kernel.
        login: the user who logged in, from the kernel; None if no login is known.
        sudo_user: `SUDO_USER`, which sudo sets and anyone else can set too.
        p4user: the Perforce user of the connection to the server, else `P4USER`.
        host: the name of this host.
        terminal: the terminal of standard input, None without one.
        ssh_from: the client's address in `SSH_CONNECTION`, which sshd sets and anyone else can
            set too.
    """

    account: str
    login: str | None = None
    sudo_user: str | None = None
    p4user: str | None = None
    host: str = ""
    terminal: str | None = None
    ssh_from: str | None = None

    def names(self) -> str:
        """Return the person's user names with their sources, as text.

        For example `perforce (login anna, P4USER root)`.
        """
        names = {"login": self.login, "sudo": self.sudo_user, "P4USER": self.p4user}
        other_names = ", ".join(f"{source} {name}" for source, name in names.items() if name)
        return f"{self.account} ({other_names})" if other_names else self.account


class Change(NamedTuple):
    """A change to an installation, successful or failed, as recorded in the history.

    Attributes:
        number: the change's number, counted from 1 in each home folder.
        time_s: the time of the change, in seconds since the epoch.
        action: `activate`, `follow`, `deploy`, `rollback`, `uninstall`, `off`, `on`, `baseline`,
            `refresh`, `servers` for other servers that were named, or `found` for a policy that
            was running before the history began.
        person: the person who ran the command, and the place it came from.
        version: the release of p4warden that made the change.
        policy: the digest of the policy running afterwards, None without one.
        table: the digest of the triggers table as last read by p4warden, None if it never was.
        found_table: the digest of the triggers table before a deploy, a rollback or an uninstall.
        lines: the digest of p4warden's lines in `table`.
        line_count: the number of those lines.
        server: the server's address, as in P4PORT; None if no server was involved.
        message: the reason given by the author.
        outcome: `done`, or a text `failed: ...` with the reason.
        to: for a rollback, the number of the change whose state was restored.
        until_s: for an `off` with an end, that end in seconds since the epoch.
        note: further information, in a few words.
    """

    number: int
    time_s: float
    action: str
    person: Person
    version: str
    policy: str | None = None
    table: str | None = None
    found_table: str | None = None
    lines: str | None = None
    line_count: int = 0
    server: str | None = None
    message: str | None = None
    outcome: str = DONE
    to: int | None = None
    until_s: int | None = None
    note: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether the change succeeded; the history also records failed changes."""
        return self.outcome == DONE


def to_document(change: Change) -> dict[str, Any]:
    """Convert a change to the JSON object of its history line; long texts are cut.

    The fields of the person are put on the same level. Fields that are None or an empty text are
    left out.
    """
    fields = change._asdict()
    fields["time"] = fields.pop("time_s")
    person = fields.pop("person")._asdict()
    first = {name: fields.pop(name) for name in ("number", "time", "action")}
    document = {**first, **person, **fields}
    return {name: _short(value) for name, value in document.items() if value not in (None, "")}


def to_line(change: Change) -> bytes:
    """Return a change's JSON line in the history file, with the line end."""
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
    """Tell whether the values of a parsed change have valid types, and its time a valid value.

    None is valid only where the field allows it.
    """
    defaults = {**Change._field_defaults, **Person._field_defaults}
    values = {**change._asdict(), **change.person._asdict()}
    del values["person"]
    have_types = all(
        defaults.get(name, "") is None if value is None else _has_type(name, value)
        for name, value in values.items()
    )
    return have_types and 0 <= change.time_s < _END_S


def _has_type(name: str, value: object) -> bool:
    return isinstance(value, _type_of(name)) and not isinstance(value, bool)


def _type_of(name: str) -> type | tuple[type, ...]:
    return (int, float) if name == "time_s" else int if name in _NUMBERS else str


def _short(value: object) -> object:
    return value[:MAX_TEXT_CHARACTERS] if isinstance(value, str) else value
