"""Definitions of p4warden's Prometheus metrics: names, labels and help texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.metrics import counting
from p4warden.metrics.exposition import COUNTER, GAUGE, Family, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.metrics.tally import Series

# Metrics counted from the decision log: the key of the total, the metric's name, its labels and
# its help text.
_FROM_THE_LOG = (
    (
        counting.DECISIONS,
        "p4_warden_decisions_total",
        ("rule", "mode", "verdict"),
        (
            "Decisions, logged or to be logged, by rule, by the rule's mode when they "
            "were counted, and by verdict; allow is an exemption that was used."
        ),
    ),
    (
        counting.FAULTS,
        "p4_warden_failopen_total",
        ("cause",),
        "Faults of p4warden itself whose events were allowed or had no answer logged, by kind.",
    ),
    (
        counting.DENIED_FAULTS,
        "p4_warden_faults_denied_total",
        ("cause",),
        "Faults of p4warden itself whose events were refused (on_error: deny), by kind.",
    ),
    (
        counting.TROUBLES,
        "p4_warden_unanswered_questions_total",
        (),
        "Events judged without an answer of the server, which did not come in time.",
    ),
    (
        counting.USERS,
        "p4_warden_user_decisions_total",
        ("user", "rule", "verdict"),
        "p4_warden_decisions_total by user, since --per-user was first given.",
    ),
    (
        counting.COST_US,
        "p4_warden_trigger_seconds_sum",
        ("event",),
        "Total time of decisions with a log line of their own, in seconds.",
    ),
    (
        counting.COSTS,
        "p4_warden_trigger_seconds_count",
        ("event",),
        "Number of decisions in p4_warden_trigger_seconds_sum.",
    ),
    (
        counting.BAD_LINES,
        "p4_warden_log_bad_lines_total",
        (),
        "Lines of the decision log that are not decisions.",
    ),
    (
        counting.GAPS,
        "p4_warden_log_gaps_total",
        (),
        "Parts of the decision log that were removed before they were counted.",
    ),
)

# Divisors by key of the total, for totals counted in microseconds; Prometheus expects seconds.
_UNITS = {counting.COST_US: 10**6}

_FROM_THE_GATE = {
    "allow": "allowed",
    "observe": "observed",
    "unknown": "unknown",
    "delay": "delayed",
    "refuse": "refused",
    "fault": "faults",
}
_EVENTS = (
    "p4_warden_events_total",
    "All events that the gate judged, logged or not, since its state last started empty.",
)
_OTHER_COUNTS = {
    "unlogged": (
        "p4_warden_unlogged_total",
        "Decisions never written to the log, because too many kinds came within 10 s.",
    ),
    "untracked": (
        "p4_warden_untracked_total",
        "Requests allowed because the gate's memory had no place for their rate.",
    ),
    "recreated": (
        "p4_warden_state_recreated_total",
        "Times that the gate's state was damaged and started again empty.",
    ),
}


def of_the_log(shown: Mapping[Series, int], *, users: bool) -> Iterator[Family]:
    """Yield the metrics counted from the decision log; without `users` none names a user."""
    for kind, name, labels, text in _FROM_THE_LOG:
        if kind == counting.USERS and not users:
            continue
        samples = (
            Sample(dict(zip(labels, series[1:], strict=True)), total / _UNITS.get(kind, 1))
            for series, total in sorted(shown.items())
            if series[0] == kind and len(series) == len(labels) + 1
        )
        yield Family(name, COUNTER, text, tuple(samples))


def of_the_gate(counts: Mapping[str, Any]) -> Iterator[Family]:
    """Yield the metrics made of the gate's own counters; without a gate none has samples."""
    samples = (
        Sample({"verdict": verdict}, counts[name])
        for verdict, name in _FROM_THE_GATE.items()
        if name in counts
    )
    yield Family(_EVENTS[0], COUNTER, _EVENTS[1], tuple(samples))
    for name, (metric, text) in _OTHER_COUNTS.items():
        if name in counts:
            yield Family(metric, COUNTER, text, (Sample({}, counts[name]),))


def gauge(name: str, text: str, *samples: Sample) -> Family:
    """Return a Prometheus metric of type gauge, whose value can go up and down."""
    return Family(name, GAUGE, text, samples)
