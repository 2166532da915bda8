"""Validation of the decision log's records, which become decisions for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.records import VERDICTS
from p4warden.core.time_spans import LATEST_S

if TYPE_CHECKING:
    from collections.abc import Mapping

FAULT = "fault"
MAX_COUNT = 2**53
SHOWN_FORM = "form-out"
"""Name of the kind of event in which a form is about to be displayed; a rule can change such a
form, but never refuses it."""
_REFUSABLE = ("form-save", "change-submit", "change-content")
"""Kinds of events whose decision `observe` counts as one that would refuse, if its log line,
written by an older release, has no field `would`."""


class Decision(NamedTuple):
    """A decision in the decision log or a fault, and the number of times it occurred.

    Attributes:
        time_s: the time of the log line, in seconds since the epoch.
        verdict: one of `VERDICTS`, or `fault` for a failure of p4warden itself.
        times: the number of decisions that the log line stands for.
        user, rule, exemption: None if the log line does not have them.
        cause: the failure, for a fault.
        answer: the reply to p4d at a fault, such as `allow`; None if unknown, or without a fault.
        trouble: the reason why a fact needed for the decision was missing; None if there is none.
        event: the kind of the event: `command`, `form-save` and so on.
        took_s: the time in seconds that p4warden took for one decision of the log line; None if
            the line has no time.
        is_trial: whether a deployment tested its triggers with this event.
        prog, client, ip: the program, the client and the address from which the event came.
        known: the key of the known offender (`programs.offenders`) that sends such commands; None
            if there is none.
        what: the command, or the event and the type of the form; the form of a command that no
            rule could judge, such as `sync @N,M`.
        enforced_verdict: the verdict that an observing rule would give if enforced; `allow` for a
            displayed form. None for other verdicts than `observe`, and if the log line of a
            command does not have it. A saved form or a submit without it counts as refused.
    """

    time_s: float
    verdict: str
    times: int = 1
    user: str | None = None
    rule: str | None = None
    exemption: str | None = None
    cause: str | None = None
    answer: str | None = None
    trouble: str | None = None
    event: str | None = None
    took_s: float | None = None
    is_trial: bool = False
    enforced_verdict: str | None = None
    prog: str | None = None
    client: str | None = None
    ip: str | None = None
    what: str | None = None
    known: str | None = None


def decision(record: Mapping[str, Any]) -> Decision | None:
    """Return the decision in a record of the decision log; None if it is not a decision."""
    time_s = _number(record.get("time"), LATEST_S)
    count = _number(record.get("count", 1), MAX_COUNT)
    verdict = record.get("verdict")
    if time_s is None or count is None or verdict not in (*VERDICTS, FAULT):
        return None
    cause = _text(record, "fault")
    has_failed = cause is not None or verdict == FAULT
    return Decision(
        time_s=time_s,
        verdict=FAULT if has_failed else verdict,
        times=int(count),
        user=_text(record, "user"),
        rule=_text(record, "rule"),
        exemption=_text(record, "exemption"),
        cause=cause or ("not recorded" if has_failed else None),
        answer=verdict if has_failed and verdict != FAULT else None,
        trouble=_text(record, "trouble"),
        event=_text(record, "event"),
        took_s=_number(record.get("took_s"), LATEST_S),
        is_trial=record.get("trial") is True,
        enforced_verdict=_enforced_verdict(record) if verdict == "observe" else None,
        prog=_text(record, "prog"),
        client=_text(record, "client"),
        ip=_text(record, "ip"),
        what=_subject(record),
        known=_text(record, "known"),
    )


def _enforced_verdict(record: Mapping[str, Any]) -> str | None:
    event = _text(record, "event")
    if event == SHOWN_FORM:
        return "allow"
    would = _text(record, "would")
    return would or ("refuse" if event in _REFUSABLE else None)


def _subject(record: Mapping[str, Any]) -> str | None:
    """Return a record's command, or its event and form type: `form-save client`; None without.

    A command that no rule could judge has the form of its arguments: `sync @N,M`.
    """
    parts = (_text(record, "event"), _text(record, "type"))
    command = _text(record, "asked") or _text(record, "command")
    return command or " ".join(part for part in parts if part) or None


def unwritten_decision(entry: Mapping[str, Any], time_s: float) -> Decision | None:
    """Return equal decisions that the gate has not yet written to the log, as one `Decision`.

    None if the entry is not valid.

    Args:
        entry: an entry of `owed` from `p4warden-gate counts`.
        time_s: the time to assign to the decisions, in seconds since the epoch, because the gate
            does not record the time of each.
    """
    cause = entry.get("rule") if entry.get("verdict") == FAULT else None
    rule = None if cause else entry.get("rule")
    return decision({**entry, "rule": rule, "fault": cause, "time": time_s})


def _number(value: object, most: float) -> float | None:
    """Return a JSON value if it is a number from 0 to `most`; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= most else None


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
