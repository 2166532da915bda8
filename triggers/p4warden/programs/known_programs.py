"""Read the data files of known programs, `known/NAME.yaml`; `schema.json` describes them."""

from __future__ import annotations

import shlex
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NUMBER = "NNN"
"""Word in the arguments of a request that stands for a number that changes."""

DRAFT = "init"
"""Name in recorded answers of the draft that `p4warden init` writes."""

ANSWERS = "answers:\n"
"""Line of a data file from which on `tests/support/record_answers.py` writes it."""

_ACCOUNT, _CLIENT = "bob", "ws"


class Request(NamedTuple):
    """A command or form that a program sends.

    Attributes:
        title: the command as typed, with NNN for numbers, or the name of the form.
        kind: `commands` or `forms`.
        event: fields of the event without time and facts; NNN stands for a number.
        paths: how many arguments replace the argument with NNN.
        times: how often the program sends it, every `every_s` seconds.
        source: where this is public.
    """

    title: str
    kind: str
    event: Mapping[str, Any]
    paths: int
    times: int
    every_s: float
    source: str

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the events, one for each time; `time` is in seconds after the first."""
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
    """How a policy answers a request: the verdict, its rule, and for a refusal the reason.

    The verdict is one of `core.records.VERDICTS`, or TOO_LONG.
    """

    verdict: str
    rule: str | None = None
    reason: str | None = None


TOO_LONG = "too long"
"""Verdict on a command that p4d refuses because its trigger line cannot pass the arguments."""

REFUSED = ("refuse", TOO_LONG)
"""Verdicts on requests that fail."""

STOPPED = ("refuse", "observe", "delay")
"""Verdicts on requests that an exemption is for."""


class Program(NamedTuple):
    """A program, what it sends, and how the shipped policies answer.

    Attributes:
        key: the name of its data file, without `.yaml`.
        exemptions: the fields of the exemptions for its `forms` and its `commands`.
        answers: by policy, and there by title, the answers other than `allow`.
    """

    key: str
    name: str
    about: str
    source: str
    prog: str | None
    requests: tuple[Request, ...]
    exemptions: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Answer]]

    def rules_that_stop(self, answers: Mapping[str, Answer], kind: str) -> list[str]:
        """Return the names of the rules that stop, or would stop, requests of a kind."""
        titles = [request.title for request in self.requests if request.kind == kind]
        found = [answers[title] for title in titles if title in answers]
        return list(dict.fromkeys(a.rule for a in found if a.rule and a.verdict in STOPPED))


@cache
def known_programs() -> tuple[Program, ...]:
    """Return all known programs, sorted by key."""
    files = resources.files("p4warden.programs").joinpath("known").iterdir()
    names = sorted(file.name for file in files if file.name.endswith(".yaml"))
    return tuple(_program(name) for name in names)


@cache
def known_server() -> dict[str, Any]:
    """Return the facts about a server that has the depots in the requests."""
    facts: dict[str, Any] = yaml.safe_load(_text("server.yaml"))
    return facts


def _text(name: str) -> str:
    return resources.files("p4warden.programs").joinpath(name).read_text("utf-8")


def _program(name: str) -> Program:
    content = yaml.safe_load(_text(f"known/{name}"))
    return Program(
        name.removesuffix(".yaml"),
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
        row["source"],
    )


def _form(row: dict[str, Any]) -> dict[str, Any]:
    name = row.get("stream") or row["client"]
    return {"event": "form-save", "type": row["form"], "name": name, "form": row["text"]}


def _command(row: dict[str, Any]) -> dict[str, Any]:
    return {"event": "command", "command": row["command"], "args": row["args"]}
