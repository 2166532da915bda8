"""Case files of policies: example events with expected verdicts, in YAML beside the policy.

A case describes an event in one of four ways: `view`, the lines of a form's view; `form`, a whole
form; `command` with its `args`; or `files`, the files of a submit, each as `ACTION PATH`, of which
`file_count` may state a larger number. A form's `type` is `client` by default. `args: unknown` and
`pressure: unknown` stand for values missing in a server's log. Further keys are the case's `name`,
the origin of the event (such as `user`), and the expected `verdict` and, optionally, `rule`. With
`shows` the form is not saved but displayed, and the named fields must then have the given values;
null means that the form stays unchanged.

`at` is a case's time in seconds after a fixed start, by default 0. The cases of a file form one
stream: rates carry over from case to case. `facts` are facts about the server; those of a case
replace those of the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema

from p4warden.asking import form_text
from p4warden.core.errors import PolicyWrongError
from p4warden.core.records import VERDICTS
from p4warden.core.visible import visible_text
from p4warden.policy import source
from p4warden.policy.problems import Problem, UnreadablePolicyError, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Ask = Callable[[dict[str, Any]], dict[str, Any]]

START_S = 1_800_000_000
"""Time for which `at: 0` in a case file stands, in seconds since the epoch: in January 2027."""

_EMPTY = "the file is empty (start it with cases:)"
_NAMES = {"type": "array", "items": {"type": "string"}}
_TEXT = {"type": "string"}
_TEXTS = (
    *("name", "type", "form", "command", "user", "client", "ip", "program", "version", "rule"),
    *("server", "services"),
)
_EVENT_KEYS = (
    *("user", "groups", "client", "ip", "version", "pressure", "lock_waiters", "age_s", "runs_s"),
    *("server", "services", "file_count"),
)
_FILE = {"type": "string", "pattern": "^[a-z/]+ //", "examples": ["add //depot/main/a.c"]}
_UNKNOWN = {"const": "unknown"}
_CASE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "verdict"],
    "oneOf": [{"required": [key]} for key in ("view", "form", "command", "files")],
    "properties": {
        **dict.fromkeys(_TEXTS, _TEXT),
        "view": _NAMES,
        "args": {"anyOf": [_NAMES, _UNKNOWN]},
        "files": {"type": "array", "items": _FILE},
        "file_count": {"type": "integer", "minimum": 1},
        "groups": _NAMES,
        "pressure": {"enum": ["low", "medium", "high", "unknown"]},
        "lock_waiters": {"anyOf": [{"type": "integer", "minimum": 0}, _UNKNOWN]},
        "age_s": {"type": "integer", "minimum": 0},
        "runs_s": {"type": "number", "minimum": 0},
        "facts": {"type": "object"},
        "at": {"type": "number", "minimum": 0},
        "verdict": {"enum": list(VERDICTS)},
        "shows": {"type": ["object", "null"], "additionalProperties": _NAMES},
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
    name: str
    place: str
    problem: str | None


def run(path: str, ask: Ask) -> Iterator[Result]:
    """Judge the cases of a policy's case file, in order; yield their results.

    Raises:
        PolicyWrongError: the file cannot be read, or is not a file of cases.
    """
    try:
        content = source.parse(source.read(path), one_line=False, if_empty=_EMPTY)
    except UnreadablePolicyError as error:
        raise PolicyWrongError(error.problem.line(path)) from error
    problems = [*content.problems, *_shape(content.document)]
    if problems:
        raise PolicyWrongError("\n".join(p.line(path) for p in content.locate(problems)))
    for index, case in enumerate(content.document["cases"]):
        mark = content.values["cases", index]
        problem = _problem(case, ask, content.document.get("facts", {}))
        yield Result(visible_text(case["name"]), f"{path}:{mark.line}:{mark.column}", problem)


def _shape(document: object) -> Iterator[Problem]:
    for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document):
        path = tuple(error.absolute_path)
        kinds = "needs one of view, form, command or files"
        text = kinds if error.validator == "oneOf" else error.message
        yield Problem(path, f"{text} (see {render(('cases', 0))} of a shipped file)")


def _problem(case: dict[str, Any], ask: Ask, facts: dict[str, Any]) -> str | None:
    answer = ask(_event(case, facts, ask))
    if "error" in answer:
        return f"the case is no event: {answer['error']}"
    if answer["verdict"] != case["verdict"]:
        detail = f": {answer['detail']}" if answer["detail"] else ""
        return f"the verdict is {answer['verdict']}, not {case['verdict']}{detail}"
    if "rule" in case and answer["rule"] != case["rule"]:
        return f"the verdict is {answer['rule']}'s, not {case['rule']}'s"
    return _form_difference(case["shows"], answer["form"], ask) if "shows" in case else None


def _form_difference(
    expected_fields: dict[str, list[str]] | None, form: str | None, ask: Ask
) -> str | None:
    if expected_fields is None:
        return "the form is changed before it is shown" if form is not None else None
    if form is None:
        return "the form is shown as it is"
    shown_fields = _fields(ask, form)
    for field, values in expected_fields.items():
        field_values = shown_fields.get(field.lower(), [])
        if field_values != values:
            return f"{field} is shown as {json.dumps(field_values)}, not {json.dumps(values)}"
    return None


def _event(case: dict[str, Any], facts: dict[str, Any], ask: Ask) -> dict[str, Any]:
    fields = {name: case[name] for name in _EVENT_KEYS if name in case}
    event = {"time": START_S + case.get("at", 0), "client": "ws", "user": "someone", **fields}
    event |= {"prog": case.get("program"), "facts": case.get("facts", facts)}
    if "command" in case:
        words = case.get("args", [])
        args = {} if words == "unknown" else {"args": words}
        kind = "running" if "age_s" in case else "command"
        return {"event": kind, "command": case["command"], **args, **event}
    if "files" in case:
        split = [file.split(" ", 1) for file in case["files"]]
        files = [{"action": action, "path": path} for action, path in split]
        return {"event": "change-submit", "files": files, **event}
    return {"event": "form-out" if "shows" in case else "form-save", **_form(case, ask), **event}


def _fields(ask: Ask, form: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = ask({"ask": "form", "form": form})["fields"]
    return fields


def _form(case: dict[str, Any], ask: Ask) -> dict[str, Any]:
    kind = case.get("type", "client")
    view = "".join(f"\t{line}\n" for line in case.get("view", ()))
    text = case.get("form", f"View:\n{view}")
    name = form_text.value(_fields(ask, text), kind) or case.get("client", "ws")
    return {"type": kind, "name": name, "form": text}
