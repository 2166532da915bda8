"""Groups of decisions with the same exemption, fault or query that the server left unanswered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.reports.decision_record import Decision


class DecisionGroup(NamedTuple):
    """Logged decisions with the same exemption, fault or query that the server left unanswered.

    Attributes:
        name: the rule and the exemption, the fault and the reply to p4d, or the text about the
            query.
        times: the number of decisions.
        first_s, last_s: the times of the first and the last decision, in seconds since the epoch.
        users: the affected users, as far as the log names them.
    """

    name: str
    times: int
    first_s: float
    last_s: float
    users: frozenset[str] = frozenset()


class DecisionGroups:
    """Collector of decisions by exemption, fault or query that the server left unanswered."""

    def __init__(self) -> None:
        self._groups: dict[str, DecisionGroup] = {}

    def add(self, name: str, one: Decision) -> None:
        """Add a decision to the group of its exemption, fault or unanswered query (`name`)."""
        users = frozenset({one.user} if one.user else ())
        group = self._groups.get(name) or DecisionGroup(name, 0, one.time_s, one.time_s)
        self._groups[name] = DecisionGroup(
            name,
            group.times + one.times,
            min(group.first_s, one.time_s),
            max(group.last_s, one.time_s),
            group.users if users <= group.users else group.users | users,
        )

    def most_first(self) -> tuple[DecisionGroup, ...]:
        """Return the groups of a report's decisions, those with most decisions first."""
        return tuple(sorted(self._groups.values(), key=lambda group: (-group.times, group.name)))
