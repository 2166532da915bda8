"""Data files of known programs, `known/NAME.yaml`; `schema.json` describes them."""

from __future__ import annotations

import shlex
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from p4warden.core import shipped_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NUMBER = "NNN"
"""Stands for a number that changes."""

DRAFT = "init"
"""Name in recorded answers of the draft that `p4warden init` writes."""

ANSWERS = "answers:\n"
"""From this line on `tests/support/record_answers.py` writes a data file."""

_ACCOUNT, _CLIENT = "bob", "ws"


class Request(NamedTuple):
    title: str  # the command as typed, or the name of the form
    kind: str  # `commands` or `forms`
    event: Mapping[str, Any]  # without time and facts
    paths: int  # that replace an argument with NNN
    times: int
    every_s: float

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield one for each time; `time` is in seconds after the first."""
        for number in range(self.times):
            event = dict(self.event) | {"time": number * self.every_s}
            if self.kind == "commands":
                event["args"] = [*self._arguments(number)]
            yield event

    def _arguments(self, number: int) -> Iterator[str]:
        for word in self.event["args"]:
            if NUMBER in word:
                numbers = range(number * self.paths, (number + 1) * self.paths)
                yield from (word.replace(NUMBER, f"{n:03}") for n in numbers)
            else:
                yield word


class Answer(NamedTuple):
    verdict: str  # of `VERDICTS`, or `TOO_LONG`
    rule: str | None = None
    reason: str | None = None  # of a refusal


TOO_LONG = "too long"
"""p4d refuses the command, because its trigger line cannot pass the arguments."""

REFUSED = ("refuse", TOO_LONG)

STOPPED = ("refuse", "observe", "delay")


class Program(NamedTuple):
    key: str  # name of its data file, without `.yaml`
    name: str
    about: str
    source: str
    prog: str | None
    requests: tuple[Request, ...]
    exemptions: Mapping[str, Mapping[str, Any]]  # fields, for `forms` and `commands`
    answers: Mapping[str, Mapping[str, Answer]]  # by policy and title, without `allow`

    def rules_that_stop(self, answers: Mapping[str, Answer], kind: str) -> list[str]:
        titles = [request.title for request in self.requests if request.kind == kind]
        found = [answers[title] for title in titles if title in answers]
        return list(dict.fromkeys(a.rule for a in found if a.rule and a.verdict in STOPPED))


def exemption_entries(program: Program, answers: Mapping[str, Answer]) -> Iterator[str]:
    """Yield one line of YAML each for the rules that stop, or would stop, a program."""
    for kind, fields in program.exemptions.items():
        rules = program.rules_that_stop(answers, kind)
        if rules:
            selectors = {name: fields[name] for name in fields if name != "reason"}
            entry = {**selectors, "rules": rules, "reason": fields["reason"], "owner": "OWNER"}
            yield _flow(entry)


def _flow(entry: dict[str, object]) -> str:
    text: str = yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=float("inf"))
    return text.rstrip("\n")


def data_files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the key and the content of each program's data file, sorted by key."""
    folder = resources.files("p4warden.programs").joinpath("known")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".yaml"):
            yield file.name.removesuffix(".yaml"), shipped_yaml.load(file.read_text("utf-8"))


@cache
def known_programs() -> tuple[Program, ...]:
    """Return all, sorted by key."""
    return tuple(_program(key, content) for key, content in data_files())


@cache
def known_server() -> dict[str, Any]:
    """Return the facts about a server that has the depots in the requests."""
    file = resources.files("p4warden.programs").joinpath("server.yaml")
    facts: dict[str, Any] = shipped_yaml.load(file.read_text("utf-8"))
    return facts


def _program(key: str, content: dict[str, Any]) -> Program:
    return Program(
        key,
        content["name"],
        content["about"],
        content["source"],
        content.get("prog"),
        tuple(_request(content, row) for row in content["requests"]),
        content["exemptions"],
        {policy: _answers(rows) for policy, rows in content.get("answers", {}).items()},
    )


def _answers(rows: dict[str, dict[str, str]]) -> dict[str, Answer]:
    return {title: Answer(**fields) for title, fields in rows.items()}


def _request(program: dict[str, Any], row: dict[str, Any]) -> Request:
    is_form = "form" in row
    event = {
        "user": row.get("user", program.get("account", _ACCOUNT)),
        "client": row.get("client", _CLIENT),
        "prog": program.get("prog"),
        "version": program.get("version"),
        **(_form(row) if is_form else _command(row)),
    }
    return Request(
        row["title"] if is_form else shlex.join([row["command"], *row["args"]]),
        "forms" if is_form else "commands",
        event,
        row.get("paths", 1),
        row.get("times", 1),
        row.get("every_s", 0),
    )


def _form(row: dict[str, Any]) -> dict[str, Any]:
    name = row.get("stream") or row["client"]
    return {"event": "form-save", "type": row["form"], "name": name, "form": row["text"]}


def _command(row: dict[str, Any]) -> dict[str, Any]:
    return {"event": "command", "command": row["command"], "args": row["args"]}
