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
    verdicts: Counter[str]
    values: Mapping[str, Counter[str]]  # by field of `FIELDS`
    first_s: float  # since the epoch
    last_s: float

    @property
    def total(self) -> int:
        return self.verdicts.total()


class Subjects:
    def __init__(self) -> None:
        self._subjects: dict[tuple[str, str], Subject] = {}

    def add(self, rule: str, user: str, one: Decision) -> None:
        values: dict[str, Counter[str]] = {field: Counter() for field in FIELDS}
        new = Subject(rule, user, Counter(), values, one.time_s, one.time_s)
        subject = self._subjects.setdefault((rule, user), new)
        subject.verdicts[one.verdict] += one.times
        for field, counts in subject.values.items():
            value = getattr(one, field)
            if value is not None:
                is_new = value not in counts and len(counts) >= MOST_VALUES
                counts[OTHERS if is_new else value] += one.times
        first_s, last_s = min(subject.first_s, one.time_s), max(subject.last_s, one.time_s)
        self._subjects[rule, user] = subject._replace(first_s=first_s, last_s=last_s)

    def most_first(self) -> tuple[Subject, ...]:
        subjects = map(_with_names, self._subjects.values())
        return tuple(sorted(subjects, key=lambda one: (one.rule, -one.total, one.user)))


def _with_names(one: Subject) -> Subject:
    return one._replace(values={**one.values, "what": _counts_with_names(one.values["what"])})


def _counts_with_names(counts: Counter[str]) -> Counter[str]:
    """Count bare events with the only name, together beside several, alone without any."""
    with_name = Counter({name: n for name, n in counts.items() if not _is_event_alone(name)})
    if not with_name:
        return counts
    if len(with_name) == 1:
        return Counter(dict.fromkeys(with_name, counts.total()))
    only_counted = counts.total() - with_name.total()
    return with_name + Counter({ONLY_COUNTED: only_counted})


def _is_event_alone(name: str) -> bool:
    return name == "command" or (name.startswith("form-") and " " not in name)
