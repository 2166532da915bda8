from __future__ import annotations

import operator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.reports.decision_record import Decision

FIELDS = ("what", "spec_or_client", "prog", "ip")
MOST_VALUES = 200
"""Different values of a field; users choose names, so further ones are counted as `OTHERS`."""
OTHERS = "(others)"
ONLY_COUNTED = "(only counted)"
"""Decisions of a log line that stands for several and names neither command nor form."""


class Subject:
    """Without allowed events and faults."""

    __slots__ = ("first_s", "last_s", "rule", "user", "values", "verdicts")

    def __init__(self, rule: str, user: str, time_s: float) -> None:
        self.rule, self.user = rule, user
        self.first_s = self.last_s = time_s  # since the epoch
        self.verdicts: dict[str, int] = {}
        self.values: dict[str, dict[str, int]] = {}  # by field of `FIELDS`, as far as known

    @property
    def total(self) -> int:
        return sum(self.verdicts.values())


class Subjects:
    def __init__(self) -> None:
        self._subjects: dict[tuple[str, str], Subject] = {}

    def add(self, rule: str, user: str, one: Decision) -> None:
        subject = self._subjects.get((rule, user))
        if subject is None:
            subject = self._subjects[rule, user] = Subject(rule, user, one.time_s)
        subject.verdicts[one.verdict] = subject.verdicts.get(one.verdict, 0) + one.times
        for field, value in zip(FIELDS, _values_of(one), strict=True):
            if value is not None:
                counts = subject.values.setdefault(field, {})
                is_new = value not in counts and len(counts) >= MOST_VALUES
                name = OTHERS if is_new else value
                counts[name] = counts.get(name, 0) + one.times
        subject.first_s = min(subject.first_s, one.time_s)
        subject.last_s = max(subject.last_s, one.time_s)

    def most_first(self) -> tuple[Subject, ...]:
        for subject in self._subjects.values():
            if what := subject.values.get("what"):
                subject.values["what"] = _counts_with_names(what)
        subjects = self._subjects.values()
        return tuple(sorted(subjects, key=lambda one: (one.rule, -one.total, one.user)))


_values_of = operator.attrgetter(*FIELDS)


def _counts_with_names(counts: dict[str, int]) -> dict[str, int]:
    """Count bare events with the only name, together beside several, alone without any."""
    with_name = {name: n for name, n in counts.items() if not _is_event_alone(name)}
    only_counted = sum(counts.values()) - sum(with_name.values())
    if not with_name or not only_counted:
        return counts
    if len(with_name) == 1:
        return dict.fromkeys(with_name, sum(counts.values()))
    return {**with_name, ONLY_COUNTED: only_counted}


def _is_event_alone(name: str) -> bool:
    return name == "command" or (name.startswith("form-") and " " not in name)
