"""Fuzz values in a trigger line: p4warden must read them as sent, or report tampering.

As in p4d, code of the sandbox server expands the line and splits it into words; it shares no code
with p4warden. Two cases that no check can detect are left out: quotation marks in pairs, and a NUL
behind a forged end.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from campaign import Campaign, CampaignResult, finding

from p4warden.core.trigger_options import ORDER
from p4warden.policy.compiled import compile_policy
from p4warden.table.trigger_lines import Installation, lines_for
from p4warden_sandbox.words import expand, split_command
from support.form_oracle import Core

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

STEP = 1_000
COMMON = {"mode": "enforce", "commands": ["fstat"]}
SCOPE = {"name": "scope", "rule": "limit_command_scope", **COMMON}
OLD = {"name": "old", "rule": "block_client_program", **COMMON}
OLD |= {"programs": [{"program": "P4V", "below": "2019.2"}]}
FORMS = {"name": "views", "rule": "limit_view_scope", "mode": "enforce"}
PATHS = {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "max_leading": 100}
POLICY = compile_policy({"contact": "admins", "rules": [SCOPE, OLD, FORMS, PATHS]}, "")
LINES = [line.command for line in lines_for(POLICY, Installation("/opt/gate", "/h"))]
VARIABLES = {
    "user": "user",
    "client": "client",
    "name": "formname",
    "version": "clientversion",
    "prog": "clientprog",
}
FIXED = {
    "quote": '"',
    "formfile": "/tmp/form",  # noqa: S108 - a value, no file
    "clientip": "10.0.0.1",
    "groups": "dev qa",
    "command": "user-fstat",
    "changelist": "12",
}
SENT = {"ip": "10.0.0.1", "home": "/h", "on-error": "allow", "groups": "dev qa"}
PIECES = (
    *(
        '"',
        '""',
        '" "',
        '"\t"',
        " ",
        "\t",
        "\n",
        "a",
        "p4admin",
        ".",
        "=",
        "--",
        "//...",
        "%user%",
    ),
    *(f"--{name}=" for name in ORDER),
    *(f'" "--{name}=' for name in ORDER),
    *('" "--args=" "--end=.', '" "--prog=p" "--cwd=" "--args=', '--end=."'),
    *"\"'= -%\\é\x01\x7f",
)


class Event(NamedTuple):
    line: str
    values: dict[str, str]  # by variable

    def words(self) -> list[str]:
        return split_command(expand(self.line, FIXED | self.values))[1:]

    def intended(self, option: str) -> str:
        return self.values[VARIABLES[option]].replace('"', "")


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Parse random trigger lines with mostly hostile values; yield results without end."""
    with contextlib.closing(Core()) as core:
        while True:
            events = [_event(random) for _ in range(STEP)]
            asked = [{"ask": "arguments", "words": event.words()} for event in events]
            problems = (
                finding(problem, line=event.line, values=event.values, given=answer)
                for event, answer in zip(events, core.ask_all(asked), strict=True)
                if (problem := _problem(event, answer))
            )
            yield CampaignResult(STEP, tuple(problems))


def _problem(event: Event, answer: list[Any]) -> str | None:
    has_known_form, is_tampered, options = answer[0], answer[1], dict(answer[2])
    if not has_known_form:
        return "another form"
    arrived = _is_exact(event, options) and _is_whole(event, options)
    return None if is_tampered or arrived else "forged"


def _is_exact(event: Event, options: dict[str, str]) -> bool:
    """Tell whether all options that arrived are unchanged, apart from quotation marks."""
    present = {name: options[name] for name in VARIABLES if name in options}
    has_own_values = all(options.get(name) == value for name, value in SENT.items())
    return has_own_values and all(event.intended(name) == text for name, text in present.items())


def _is_whole(event: Event, options: dict[str, str]) -> bool:
    """Tell whether all names of a line arrived, except empty and `%variable%`-like ones."""
    names = [name for name, variable in VARIABLES.items() if f"%{variable}%" in event.line]
    missing = [event.intended(name) for name in names if name not in options]
    return all(not text or (text[0] == text[-1] == "%") for text in missing)


def _event(random: random.Random) -> Event:
    names = (*VARIABLES.values(), "args")
    return Event(random.choice(LINES), {name: _hostile(random) for name in names})


def _hostile(random: random.Random) -> str:
    """Return a random user-chosen value: empty, plain, or able to break a trigger line apart."""
    if random.random() < 0.4:
        return random.choice(("", "ann", "P4V/NTX64/2024.1/123 (v86)", "a b", "jörg"))
    return "".join(random.choices(PIECES, k=random.randint(1, 7)))


CAMPAIGN = Campaign("trigger-words", "argument vectors", runs, 1_000_000)
