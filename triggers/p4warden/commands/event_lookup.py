from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click

from p4warden.core.errors import P4WardenError
from p4warden.core.plural import amount
from p4warden.core.printable import CUT
from p4warden.core.specs import TYPES, Spec
from p4warden.home import decision_log
from p4warden.home.rotated_files import lines_of
from p4warden.server import specs
from p4warden.server.connection import Address, connected
from p4warden.server.questions import ask

MOST_REPETITIONS = 10_000
_MOST_REQUESTS = 1000
_COUNTING = ("limit_command_rate", "limit_concurrent_commands")
_EVENT_FIELDS = "event type name user client ip prog version change time".split()


def decision_event(home: str, number: int) -> dict[str, Any]:
    """Return the decision record in line `number` of the current log; 1 is the first, -1 the last.

    Raises:
        P4WardenError: there is no such line, or it is not the record of one decision.
    """
    path = Path(home, decision_log.FILE_NAME)
    line = _line(path, number)
    record = next(decision_log.records([line]), None)
    if record is None or not isinstance(record.get("event"), str):
        raise P4WardenError(f"{path}: line {number} is not a decision")
    if not _has_subject(record):
        raise P4WardenError(
            f"{path}: line {number} names no command or form, so there is nothing to "
            "explain; choose another"
        )
    return record


def _has_subject(record: dict[str, Any]) -> bool:
    if record["event"] == "command":
        return "command" in record
    return "type" in record or not record["event"].startswith("form-")


def event_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the event of a decision record, as far as the log contains it."""
    event = {name: record[name] for name in _EVENT_FIELDS if record.get(name) is not None}
    if "command" not in record:
        return event
    args = record.get("args") or ""
    words = [] if args.endswith(CUT) else args.split()
    return event | {"command": record["command"], "args": words}


def repetitions(record: dict[str, Any]) -> int:
    """Return how often the event of a decision is to be repeated, to exceed its limit again.

    The log has the number of requests that were counted, not their times. A larger number may be
    one of records.
    """
    value = record.get("value")
    if record.get("kind") not in _COUNTING or not isinstance(value, int):
        return 1
    return value if 1 < value <= _MOST_REQUESTS else 1


def lines_about(record: dict[str, Any]) -> list[str]:
    """Return lines for people about a logged decision, what is replayed and what is unknown."""
    verdict_parts = [record.get("verdict"), record.get("rule"), record.get("detail")]
    is_command = record["event"] == "command"
    lacks_args = is_command and ("args" not in record or record["args"].endswith(CUT))
    lines = [
        f"logged as: {': '.join(str(part) for part in verdict_parts if part)}",
        "the log does not contain the user's groups: add --groups where they matter",
    ]
    if lacks_args:
        lines.append(
            "the log does not contain the arguments (log_arguments: true in the policy adds later "
            "ones): explain the command as typed, with --typed"
        )
    if record.get("kind") in _COUNTING:
        number = repetitions(record)
        lines.append(
            f"the commands of that moment are unknown: {amount(number, 'request')} at once "
            f"{'is' if number == 1 else 'are'} judged instead"
        )
    return lines


def spec_event(text: str, port: str | None) -> dict[str, Any]:
    """Read a spec from the server; return the event of its owner saving it unchanged.

    Args:
        text: type and name of the spec: `client:NAME`, `stream://depot/NAME`, and so on.
        port: the server's address; None for P4PORT.

    Raises:
        click.UsageError: the text does not name a spec.
        P4WardenError: the server does not have the spec, or cannot be asked.
    """
    spec_type, _, name = text.partition(":")
    if spec_type not in TYPES or not name:
        raise click.UsageError(f"--spec: write TYPE:NAME, with a type of {', '.join(TYPES)}")
    with connected(Address(port)) as p4:
        faults: list[str] = []
        row = specs.ListedSpec(spec_type, name, None)
        spec = next(specs.read(p4, [row], lambda: None, faults), None)
        if spec is None:
            raise P4WardenError(faults[0] if faults else f"{p4.port} has no {spec_type} {name}")
        folds = ask(p4, "info")[0].get("caseHandling") == "insensitive"
        groups = specs.groups(p4, case_sensitive=not folds).of(spec.owner)
    return {**_saved(spec), "groups": [*groups]}


def _saved(spec: Spec) -> dict[str, Any]:
    event = {"type": spec.type, "name": spec.name, "user": spec.owner, "form": spec.text}
    return {"event": "form-save", **{name: value for name, value in event.items() if value}}


def _line(path: Path, number: int) -> bytes:
    count = sum(1 for _ in lines_of(path))
    place = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= place < count:
        raise P4WardenError(f"{path} has {amount(count, 'line')}, and no line {number}")
    return next(islice(lines_of(path), place, None), b"")
