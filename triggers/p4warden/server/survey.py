from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING

from p4warden.core.patterns import fold
from p4warden.policy.starter import Survey
from p4warden.server.gather_facts import gather, gather_names
from p4warden.server.questions import ask, visit_rows

if TYPE_CHECKING:
    import P4

MOST_OWNERS = 50


def survey(p4: P4.P4) -> Survey:
    """Ask the server for the data of a `Survey`, such as depots, groups and number of clients."""
    own = ask(p4, "user", "-o")[0]
    users = ask(p4, "users", "-a")
    names, facts = gather_names(p4), gather(p4)
    members = {group: len(of_group) for group, of_group in names.groups.items() if of_group}
    folded = functools.partial(fold, case_sensitive=facts.case_sensitive)
    own_groups = [g for g in members if folded(p4.user) in map(folded, names.groups[g])]
    owners = Counter[str]()
    clients = visit_rows(p4, lambda row: owners.update([row.get("Owner", "")]), "clients")
    return Survey(
        address=p4.port,
        user=p4.user,
        full_name=own.get("FullName", ""),
        email=own.get("Email", ""),
        facts=facts,
        own_group=min(own_groups, key=lambda group: (members[group], group), default=""),
        services=_names_of_type(users, "service"),
        operators=_names_of_type(users, "operator"),
        groups=members,
        group_owners=names.owners,
        clients=clients,
        owners={name: n for name, n in owners.most_common(MOST_OWNERS) if name},
    )


def _names_of_type(users: list[dict[str, str]], user_type: str) -> tuple[str, ...]:
    return tuple(row["User"] for row in users if row.get("Type") == user_type)
