"""Count logged decisions other than `allow` by user and rule, for the report on decisions.

Also counted are their programs, clients, addresses, and commands or forms.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.reports.decision_record import Decision

FIELDS = ("prog", "client", "ip", "what")
MOST_VALUES = 200
"""Maximum number of different values of one field that are counted separately for a user and a
rule. Users choose names, so further values are counted together as `OTHERS`."""
OTHERS = "(others)"


class Subject(NamedTuple):
    """Counts of decisions about one user by one rule, without allowed events and faults.

    Attributes:
        rule, user: the names of the rule and the user.
        verdicts: the number of decisions with each verdict.
        values: for each of `FIELDS` the number of decisions by value: the program, the client, the
            address, and the command or the form (`form-save client`).
        first_s, last_s: the times of the first and the last decision, in seconds since the epoch.
    """

    rule: str
    user: str
    verdicts: Mapping[str, int]
    values: Mapping[str, Mapping[str, int]]
    first_s: float
    last_s: float

    @property
    def total(self) -> int:
        """The number of the decisions counted in `verdicts`, over all verdicts."""
        return sum(self.verdicts.values())


class Subjects:
    """Counter of a report's decisions by user and rule."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Count] = {}

    def add(self, rule: str, user: str, one: Decision) -> None:
        """Add a logged decision, as often as it occurred, to the counts of a rule and user."""
        self._counts.setdefault((rule, user), _Count(one.time_s)).add(one)

    def most_first(self) -> tuple[Subject, ...]:
        """Return the counts of each rule and user, by rule, those with most decisions first."""
        subjects = [count.subject(*key) for key, count in self._counts.items()]
        return tuple(sorted(subjects, key=lambda one: (one.rule, -one.total, one.user)))


class _Count:
    def __init__(self, time_s: float) -> None:
        self._verdicts: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {field: Counter() for field in FIELDS}
        self._first_s = self._last_s = time_s

    def add(self, one: Decision) -> None:
        self._verdicts[one.verdict] += one.times
        self._first_s = min(self._first_s, one.time_s)
        self._last_s = max(self._last_s, one.time_s)
        for field, counts in self._values.items():
            value = getattr(one, field)
            if value is not None:
                is_new = value not in counts and len(counts) >= MOST_VALUES
                counts[OTHERS if is_new else value] += one.times

    def subject(self, rule: str, user: str) -> Subject:
        values = {**self._values, "what": _counts_with_names(self._values["what"])}
        return Subject(rule, user, self._verdicts, values, self._first_s, self._last_s)


def _counts_with_names(counts: Counter[str]) -> Counter[str]:
    """Return the counts without those of bare events, such as `command` and `form-save`.

    If there are no others, return all: a log line that stands for many decisions has only the
    event.
    """
    with_name = Counter({name: n for name, n in counts.items() if not _is_event_alone(name)})
    return with_name or counts


def _is_event_alone(name: str) -> bool:
    return name == "command" or (name.startswith("form-") and " " not in name)
