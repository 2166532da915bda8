"""A policy's cases: examples with the verdict they must get, in a YAML file beside the policy.

A case is an event as people write it: `view`, the lines of a client's view, or `form`, a whole
form of some `type`, or `command` with its `args`; who does it (`user`, `groups`, `client`,
`program`); and the `verdict`, and where it matters the `rule`. `at` is its time in seconds after
the first case. The cases of a file are one stream: rates carry over from case to case.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema

from p4warden.errors import PolicyWrongError
from p4warden.policy import source
from p4warden.policy.problems import Problem, Unreadable, render
from p4warden.records import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.doorway import Doorway

START_S = 1_800_000_000
"""When the first case happens; any time will do, for cases only tell how much later they are."""

_NAMES = {"type": "array", "items": {"type": "string"}}
_TEXT = {"type": "string"}
_CASE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "verdict"],
    "oneOf": [{"required": [what]} for what in ("view", "form", "command")],
    "properties": {
        **dict.fromkeys(("name", "type", "form", "command", "user", "client", "program"), _TEXT),
        **dict.fromkeys(("ip", "rule"), _TEXT),
        "view": _NAMES,
        "args": _NAMES,
        "groups": _NAMES,
        "pressure": {"enum": ["low", "medium", "high"]},
        "at": {"type": "number", "minimum": 0},
        "verdict": {"enum": list(VERDICTS)},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["cases"],
    "properties": {
        "facts": {"type": "object"},
        "cases": {"type": "array", "minItems": 1, "items": _CASE},
    },
}


class Result(NamedTuple):
    """What became of a case.

    Attributes:
        name: the case's name.
        place: `file:line:col` of the case.
        problem: how the verdict differs, or None when it is as it must be.
    """

    name: str
    place: str
    problem: str | None


def run(path: str, doorway: Doorway) -> Iterator[Result]:
    """Judge the cases of a file, in order.

    Raises:
        PolicyWrongError: the file is no file of cases.
    """
    try:
        found = source.parse(source.read(path), one_line=False)
    except Unreadable as error:
        raise PolicyWrongError(error.problem.line(path)) from error
    problems = [*found.problems, *_shape(found.document)]
    if problems:
        raise PolicyWrongError("\n".join(p.line(path) for p in found.locate(problems)))
    for index, case in enumerate(found.document["cases"]):
        mark = found.values["cases", index]
        problem = _problem(case, doorway, found.document.get("facts", {}))
        yield Result(case["name"], f"{path}:{mark.line}:{mark.column}", problem)


def _shape(document: object) -> Iterator[Problem]:
    for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document):
        path = tuple(error.absolute_path)
        what = (
            "needs one of view, form or command" if error.validator == "oneOf" else error.message
        )
        yield Problem(path, f"{what} (see {render(('cases', 0))} of a shipped file)")


def _problem(case: dict[str, Any], doorway: Doorway, facts: dict[str, Any]) -> str | None:
    answer = json.loads(doorway.answer(json.dumps(_event(case, facts)).encode()))
    if answer["verdict"] != case["verdict"]:
        said = f": {answer['detail']}" if answer["detail"] else ""
        return f"the verdict is {answer['verdict']}, not {case['verdict']}{said}"
    if "rule" in case and answer["rule"] != case["rule"]:
        return f"the verdict is {answer['rule']}'s, not {case['rule']}'s"
    return None


def _event(case: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Return a case as an event line."""
    event: dict[str, Any] = {
        "event": "command" if "command" in case else "form-save",
        "time": START_S + case.get("at", 0),
        "name": case.get("client", "ws"),
        "client": "ws",
        "user": "someone",
        "facts": facts,
        **{k: v for k, v in case.items() if k not in {"name", "view", "at", "verdict", "rule"}},
    }
    if "view" in case:
        event["form"] = "View:\n" + "".join(f"\t{line}\n" for line in case["view"])
    if "command" in case:
        event.setdefault("args", [])
    else:
        event.setdefault("type", "client")
    event["prog"] = event.pop("program", None)
    return event
