# Names are read as bytes, because a name need not be UTF-8.

from __future__ import annotations

from typing import Any

import P4

from p4warden.core.server_names import ServerNames, all_members
from p4warden.server.questions import ask, text_of


class _NameHandler(P4.OutputHandler):
    """Keeps only names, as a site may have many users."""

    def __init__(self) -> None:
        super().__init__()
        self.users: set[str] = set()
        self.members: dict[str, set[str]] = {}
        self.subgroups: dict[str, set[str]] = {}

    def outputStat(self, h: dict[str, Any]) -> int:  # noqa: N802 - P4Python's name
        if "User" in h:
            self.users.add(text_of(h["User"]))
        elif "group" in h:
            group, name = text_of(h["group"]), text_of(h.get("user", b""))
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
        group: tuple(sorted(all_members(group, handler.members, handler.subgroups)))
        for group in handler.members
    }
    return ServerNames(tuple(sorted(handler.users)), groups)
