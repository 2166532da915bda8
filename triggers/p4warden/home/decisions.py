"""Write decision records to decisions.jsonl: objections, used exemptions and faults.

Each record is one JSON object a line. The fields, their order and their types are those of
`triggers/gate/src/home/decision_log.rs`; the cases in `tests/cases/decision_records` test both.

If the gate started this process, the gate counts and writes the records. Without a gate a line is
appended with one write to a file opened for appending, so lines of concurrent processes stay
whole. A log that cannot be written changes no verdict.
"""

from __future__ import annotations

import os

from p4warden.core.json_lines import line as json_line
from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.printable import decoded, short
from p4warden.core.records import is_own_program
from p4warden.home.trusted_files import distrust

if TYPE_CHECKING:
    from typing import Any

    from p4warden.core.records import Event, Finding, Judgement, Outcome

FILE_NAME = "decisions.jsonl"
MAX_TEXT_CHARACTERS = 4000
VARIABLE = "P4WARDEN_RECORD"
"""Name of the environment variable with the file descriptor of the pipe to the gate."""
NAMES = ("type", "name", "change", "user", "client", "ip", "prog", "version")
"""Fields of a decision record that identify the request, in the order of the record; users choose
most of their texts, so these are cut and escaped."""


def decision(event: Event, outcome: Outcome, digest: str) -> dict[str, Any]:
    """Return the decision record of a judged event, without its time.

    If no rule objects, but an exemption excused the event from one, the record names that rule.
    `digest` is the policy's digest, of which the record contains the start.
    """
    exempt = next((j for j in outcome.judgements if j.exemption), None)
    judgement = outcome.decisive or exempt
    first = judgement.findings[0] if judgement and judgement.findings else None
    return {
        **_event_fields(event),
        "verdict": outcome.verdict,
        "rule": judgement.rule if judgement else None,
        "kind": judgement.kind if judgement else None,
        "would": _enforced_verdict(judgement)
        if outcome.verdict == "observe" and judgement
        else None,
        "summary": judgement.summary if judgement and outcome.decisive else None,
        "detail": _detail(first) if first else None,
        "value": first.value if first else None,
        "limit": first.limit if first else None,
        "findings": len(judgement.findings) if judgement else 0,
        "exemption": outcome.exemption,
        "trial": event.is_trial or None,
        "tampered": event.is_tampered or None,
        "policy": digest[:12],
    }


def _enforced_verdict(judgement: Judgement) -> str:
    return "allow" if all(finding.is_warning for finding in judgement.findings) else "refuse"


def _detail(finding: Finding) -> str:
    from p4warden.judge.refusal import detail  # noqa: PLC0415 - most events have no finding

    return detail(finding)


def fault(
    event: dict[str, Any], verdict: str, cause: str, traceback: str | None
) -> dict[str, Any]:
    """Return the decision record of a fault of p4warden itself, without its time."""
    record = {**event, "verdict": verdict, "fault": cause}
    return {**record, "traceback": traceback} if traceback else record


def deliver(home: str, record: dict[str, Any], time_ns: int) -> None:
    """Pass a decision record to the gate if it started this process, or append it to the log.

    The gate limits a flood of equal records. The record of an event that was plainly allowed is
    passed to the gate for counting only. Those of p4warden's own commands are dropped.
    """
    texts = {name: _text(name, value) for name, value in record.items() if value is not None}
    if _is_own_use(texts):
        return
    line = json_line({"time": _seconds(time_ns), **texts})
    is_plain = record["verdict"] == "allow" and not texts.keys() & _WORTH_TELLING
    if not _hand_over(line) and not is_plain:
        _append(home, line)


_WORTH_TELLING = {"exemption", "trial", "trouble", "fault"}


def _is_own_use(record: dict[str, Any]) -> bool:
    """Tell whether a decision record is dropped, as that of an event of p4warden's own program.

    The verdict must be allow or unknown, without a trial, trouble or a fault. Users can choose any
    program name, so the record of a violation is never dropped.
    """
    is_passing = record["verdict"] in ("allow", "unknown")
    marks = record.keys() & {"trial", "trouble", "fault"}
    return is_passing and not marks and is_own_program(record.get("prog"))


def _hand_over(line: bytes) -> bool:
    try:
        descriptor = int(os.environ.get(VARIABLE, ""))
        while line:
            line = line[os.write(descriptor, line) :]
    except (OSError, ValueError):
        return False
    return True


def _append(home: str, line: bytes) -> None:
    path = os.path.join(home, FILE_NAME)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return
    try:
        if distrust(os.fstat(descriptor)) is None:
            os.write(descriptor, line)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _event_fields(event: Event) -> dict[str, Any]:
    fields = {name: getattr(event, name) for name in ("event", *NAMES)}
    if not event.is_tampered:
        return fields
    from p4warden.judge.tampered_line import LOG_NAME  # noqa: PLC0415 - few lines break apart

    return fields | {"user": LOG_NAME}


def _seconds(time_ns: int) -> float:
    return round(time_ns / 1e9, 3)


def _text(field: str, value: object) -> object:
    """Return a value for a decision record: long names lose their end, other texts their start."""
    if not isinstance(value, str):
        return value
    if field in NAMES:
        return short(value)
    end = value if len(value) <= MAX_TEXT_CHARACTERS else f"... {value[-MAX_TEXT_CHARACTERS:]}"
    return decoded(end)
