from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.records import VERDICTS
from p4warden.core.time_spans import LATEST_S

if TYPE_CHECKING:
    from collections.abc import Mapping

FAULT = "fault"
MAX_COUNT = 2**53
_VERDICTS = (*VERDICTS, FAULT)


class Decision(NamedTuple):
    verdict: str  # of `VERDICTS`, or `fault`
    times: int  # decisions that the log line stands for
    user: str | None
    rule: str | None
    cause: str | None  # of a fault
    answer: str | None  # to p4d at a fault; None if unknown
    trouble: str | None  # why a needed fact was missing
    event: str | None
    took_s: float | None  # for one decision
    is_trial: bool  # a deployment tested its triggers


def decision(record: Mapping[str, Any]) -> Decision | None:
    """Return the decision in a record; None if it is not one."""
    time_s = _number(record.get("time"), LATEST_S)
    count = _number(record.get("count", 1), MAX_COUNT)
    verdict = record.get("verdict")
    if time_s is None or count is None or verdict not in _VERDICTS:
        return None
    cause = _text(record, "fault")
    has_failed = cause is not None or verdict == FAULT
    return Decision(
        verdict=FAULT if has_failed else verdict,
        times=int(count),
        user=_text(record, "user"),
        rule=_text(record, "rule"),
        cause=cause or ("not recorded" if has_failed else None),
        answer=verdict if has_failed and verdict != FAULT else None,
        trouble=_text(record, "trouble"),
        event=_text(record, "event"),
        took_s=_number(record.get("took_s"), LATEST_S),
        is_trial=record.get("trial") is True,
    )


def _number(value: object, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= most else None


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
