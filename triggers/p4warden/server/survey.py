from __future__ import annotations

import collections

import P4

from p4warden.policy.starter import Survey
from p4warden.server.gather_facts import gather
from p4warden.server.questions import ask

MOST_OWNERS = 50


class _Owners(P4.OutputHandler):
    """Counts clients by owner and keeps no rows, as a server may have 100,000 clients."""

    def __init__(self) -> None:
        super().__init__()
        self.clients = collections.Counter[str]()

    def outputStat(self, h: dict[str, object]) -> int:  # noqa: N802 - P4Python's name
        self.clients[str(h.get("Owner", ""))] += 1
        return P4.OutputHandler.HANDLED


def survey(p4: P4.P4) -> Survey:
    """Ask the server for the data of a `Survey`, such as depots, groups and number of clients."""
    own = ask(p4, "user", "-o")[0]
    users = ask(p4, "users", "-a")
    members = collections.Counter(row["group"] for row in ask(p4, "groups") if _is_member(row))
    owners = _Owners()
    with p4.using_handler(owners):
        ask(p4, "clients")
    return Survey(
        address=p4.port,
        user=p4.user,
        full_name=own.get("FullName", ""),
        email=own.get("Email", ""),
        facts=gather(p4),
        services=_names_of_type(users, "service"),
        operators=_names_of_type(users, "operator"),
        groups=members,
        clients=owners.clients.total(),
        owners={name: n for name, n in owners.clients.most_common(MOST_OWNERS) if name},
    )


def _is_member(row: dict[str, str]) -> bool:
    return row.get("isUser") == "1"


def _names_of_type(users: list[dict[str, str]], user_type: str) -> tuple[str, ...]:
    return tuple(row["User"] for row in users if row.get("Type") == user_type)
