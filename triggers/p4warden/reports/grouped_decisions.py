"""Decisions of one kind, put together as they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.reports.decision_record import Decision


class Group(NamedTuple):
    """So many decisions of one kind.

    Attributes:
        name: the exemption, cause or trouble in common.
        times: how many there were.
        first_s, last_s: when the log told of the first and of the last, since the epoch.
        users: the users they were about, where the log says it.
    """

    name: str
    times: int
    first_s: float
    last_s: float
    users: frozenset[str] = frozenset()


class Groups:
    """Groups by name."""

    def __init__(self) -> None:
        self._groups: dict[str, Group] = {}

    def add(self, name: str, one: Decision) -> None:
        """Count a decision."""
        users = frozenset({one.user} if one.user else ())
        known = self._groups.get(name) or Group(name, 0, one.time_s, one.time_s)
        self._groups[name] = Group(
            name,
            known.times + one.times,
            min(known.first_s, one.time_s),
            max(known.last_s, one.time_s),
            known.users if users <= known.users else known.users | users,
        )

    def most_first(self) -> tuple[Group, ...]:
        """Return the groups, those with the most decisions first."""
        return tuple(sorted(self._groups.values(), key=lambda group: (-group.times, group.name)))
