from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.records import VERDICTS
from p4warden.core.time_spans import LATEST_S

if TYPE_CHECKING:
    from collections.abc import Mapping

FAULT = "fault"
MAX_COUNT = 2**53
_VERDICTS = (*VERDICTS, FAULT)
SHOWN_FORM = "form-out"
"""A rule can change a form that is about to be displayed, but never refuses it."""


class Decision(NamedTuple):
    time_s: float  # of the log line, since the epoch
    verdict: str  # of `VERDICTS`, or `fault`
    times: int = 1  # decisions that the log line stands for
    user: str | None = None
    rule: str | None = None
    exemption: str | None = None
    cause: str | None = None  # of a fault
    answer: str | None = None  # to p4d at a fault; None if unknown
    trouble: str | None = None  # why a needed fact was missing
    event: str | None = None
    took_s: float | None = None  # for one decision
    is_trial: bool = False  # a deployment tested its triggers
    is_unusual: bool = False  # the rule allows another reading of the command
    enforced_verdict: str | None = None  # of an observing rule, unless it proposes a form
    prog: str | None = None
    client: str | None = None
    ip: str | None = None
    what: str | None = None  # `form-save client`, `sync`, or an unjudged form: `sync @N`
    form_client: str | None = None  # that a client form describes
    spec_or_client: str | None = None  # the spec of a form, or the client that sent a command
    policy_class: str | None = None  # that the gate found; None under a policy without classes
    known: str | None = None  # the key of the known offender that sends such commands


def decision(record: Mapping[str, Any]) -> Decision | None:
    """Return the decision in a record; None if it is not one."""
    time_s = _number(record.get("time"), LATEST_S)
    count = _number(record.get("count", 1), MAX_COUNT)
    verdict = record.get("verdict")
    if time_s is None or count is None or verdict not in _VERDICTS:
        return None
    cause = _text(record, "fault")
    event = _text(record, "event")
    has_failed = cause is not None or verdict == FAULT
    return Decision(
        time_s=time_s,
        verdict=FAULT if has_failed else verdict,
        times=int(count),
        user=_text(record, "user"),
        rule=_text(record, "rule"),
        exemption=_text(record, "exemption"),
        trouble=_text(record, "trouble"),
        prog=_text(record, "prog"),
        client=_text(record, "client"),
        ip=_text(record, "ip"),
        known=_text(record, "known"),
        cause=cause or ("not recorded" if has_failed else None),
        answer=verdict if has_failed and verdict != FAULT else None,
        event=event,
        took_s=_number(record.get("took_s"), LATEST_S),
        is_trial=record.get("trial") is True,
        is_unusual=record.get("unusual") is True,
        enforced_verdict=None if event == SHOWN_FORM else _text(record, "would"),
        what=_subject(record),
        form_client=_text(record, "name") if record.get("type") == "client" else None,
        policy_class=_text(record, "class"),
        spec_or_client=_text(record, "name" if "type" in record else "client"),
    )


def _subject(record: Mapping[str, Any]) -> str | None:
    """A command that no rule could judge has the form of its arguments: `sync @N,M`."""
    parts = (_text(record, "event"), _text(record, "type"))
    command = _text(record, "asked") or _text(record, "command")
    return command or " ".join(part for part in parts if part) or None


def unwritten_decision(entry: Mapping[str, Any]) -> Decision | None:
    """Return the decisions of an entry of `owed` from `p4warden-gate counts`, or None.

    The gate keeps the time of the last: it is assigned to all.
    """
    cause = entry.get("rule") if entry.get("verdict") == FAULT else None
    rule = None if cause else entry.get("rule")
    return decision({**entry, "rule": rule, "fault": cause})


def _number(value: object, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= most else None


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
