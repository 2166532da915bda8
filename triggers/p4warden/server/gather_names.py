# Names are read as bytes, because a name need not be UTF-8.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import P4

from p4warden.core.server_names import ServerNames
from p4warden.server.questions import ask

if TYPE_CHECKING:
    from collections.abc import Mapping


class _NameHandler(P4.OutputHandler):
    """Keeps only names, as a site may have many users."""

    def __init__(self) -> None:
        super().__init__()
        self.users: set[str] = set()
        self.members: dict[str, set[str]] = {}
        self.subgroups: dict[str, set[str]] = {}

    def outputStat(self, h: dict[str, Any]) -> int:  # noqa: N802 - P4Python's name
        if "User" in h:
            self.users.add(_text(h["User"]))
        elif "group" in h:
            group, name = _text(h["group"]), _text(h.get("user", b""))
            self.members.setdefault(group, set())
            if h.get("isUser") == b"1":
                self.members[group].add(name)
            if h.get("isSubGroup") == b"1":
                self.subgroups.setdefault(group, set()).add(name)
        return P4.OutputHandler.HANDLED


def gather(p4: P4.P4) -> ServerNames:
    """Return all users, also service users and operators, and each group's with subgroups."""
    handler = _NameHandler()
    with p4.saved_context(encoding="raw"), p4.using_handler(handler):
        ask(p4, "users", "-a")
        ask(p4, "groups")
    groups = {
        group: _users_of(group, handler.members, handler.subgroups) for group in handler.members
    }
    return ServerNames(tuple(sorted(handler.users)), groups)


def _users_of(
    group: str, members: Mapping[str, set[str]], subgroups: Mapping[str, set[str]]
) -> tuple[str, ...]:
    """Also if groups contain each other."""
    visited_groups, waiting_groups, users = {group}, [group], set[str]()
    while waiting_groups:
        name = waiting_groups.pop()
        users |= members.get(name, set())
        waiting_groups += subgroups.get(name, set()) - visited_groups
        visited_groups |= subgroups.get(name, set())
    return tuple(sorted(users))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
