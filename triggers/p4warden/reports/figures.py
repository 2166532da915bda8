"""Figures on a decision log, as `p4warden-log count` gives them for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COUNTED_VERDICTS = ("refuse", "delay", "observe", "unknown")
"""The worst first."""

STOPPED = ("refuse", "delay")
OBSERVED = "observe"
MOST_ROWS = 5000
"""Of each list; those left out are counted."""


class Sums(NamedTuple):
    first_s: float | None  # since the epoch
    last_s: float | None
    trials: int  # events of deployments; in no other figure
    bad_lines: int  # that are no decision


class Row(NamedTuple):
    """Of a rule with users as the others, or of a day or a user with rules."""

    name: str
    verdicts: Mapping[str, int]
    others: int
    most_frequent: str  # of the others
    stopped: Mapping[str, int] = {}  # on a day, by rule
    would_delay: int = 0  # decisions of an observing rule
    would_refuse: int = 0
    most: Mapping[str, int] = {}  # observed decisions about the most frequent users
    longest_wait_ns: int = 0  # of a rule, as far as the log has lengths

    def of(self, *verdicts: str) -> int:
        return sum(self.verdicts.get(verdict, 0) for verdict in verdicts)


class Subject(NamedTuple):
    """A user at a rule, without allowed events and faults."""

    rule: str
    user: str
    verdicts: Mapping[str, int]
    values: Mapping[str, Mapping[str, int]]  # of `what`, `spec_or_client`, `prog` and `ip`
    first_s: float  # since the epoch
    last_s: float


class DecisionGroup(NamedTuple):
    """Decisions with the same exemption, fault or question without an answer."""

    name: str  # that they have in common
    times: int
    first_s: float  # since the epoch
    last_s: float
    users: int  # as far as the log names them


class Cost(NamedTuple):
    event: str  # `command`, `form-save` and so on
    decisions: int  # with a recorded time
    median_ns: int
    high_ns: int  # the 95th percentile
    max_ns: int
    spread: Mapping[str, int]  # decisions, by what they stayed below


class ExemptUse(NamedTuple):
    exemption: str  # its reason and owner
    client: str  # from which the event came; empty if the log names none
    form_client: str  # that a form describes
    user: str
    times: int


ENTRIES: Mapping[str, Any] = {
    "rules": Row,
    "days": Row,  # the newest first
    "people": Row,  # who were stopped
    "observed": Row,
    "subjects": Subject,
    "classes": DecisionGroup,  # by rule and class; without allowed events
    "unusual": DecisionGroup,  # by rule, user and program
    "unjudged": DecisionGroup,  # by rule and form: `big: sync PATH@N`
    "offenders": DecisionGroup,  # by their keys
    "exemptions": DecisionGroup,  # by rule and exemption
    "faults": DecisionGroup,  # by cause and answer to p4d
    "troubles": DecisionGroup,  # by reason for a missing fact
    "costs": Cost,  # as far as the log has times
    "exempt_uses": ExemptUse,
}


class Figures(NamedTuple):
    """Lists are in the order of the tables."""

    sums: Sums
    rules: Sequence[Row]
    days: Sequence[Row]
    people: Sequence[Row]
    observed: Sequence[Row]
    subjects: Sequence[Subject]
    classes: Sequence[DecisionGroup]
    unusual: Sequence[DecisionGroup]
    unjudged: Sequence[DecisionGroup]
    offenders: Sequence[DecisionGroup]
    exemptions: Sequence[DecisionGroup]
    faults: Sequence[DecisionGroup]
    troubles: Sequence[DecisionGroup]
    costs: Sequence[Cost]
    exempt_uses: Sequence[ExemptUse]
    omitted: Mapping[str, int]  # entries, by list


def figures_of(sums: Sums, document: Mapping[str, Any]) -> Figures:
    """Return the figures of an output of `p4warden-log count`."""
    entries: dict[str, Any] = {
        name: [kind(**entry) for entry in document[name]] for name, kind in ENTRIES.items()
    }
    omitted = {name: document.get(f"omitted_{name}", 0) for name in ENTRIES}
    return Figures(sums, **entries, omitted=omitted)
