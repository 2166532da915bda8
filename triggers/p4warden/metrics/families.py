from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.metrics import decision_counts
from p4warden.metrics.exposition import COUNTER, GAUGE, Family, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.metrics.tally import Series

# By the running total: metric, labels, help text.
_FROM_THE_LOG: dict[str, tuple[str, tuple[str, ...], str]] = {
    decision_counts.DECISIONS: (
        "p4_warden_decisions_total",
        ("rule", "mode", "verdict"),
        (
            "Decisions, logged or waiting to be logged, by rule, by the rule's mode when they "
            "were counted, and by verdict; allow: an exemption allowed the event."
        ),
    ),
    decision_counts.FAULTS: (
        "p4_warden_failopen_total",
        ("cause",),
        "Faults of p4warden itself whose events were allowed or have no answer logged, by cause.",
    ),
    decision_counts.DENIED_FAULTS: (
        "p4_warden_faults_denied_total",
        ("cause",),
        "Faults of p4warden itself whose events were refused (on_error: deny), by cause.",
    ),
    decision_counts.TROUBLES: (
        "p4_warden_unanswered_questions_total",
        (),
        "Events judged without facts about the server: it did not answer in time, or was unknown.",
    ),
    decision_counts.USERS: (
        "p4_warden_user_decisions_total",
        ("user", "rule", "verdict"),
        "p4_warden_decisions_total by user, counted since the first run with --by-user.",
    ),
    decision_counts.COST_US: (
        "p4_warden_trigger_seconds_sum",
        ("event",),
        "Total duration in seconds of decisions that have their own log line.",
    ),
    decision_counts.COSTS: (
        "p4_warden_trigger_seconds_count",
        ("event",),
        "Number of decisions in p4_warden_trigger_seconds_sum.",
    ),
    decision_counts.BAD_LINES: (
        "p4_warden_log_bad_lines_total",
        (),
        "Lines of the decision log that contain no valid decision.",
    ),
    decision_counts.GAPS: (
        "p4_warden_log_gaps_total",
        (),
        "Parts of the decision log that were removed before they were counted.",
    ),
}

# Totals are in microseconds; Prometheus expects seconds.
_UNITS = {decision_counts.COST_US: 10**6}

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
    "All events that the gate judged, logged or not, since its state file was created.",
)
_OTHER_COUNTS = {
    "unlogged": (
        "p4_warden_unlogged_total",
        "Decisions never written to the log, because too many different ones came within 10 s.",
    ),
    "untracked": (
        "p4_warden_untracked_total",
        "Requests allowed because the gate's state file had no room to count them.",
    ),
    "recreated": (
        "p4_warden_state_recreated_total",
        (
            "1 if the gate's state file replaced one that was damaged or had another size, "
            "version or layout (all counts of the file then began again at 0), otherwise 0."
        ),
    ),
}


def log_families(totals: Mapping[Series, int], *, users: bool) -> Iterator[Family]:
    """Yield the metrics of the decision log; without `users` none names a user."""
    for kind, (name, labels, text) in _FROM_THE_LOG.items():
        if kind == decision_counts.USERS and not users:
            continue
        samples = (
            Sample(dict(zip(labels, series[1:], strict=True)), total / _UNITS.get(kind, 1))
            for series, total in sorted(totals.items())
            if series[0] == kind and len(series) == len(labels) + 1
        )
        yield Family(name, COUNTER, text, tuple(samples))


def gate_families(counts: Mapping[str, Any]) -> Iterator[Family]:
    """Yield the metrics of the gate's counters, as far as `counts` has them."""
    samples = (
        Sample({"verdict": verdict}, counts[name])
        for verdict, name in _FROM_THE_GATE.items()
        if name in counts
    )
    yield Family(_EVENTS[0], COUNTER, _EVENTS[1], tuple(samples))
    for name, (metric, text) in _OTHER_COUNTS.items():
        if name in counts:
            yield Family(metric, COUNTER, text, (Sample({}, counts[name]),))
    yield gauge(
        "p4_warden_commands_at_once",
        "Commands that a rule counts at once, by whether they run or wait for others to end.",
        *(
            Sample({"rule": one["rule"], "state": state}, one[state])
            for one in counts.get("at_once", ())
            for state in ("running", "waiting")
        ),
    )


def gauge(name: str, text: str, *samples: Sample) -> Family:
    """Return a metric whose value can go up and down."""
    return Family(name, GAUGE, text, samples)
