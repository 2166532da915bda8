"""Events from JSON for Python's engine, and its verdicts as JSON, to compare it with the gate.

Input: `{"id", "event", "type", "name", "user", "groups": [], "client", "ip", "prog", "version",
"form", "command", "args": [], "clientcwd", "pressure", "change", "files": [{"path", "action"}],
"time", "facts"}`; keys that do not apply are absent or null, unknown keys are ignored. `time` is
in seconds since the epoch. Bytes of a form that are not UTF-8 arrive as surrogate escapes. Names
are changed in the way that p4d changes them when it splits a trigger line into words.

Output: `{"id", "verdict", "rule", "value", "summary", "detail", "fix", "delay_s", "retry_after_s",
"exemption", "form", "findings": []}`; other values that do not apply are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from p4warden.asking.judge import EventError
from p4warden.core import facts
from p4warden.core.records import Event, Facts, Outcome, SubmittedFile
from p4warden.forms import form_parser
from p4warden.judge import refusal
from support.python_split_line import as_split

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.core.records import Finding

_END_S = 2**64 / 10**9
"""Exclusive upper bound of an event's time in seconds since the epoch (year 2554), because the
gate counts nanoseconds as an unsigned 64-bit integer."""

EVENTS = ("form-save", "form-out", "command", "change-submit")
_TEXTS = ("type", "name", "user", "client", "ip", "prog", "version")
_FILE = ("path", "action")


def event_from(document: object, day_of: Callable[[float | None], str]) -> Event:
    """Read an event from a JSON object.

    Args:
        document: the JSON object.
        day_of: returns the server's local date for seconds since the epoch, or for None, which
            stands for now.

    Raises:
        EventError: the document is not an event; the text gives the reason.
    """
    fields = _mapping(document)
    if fields.get("event") not in EVENTS:
        raise EventError(f"event is {fields.get('event')!r}, not one of {', '.join(EVENTS)}")
    form = _text(fields, "form")
    _check_command(fields)
    # An empty text becomes None, because p4d passes an empty value for an unknown one.
    texts: dict[str, Any] = {name: _text(fields, name) or None for name in _TEXTS}
    event = Event(
        event=fields["event"],
        day=day_of(_time(fields)),
        groups=_groups(fields),
        form=None if form is None else form_parser.parse(form),
        change=_change(fields),
        files=_files(fields),
        **texts,
    )
    return as_split(event)


def facts_from(document: object) -> Facts:
    """Read the facts about the server in a JSON event; without facts, those of an unknown server.

    Raises:
        EventError: the document is not an object, or its facts have the wrong shape.
    """
    try:
        stated = _mapping(document).get("facts")
        return facts.from_document({} if stated is None else stated)
    except facts.FactsError as error:
        raise EventError(f"facts: {error}") from error


def verdict_to(identity: object, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome of judging as a JSON object; `identity` is the event's `id`."""
    judgement = outcome.decisive
    findings = judgement.findings if judgement else ()
    return {
        "id": identity,
        "verdict": outcome.verdict,
        "rule": judgement.rule if judgement else None,
        "value": None,
        "summary": judgement.summary if judgement else None,
        "detail": refusal.detail(findings[0]) if findings else None,
        "fix": "\n".join(refusal.fix_lines(findings)) or None,
        "delay_s": None,
        "retry_after_s": None,
        "exemption": outcome.exemption,
        "form": outcome.form,
        "findings": [
            {"rule": j.rule, "verdict": j.verdict, **_finding(f)}
            for j in outcome.judgements
            for f in j.findings
        ],
    }


def unjudged_document(identity: object, cause: str) -> dict[str, Any]:
    """Return the verdict `unknown` as a JSON object, for an event that was not judged."""
    return {**verdict_to(identity, Outcome("allow")), "verdict": "unknown", "detail": cause}


def _finding(finding: Finding) -> dict[str, Any]:
    fields = finding._asdict() | {"fix": list(finding.fix)}
    for name in (
        "is_warning",
        "counted_things",
        "further_count",
        "is_decisive",
        "is_growing",
        "short_bytes",
        "advise",
    ):
        del fields[name]  # fields of a finding that the output does not have
    return fields


def _mapping(document: object) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise EventError("the line is not a JSON object")
    return document


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise EventError(f"{name} is not text")


def _check_command(fields: dict[str, Any]) -> None:
    if fields["event"] == "command" and _text(fields, "command") is None:
        raise EventError('a command event needs a field named "command"')
    args = fields.get("args")
    if args is not None and not (
        isinstance(args, list) and all(isinstance(word, str) for word in args)
    ):
        raise EventError('args is not a list of words, such as ["-m", "1", "//depot/main/..."]')


def _change(fields: dict[str, Any]) -> str | None:
    change = fields.get("change")
    return str(change) if type(change) is int else _text(fields, "change")


def _files(fields: dict[str, Any]) -> tuple[SubmittedFile, ...] | None:
    files = fields.get("files")
    if files is None:
        return None
    if not isinstance(files, list) or not all(map(_is_file, files)):
        raise EventError("files is not a list of objects with a path and an action")
    return tuple(SubmittedFile(file["path"], file["action"]) for file in files)


def _is_file(file: object) -> bool:
    return isinstance(file, dict) and all(isinstance(file.get(name), str) for name in _FILE)


def _groups(fields: dict[str, Any]) -> tuple[str, ...]:
    groups = fields.get("groups") or []
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise EventError("groups is not a list of names")
    return tuple(groups)


def _time(fields: dict[str, Any]) -> float | None:
    time = fields.get("time")
    if time is None:
        return None
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0 <= time < _END_S:
        raise EventError("time is not a number of seconds since the epoch")
    return float(time)
