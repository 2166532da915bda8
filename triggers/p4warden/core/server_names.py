"""Users and groups of a server as JSON, for commands such as `check`; no trigger reads them.

Shape: `{"format": 1, "users": [...], "groups": {"build-farm": [users]}, "owners": {"build-farm":
[users]}}`. The members of a group include those of its subgroups, and so do its owners, who may
change the members (p4 help group).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "names.json"
FORMAT = 1


class ServerNames(NamedTuple):
    users: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    owners: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def groups_of(self) -> dict[str, tuple[str, ...]]:
        of_user: dict[str, list[str]] = {}
        for group, members in self.groups.items():
            for user in members:
                of_user.setdefault(user, []).append(group)
        return {user: tuple(groups) for user, groups in of_user.items()}


def all_members(
    group: str, users: Mapping[str, set[str]], subgroups: Mapping[str, set[str]]
) -> set[str]:
    """Return a group's users with those of its subgroups, even if groups contain each other.

    `users` are members or owners.
    """
    members, visited_groups, waiting_groups = set[str](), {group}, [group]
    while waiting_groups:
        name = waiting_groups.pop()
        members |= users.get(name, set())
        new_groups = subgroups.get(name, set()) - visited_groups
        visited_groups |= new_groups
        waiting_groups += new_groups
    return members


def to_document(names: ServerNames) -> dict[str, Any]:
    """Return the document that `from_document` reads."""
    return {
        "format": FORMAT,
        "users": list(names.users),
        "groups": {group: list(users) for group, users in sorted(names.groups.items())},
        "owners": {group: list(users) for group, users in sorted(names.owners.items())},
    }


def from_document(document: Any) -> ServerNames:
    """Raise ValueError for another format, and other errors for another shape."""
    if document["format"] != FORMAT:
        raise ValueError(document["format"])
    groups, owners = map(_by_group, (document["groups"], document["owners"]))
    return ServerNames(tuple(map(str, document["users"])), groups, owners)


def _by_group(document: Any) -> dict[str, tuple[str, ...]]:
    return {str(group): tuple(map(str, users)) for group, users in document.items()}
