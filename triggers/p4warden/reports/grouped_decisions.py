from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from p4warden.reports.decision_record import Decision


class DecisionGroup(NamedTuple):
    """Decisions with the same exemption, fault or question without an answer."""

    name: str  # that they have in common
    times: int
    first_s: float  # since the epoch
    last_s: float
    users: frozenset[str] = frozenset()  # as far as the log names them


class DecisionGroups:
    def __init__(self) -> None:
        self._groups: dict[str, DecisionGroup] = {}

    def add(self, name: str, one: Decision) -> None:
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
        return tuple(sorted(self._groups.values(), key=lambda group: (-group.times, group.name)))
