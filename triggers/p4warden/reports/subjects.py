from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.reports.decision_record import Decision

FIELDS = ("what", "spec_or_client", "prog", "ip")
MOST_VALUES = 200
"""Different values of a field; users choose names, so further ones are counted as `OTHERS`."""
OTHERS = "(others)"
ONLY_COUNTED = "(only counted)"
"""Decisions of a log line that stands for several and names neither command nor form."""


class Subject(NamedTuple):
    """Without allowed events and faults."""

    rule: str
    user: str
    verdicts: Mapping[str, int]
    values: Mapping[str, Mapping[str, int]]  # by field of `FIELDS`
    first_s: float  # since the epoch
    last_s: float

    @property
    def total(self) -> int:
        return sum(self.verdicts.values())


class Subjects:
    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Count] = {}

    def add(self, rule: str, user: str, one: Decision) -> None:
        self._counts.setdefault((rule, user), _Count(one.time_s)).add(one)

    def most_first(self) -> tuple[Subject, ...]:
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
    """Count bare events together, unless there is nothing else."""
    with_name = Counter({name: n for name, n in counts.items() if not _is_event_alone(name)})
    if not with_name:
        return counts
    only_counted = counts.total() - with_name.total()
    return with_name + Counter({ONLY_COUNTED: only_counted})


def _is_event_alone(name: str) -> bool:
    return name == "command" or (name.startswith("form-") and " " not in name)
