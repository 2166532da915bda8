from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from p4warden.core.plural import listed
from p4warden.core.records import VERDICTS
from p4warden.programs.known_programs import TOO_LONG, Answer, known_programs, known_server
from p4warden.table.trigger_lines import rules_with_arguments, subscribed_commands

if TYPE_CHECKING:
    from p4warden.asking.judge import Judge
    from p4warden.policy.compiled import Policy
    from p4warden.programs.known_programs import Program, Request

LONGEST_WORD_BYTES = 128 * 1024 - 1
"""Longest argument with which Linux starts a program (MAX_ARG_STRLEN, less the final NUL)."""

UNLESS_TRIGGERS_IO = "unless triggers.io is 1, "

_START_S, _DAY_S = 1_800_000_000, 86_400


def program_answers(
    policy: Policy, program: Program, judge: Judge, groups: tuple[str, ...] = ()
) -> dict[str, Answer]:
    """Return a policy's answers to a program's requests by title, without those it allows.

    Each request has a day of its own, so that rates of one do not count for the next.
    """
    answers = {}
    for day, request in enumerate(program.requests):
        events = [
            event | {"groups": groups, "time": _START_S + day * _DAY_S + event["time"]}
            for event in request.events()
        ]
        answers[request.title] = _worst(policy, request, events, judge)
    return {title: answer for title, answer in answers.items() if answer.verdict != "allow"}


def _worst(policy: Policy, request: Request, events: list[dict[str, Any]], judge: Judge) -> Answer:
    if request.kind == "commands" and is_too_long(policy, events[0]):
        return Answer(TOO_LONG)
    answers = map(_answer, judge.verdicts_on(e | {"facts": known_server()} for e in events))
    return max(answers, key=lambda answer: VERDICTS.index(answer.verdict))


def is_too_long(policy: Policy, event: dict[str, Any]) -> bool:
    """Tell whether the policy's trigger line cannot pass the arguments of a command event."""
    return (
        _is_long(event)
        and bool(rules_with_arguments(policy))
        and event["command"] in subscribed_commands(policy)
    )


def _is_long(event: dict[str, Any]) -> bool:
    return len(" ".join(event["args"]).encode()) > LONGEST_WORD_BYTES


def _answer(answer: dict[str, Any]) -> Answer:
    is_refused = answer["verdict"] == "refuse"
    return Answer(answer["verdict"], answer["rule"], answer["detail"] if is_refused else None)


def long_commands_note(policy: Policy, unless: str = "") -> str | None:
    """Return one line that names the policy's rules that need arguments; None without any."""
    names = [policy.rules[index].name for index in rules_with_arguments(policy)]
    if not names:
        return None
    subscribed = subscribed_commands(policy)
    programs = [name for name, sent in _long_commands().items() if not sent.isdisjoint(subscribed)]
    examples = f"; known to send such: {', '.join(programs)}" if programs else ""
    return (
        f"{listed(names)} {'needs' if len(names) == 1 else 'need'} the arguments of commands: "
        f"{unless}p4d refuses commands with over 128 KiB of them, even in mode observe{examples}"
    )


@cache
def _long_commands() -> dict[str, frozenset[str]]:
    """Return by the names of known programs the commands that these send too long."""
    return {
        program.name: frozenset(
            request.event["command"]
            for request in program.requests
            if request.kind == "commands" and _is_long(next(request.events()))
        )
        for program in known_programs()
    }
