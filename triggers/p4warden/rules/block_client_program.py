"""Refuse commands from client programs that are blocked, or too old.

Why: some programs ask for more than a server can bear whatever their users do, and a later version
often asks for less. Perforce's own sample triggers refuse the P4EXP shell extension by its name
(block_p4exp of the Server Deployment Package).

This rule informs honest users and stops nobody else: users choose the names that their programs
report (`p4 -zprog=NAME`), and some programs report no version. A version that cannot be read makes
the verdict `unknown`, which allows the command and is counted.

The gate's library judges commands. This module has the rule's settings and the checks of the
settings.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.rules import command_names, known_commands, never_limited
from p4warden.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Settings(NamedTuple):
    """Settings of the policy rule `block_client_program`.

    Attributes:
        commands: names of p4 commands; each stands for all its synonyms.
        programs: each with `program`, a pattern of client program names, and optionally `below`,
            the first version that is allowed, and `advice`, lines of text for the refusal.
    """

    commands: tuple[str, ...]
    programs: tuple[Mapping[str, Any], ...]


def events(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the trigger events that a rule on client programs judges, one per command name.

    The names are the main name and all synonyms of each of the rule's commands.
    """
    return command_names.events(settings.commands)


def needed_options(settings: Settings) -> set[str]:
    """Return the trigger line options that a rule on client programs needs with a value.

    Options that always have a value in a trigger line are left out.
    """
    version = {"version"} if any(entry.get("below") for entry in settings.programs) else set()
    return version | command_names.needed_options(settings.commands)


def mistakes(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield errors in a rule on client programs: key path within the rule, and message."""
    yield from never_limited.mistakes(rule)
    yield from known_commands.mistakes(rule)
    first: dict[tuple[str, str], int] = {}
    programs = rule.get("programs")
    for index, entry in enumerate(programs if isinstance(programs, list) else []):
        if isinstance(entry, dict):
            earlier = first.setdefault((str(entry.get("program")), str(entry.get("below"))), index)
            if earlier != index:
                yield ("programs", index), f"is the same as programs[{earlier}] (keep one)"


def doubts(rule: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield warnings about a rule on client programs: key path within the rule, and message."""
    yield from command_names.doubts(rule)
    yield from known_commands.doubts(rule)


RULE = Rule(
    __doc__,
    "a blocked program sent a command",
    Settings,
    events,
    needed_options=needed_options,
    mistakes=mistakes,
    doubts=doubts,
)
