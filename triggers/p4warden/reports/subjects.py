"""Whom a rule was about: each user at each rule, with all that an exemption could name."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.reports.decision_record import Decision

FIELDS = ("prog", "client", "ip", "what")
MOST_VALUES = 200
"""Users choose names; beyond so many of one field the rest is counted together."""
OTHERS = "(others)"


class Subject(NamedTuple):
    """One user at one rule.

    Attributes:
        rule, user: their names.
        verdicts: how many decisions of each verdict.
        values: for each of `FIELDS` how many decisions named which value: the program, the client,
            the address, and the command or the form (`form-save client`).
        first_s, last_s: when the log told of the first and of the last, since the epoch.
    """

    rule: str
    user: str
    verdicts: Mapping[str, int]
    values: Mapping[str, Mapping[str, int]]
    first_s: float
    last_s: float

    @property
    def total(self) -> int:
        """The number of decisions."""
        return sum(self.verdicts.values())


class Subjects:
    """Subjects, put together as decisions are read."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Count] = {}

    def add(self, rule: str, user: str, one: Decision) -> None:
        """Count a decision."""
        self._found.setdefault((rule, user), _Count(one.time_s)).add(one)

    def most_first(self) -> tuple[Subject, ...]:
        """Return the subjects by rule, within one those with the most decisions first."""
        found = [count.subject(*key) for key, count in self._found.items()]
        return tuple(sorted(found, key=lambda one: (one.rule, -one.total, one.user)))


class _Count:
    def __init__(self, time_s: float) -> None:
        self._verdicts: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {field: Counter() for field in FIELDS}
        self._first_s = self._last_s = time_s

    def add(self, one: Decision) -> None:
        self._verdicts[one.verdict] += one.times
        self._first_s = min(self._first_s, one.time_s)
        self._last_s = max(self._last_s, one.time_s)
        for field, counted in self._values.items():
            value = getattr(one, field)
            if value is not None:
                is_new = value not in counted and len(counted) >= MOST_VALUES
                counted[OTHERS if is_new else value] += one.times

    def subject(self, rule: str, user: str) -> Subject:
        values = {**self._values, "what": _named(self._values["what"])}
        return Subject(rule, user, self._verdicts, values, self._first_s, self._last_s)


def _named(counted: Counter[str]) -> Counter[str]:
    """Return commands and forms by name; events that a line tells without it only where none is.

    The line about a flood has the event, `command` or `form-save`, and not which command or form.
    """
    named = Counter({name: n for name, n in counted.items() if not _is_event_alone(name)})
    return named or counted


def _is_event_alone(name: str) -> bool:
    return name == "command" or (name.startswith("form-") and " " not in name)
